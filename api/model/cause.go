// SPDX-License-Identifier: Apache-2.0

package model

import "slices"

// Cut is what a finding cuts. Of two findings with the same severity, the one that cuts more comes first.
type Cut string

// Cuts lists what findings cut, the most first.
func Cuts() []Cut {
	return []Cut{
		"cluster",  // changes of the whole cluster
		"host",     // the containers of a host, or the whole host
		"paths",    // traffic between some hosts
		"network",  // some traffic of a network, or of a policy
		"endpoint", // a container, or a service
		"changes",  // nothing that runs, but new containers and changes
		"nothing",
	}
}

// Rank orders cuts, the most first; one of another version comes last.
func (c Cut) Rank() int {
	if i := slices.Index(Cuts(), c); i >= 0 {
		return i
	}
	return len(Cuts())
}

// Relation is how the object of a finding relates to that of another finding which it explains.
type Relation string

// The relations.
const (
	RelationHost     Relation = "host"
	RelationPaths    Relation = "paths"
	RelationObject   Relation = "object"
	RelationMajority Relation = "majority"
	RelationCluster  Relation = "cluster"
)

// Relations lists all of them.
func Relations() []Relation {
	return []Relation{RelationHost, RelationPaths, RelationObject, RelationMajority, RelationCluster}
}

// Describe returns the relation in words.
func (r Relation) Describe() string {
	switch r {
	case RelationHost:
		return "of the same host"
	case RelationPaths:
		return "of paths from and to the host"
	case RelationObject:
		return "of the same object"
	case RelationMajority:
		return "if the store has no majority without these machines"
	case RelationCluster:
		return "anywhere"
	}
	return string(r)
}

// Explanation is a relation, and the codes of the findings that another finding explains by it.
type Explanation struct {
	Relation Relation      `json:"relation"`
	Codes    []FindingCode `json:"codes"`
}
