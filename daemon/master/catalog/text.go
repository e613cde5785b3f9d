// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// Text returns an API object with its links as JSON, nil if there is none. The bytes are cached until the object or one of its links
// changes, so that lists and watchers do not encode them repeatedly; they must not be changed.
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
	// Several readers may compute the same text concurrently; writers, who discard it, hold the lock exclusively.
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
