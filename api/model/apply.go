// SPDX-License-Identifier: Apache-2.0

package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ApplyRequest requests changes of several objects at once, all or nothing: POST /api/v1/apply.
type ApplyRequest struct {
	Objects []ApplyObject `json:"objects"`
	Delete  bool          `json:"delete,omitempty"` // delete the objects instead, of which only the key is read; missing ones are ignored
	Prune   []ApplyObject `json:"prune,omitempty"`  // objects to delete after the others are applied, as with Delete
	DryRun  bool          `json:"dryRun,omitempty"` // check and report, change nothing
	Diff    bool          `json:"diff,omitempty"`   // a dry run that reports refused objects, and continues with the next
	// Selector refuses objects whose labels it does not match, as in "app=web,tier in (front,back)"; "": any labels.
	Selector string `json:"selector,omitempty"`
}

// LabelRequest requests a change of the labels of objects, all or nothing: POST /api/v1/labels.
type LabelRequest struct {
	Objects   []ApplyObject     `json:"objects"`             // of which only the key is read
	Set       map[string]string `json:"set,omitempty"`       // labels to add
	Remove    []string          `json:"remove,omitempty"`    // keys to remove; absent ones are ignored
	Overwrite bool              `json:"overwrite,omitempty"` // replace the values of labels that exist
	DryRun    bool              `json:"dryRun,omitempty"`    // check and report, change nothing
}

// ApplyObject is one object of an ApplyRequest: its kind, and its fields as the object routes take them.
type ApplyObject struct {
	Kind   string         `json:"kind"`
	Fields map[string]any `json:"fields"`
}

// Action is what applying did, or would do, to one object.
type Action string

// The actions.
const (
	ActionCreated   Action = "created"
	ActionUpdated   Action = "updated"
	ActionUnchanged Action = "unchanged"
	ActionDeleted   Action = "deleted"
	ActionAbsent    Action = "absent"  // to be deleted, but missing
	ActionRefused   Action = "refused" // Diff only: applying the objects would be refused because of this one
)

// ApplyResult reports on one object of an ApplyRequest, in the order in which they were carried out.
type ApplyResult struct {
	Kind    string   `json:"kind"`
	Key     string   `json:"key"`
	Action  Action   `json:"action"`
	Changes []Change `json:"changes,omitempty"`
	// Affected is the forwarding that the change concerns; nil: none yet. Only a dry run includes it.
	Affected *Affected `json:"affected,omitempty"`
	// Refusal is why an object is refused; nil unless Action is refused.
	Refusal *Problem `json:"refusal,omitempty"`
}

// Affected is what a change of an object concerns, in the state before it.
type Affected struct {
	Groups    []string `json:"groups,omitempty"` // keys
	Endpoints int      `json:"endpoints"`
	Hosts     []string `json:"hosts,omitempty"` // that the endpoints are on
}

// String returns the groups and the number of endpoints, with their hosts: "group shop:db; 1 endpoint on h3".
func (a *Affected) String() string {
	var parts []string
	switch len(a.Groups) {
	case 0:
	case 1:
		parts = append(parts, "group "+a.Groups[0])
	default:
		parts = append(parts, "groups "+strings.Join(a.Groups, ", "))
	}
	switch {
	case a.Endpoints == 1:
		parts = append(parts, "1 endpoint on "+strings.Join(a.Hosts, ", "))
	case a.Endpoints > 1:
		parts = append(parts, fmt.Sprintf("%d endpoints on %s", a.Endpoints, strings.Join(a.Hosts, ", ")))
	}
	return strings.Join(parts, "; ")
}

// Change is one field that differs.
type Change struct {
	Field string `json:"field"`
	Old   any    `json:"old,omitempty"`
	New   any    `json:"new,omitempty"`
}

// Order returns all kinds that can be stored, so that linked kinds come before those that link to them.
func Order() []*Kind {
	var out []*Kind
	var visit func(k *Kind)
	visiting := map[string]bool{}
	visit = func(k *Kind) {
		if visiting[k.Name] || slices.Contains(out, k) {
			return
		}
		visiting[k.Name] = true
		needs := func(l LinkTo) {
			if to, ok := KindOf(l.To); ok {
				visit(to)
			}
		}
		// A single link and a list of names need the other first; what is computed is the other's link.
		for _, l := range k.Links {
			if !l.Back {
				needs(l)
			}
		}
		for _, l := range k.LinkSets {
			if len(l.Via) > 0 {
				needs(l)
			}
		}
		out = append(out, k)
	}
	visit(KindGlobal())
	for _, k := range Kinds() {
		if k.Writable() {
			visit(k)
		}
	}
	return out
}

// Differences lists the fields in which two objects of one kind differ, in field order. A secret, which no stored object contains, differs
// if it is given, and its value is not shown.
func Differences(before, after Object) []Change {
	var out []Change
	for _, f := range after.Kind().Fields {
		a, b := before.Field(f.Name), after.Field(f.Name)
		if f.Secret {
			if b != "" {
				out = append(out, Change{f.Name, "", Hidden})
			}
			continue
		}
		if !equal(a, b) {
			out = append(out, Change{f.Name, a, b})
		}
	}
	return out
}

// Hidden replaces a given secret.
const Hidden = "(secret)"

func equal(a, b any) bool {
	switch x := a.(type) {
	case []string:
		y, _ := b.([]string)
		return slices.Equal(x, y)
	case map[string]string:
		y, _ := b.(map[string]string)
		return maps.Equal(x, y)
	}
	return a == b
}
