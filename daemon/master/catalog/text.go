package catalog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"

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

// Texts returns the Text of all objects of a kind, ordered by key. The list is kept too, until one of them changes, comes or goes;
// it must not be changed.
func (v *View) Texts(k *model.Kind) ([]json.RawMessage, error) {
	list := v.texts[k.Name]
	if kept := list.Load(); kept != nil {
		return *kept, nil
	}
	out := make([]json.RawMessage, 0, len(v.objects[k.Name]))
	for _, key := range slices.Sorted(maps.Keys(v.objects[k.Name])) {
		text, err := v.Text(k, key)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	list.Store(&out)
	return out, nil
}

// texts are the lists of Texts, nil where none is kept, by kind.
type texts map[string]*atomic.Pointer[[]json.RawMessage]

func newTexts() texts {
	out := texts{}
	for _, k := range model.Kinds() {
		out[k.Name] = new(atomic.Pointer[[]json.RawMessage])
	}
	return out
}

// forget drops what is kept of an object.
func (v *View) forget(kind, key string) {
	if list := v.texts[kind]; list != nil {
		list.Store(nil)
	}
	if e := v.objects[kind][key]; e != nil {
		e.text.Store(nil)
	}
}
