package catalog

import "github.com/contiv/contiv/api/model"

// Regranted reports whether, after changes, some may see more or less than before.
func Regranted(dirty map[Ref]struct{}) bool {
	for ref := range dirty {
		if k, ok := model.KindOf(ref.Kind); ok && k.Guarded {
			return true
		}
	}
	return false
}
