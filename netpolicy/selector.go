// SPDX-License-Identifier: Apache-2.0

// Package netpolicy has the network policies of Kubernetes: NetworkPolicy of networking.k8s.io and ClusterNetworkPolicy of
// policy.networking.k8s.io, and the selectors of both, as netmaster stores them, agents compile them and api/verdict evaluates them.
package netpolicy

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Selector selects by labels: those that meet every requirement, so that an empty one selects all. A label with its value, of Kubernetes'
// matchLabels, is the requirement that the key is In only that value. Of selectors that NewSelector has made, two with the same requirements
// are equal.
type Selector []Requirement

// Requirement is a Selector's condition for one key.
type Requirement struct {
	Key      string   `json:"key"`
	Operator Operator `json:"operator"`
	Values   []string `json:"values,omitempty"` // of In and NotIn, in order, each once
}

// Operator is the operator of a Requirement.
type Operator string

// The operators, with Kubernetes' names. NotIn is also met if the key is missing.
const (
	In           Operator = "In"
	NotIn        Operator = "NotIn"
	Exists       Operator = "Exists"
	DoesNotExist Operator = "DoesNotExist"
)

// NewSelector sorts requirements, and their values, each once. It keeps no part of all.
func NewSelector(all ...Requirement) Selector {
	var s Selector
	for _, r := range all {
		r.Values = slices.Clone(r.Values)
		slices.Sort(r.Values)
		r.Values = slices.Compact(r.Values)
		s = append(s, r)
	}
	slices.SortFunc(s, Requirement.compare)
	return slices.CompactFunc(s, func(a, b Requirement) bool { return a.compare(b) == 0 })
}

func (r Requirement) compare(o Requirement) int {
	return cmp.Or(strings.Compare(r.Key, o.Key), strings.Compare(string(r.Operator), string(o.Operator)), slices.Compare(r.Values, o.Values))
}

// Selects reports whether labels meet every requirement.
func (s Selector) Selects(labels map[string]string) bool {
	for i := range s {
		if !s[i].met(labels) {
			return false
		}
	}
	return true
}

// met reports whether labels meet the requirement; none meet an unknown operator.
func (r *Requirement) met(labels map[string]string) bool {
	value, has := labels[r.Key]
	switch r.Operator {
	case In:
		return has && slices.Contains(r.Values, value)
	case NotIn:
		return !has || !slices.Contains(r.Values, value)
	case Exists:
		return has
	case DoesNotExist:
		return !has
	}
	return false
}

// UnmarshalJSON decodes the stored form.
func (r *Requirement) UnmarshalJSON(text []byte) error {
	type plain Requirement
	var t plain
	if err := json.Unmarshal(text, &t); err != nil {
		return err
	}
	switch t.Operator {
	case In, NotIn, Exists, DoesNotExist:
	default:
		return fmt.Errorf("operator %q of label %q is none of %s, %s, %s and %s", t.Operator, t.Key, In, NotIn, Exists, DoesNotExist)
	}
	*r = Requirement(t)
	return nil
}

// String returns kubectl's notation: "app in (web),!legacy"; "" selects all.
func (s Selector) String() string {
	var words []string
	for _, r := range s {
		list := "(" + strings.Join(r.Values, ",") + ")"
		switch {
		case r.Operator == In && len(r.Values) == 1:
			words = append(words, r.Key+"="+r.Values[0])
		case r.Operator == In:
			words = append(words, r.Key+" in "+list)
		case r.Operator == NotIn:
			words = append(words, r.Key+" notin "+list)
		case r.Operator == Exists:
			words = append(words, r.Key)
		default:
			words = append(words, "!"+r.Key)
		}
	}
	return strings.Join(words, ",")
}
