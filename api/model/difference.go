// SPDX-License-Identifier: Apache-2.0

package model

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Difference describes the change in one line.
func (e *HistoryEntry) Difference() string {
	var parts []string
	for _, c := range e.Changes {
		switch {
		case c.Old == nil:
			parts = append(parts, c.Field+": "+plain(c.New))
		case e.Verb == "delete":
			parts = append(parts, c.Field+": "+plain(c.Old))
		default:
			parts = append(parts, c.Field+": "+plain(c.Old)+" -> "+plain(c.New))
		}
	}
	for i := range e.Addresses {
		parts = append(parts, e.Addresses[i].transfer())
	}
	if e.Cut {
		parts = append(parts, "(more was too large to be kept)")
	}
	if e.Why != "" {
		parts = append(parts, "("+e.Why+")")
	}
	return strings.Join(parts, ", ")
}

// plain formats a JSON value for a table.
func plain(v any) string {
	switch v := v.(type) {
	case nil:
		return "(none)"
	case string:
		return v
	}
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// transfer describes a change of an address's owner.
func (a *AddressChange) transfer() string {
	switch {
	case a.Was == nil:
		return a.Address + " to " + a.Now.String()
	case a.Now == nil:
		return a.Address + " from " + a.Was.String()
	}
	return a.Address + " from " + a.Was.String() + " to " + a.Now.String()
}
