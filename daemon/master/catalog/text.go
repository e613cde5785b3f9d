package catalog

import (
	"encoding/json"
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// Text returns an API object with its links as JSON, nil when there is none. The bytes are kept until the object or one
// of its links changes, so that lists and watchers do not encode the same again and again; they must not be changed.
func (v *View) Text(k *model.Kind, key string) (json.RawMessage, error) {
	if e := v.objects.Get(Ref{k.Name, key}); e != nil {
		return v.textOf(e)
	}
	return nil, nil
}

func (v *View) textOf(e *entry) (json.RawMessage, error) {
	if kept := e.text.Load(); kept != nil && !v.draft {
		return *kept, nil
	}
	// Readers may come here together and compute the same; writers, who forget it, are shut out meanwhile.
	text, err := json.Marshal(v.linked(e))
	if err != nil {
		return nil, fmt.Errorf("encode %s %s: %w", e.Kind, e.Key, err)
	}
	kept := json.RawMessage(text)
	if !v.draft {
		e.text.Store(&kept)
	}
	return kept, nil
}
