package oper

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// show is how lists and inspection show an endpoint.
func show(e *record.Endpoint) (json.RawMessage, error) {
	text, err := json.Marshal(Endpoint(e))
	if err != nil {
		return nil, fmt.Errorf("encode endpoint %s: %w", e.ID, err)
	}
	return text, nil
}

// Texts lists endpoints as JSON; n is how many there are.
func Texts(endpoints iter.Seq[*catalog.Member], n int) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, 0, n)
	for m := range endpoints {
		text, err := m.Text(show)
		if err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, nil
}

// Keyed is the text of an endpoint as the watch stream has it: with its id as the key.
func Keyed(m *catalog.Member) (json.RawMessage, error) {
	text, err := m.Text(show)
	if err != nil {
		return nil, err
	}
	key, err := json.Marshal(m.ID)
	if err != nil {
		return nil, fmt.Errorf("encode endpoint %s: %w", m.ID, err)
	}
	out := append(make(json.RawMessage, 0, len(text)+len(key)+8), `{"key":`...)
	out = append(append(out, key...), ',')
	return append(out, text[1:]...), nil // an endpoint is never an empty object
}
