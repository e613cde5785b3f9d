// SPDX-License-Identifier: Apache-2.0

package catalog

import "github.com/contiv/contiv/api/model"

// Regranted reports whether changes may alter what some users can see.
func Regranted(dirty map[Ref]struct{}) bool {
	for ref := range dirty {
		if k, ok := model.KindOf(ref.Kind); ok && k.Guarded {
			return true
		}
	}
	return false
}
