package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
)

// Text returns an API object with its links as JSON, nil when there is none. The bytes are kept until the object or one
// of its links changes, so that lists and watchers do not encode the same again and again; they must not be changed.
func (v *View) Text(k *model.Kind, key string) (json.RawMessage, error) {
	e := v.objects[k.Name][key]
	if e == nil {
		return nil, nil
	}
	if kept := e.text.Load(); kept != nil {
		return *kept, nil
	}
	// Readers may come here together and compute the same; writers, who forget it, are shut out meanwhile.
	text, err := json.Marshal(v.linked(e))
	if err != nil {
		return nil, fmt.Errorf("encode %s %s: %w", k.Name, key, err)
	}
	kept := json.RawMessage(text)
	e.text.Store(&kept)
	return kept, nil
}

// Texts returns the Text of all objects of a kind, ordered by key.
func (v *View) Texts(k *model.Kind) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, 0, len(v.objects[k.Name]))
	for _, key := range slices.Sorted(maps.Keys(v.objects[k.Name])) {
		text, err := v.Text(k, key)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}
