// SPDX-License-Identifier: Apache-2.0

package oper

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// show returns an endpoint as lists and inspection show it.
func show(e *record.Endpoint) (json.RawMessage, error) {
	text, err := json.Marshal(Endpoint(e))
	if err != nil {
		return nil, fmt.Errorf("encode endpoint %s: %w", e.ID, err)
	}
	return text, nil
}

// Texts returns endpoints as JSON; n is their number.
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

// Text returns an endpoint as JSON.
func Text(m *catalog.Member) (json.RawMessage, error) { return m.Text(show) }
