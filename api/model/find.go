// SPDX-License-Identifier: Apache-2.0

package model

// The ranks of a Found, the best first: the whole value is the text, the value begins with it, a word of the value does, or the value contains it.
const (
	FoundExact  = "exact"
	FoundPrefix = "prefix"
	FoundWord   = "word"
	FoundPart   = "part"
)

// The kinds in a FindAnswer that are no kinds of objects: a host or a netmaster, and a Docker network.
const (
	FoundNode          = "node"
	FoundDockerNetwork = "docknet"
)

// MaxFound is the largest number of items of a FindAnswer.
const MaxFound = 200

// FindAnswer lists what a text was found in, the best first.
type FindAnswer struct {
	Query string  `json:"query"` // as it was searched for
	Total int     `json:"total"` // number of matches, of which Items may be a part
	Items []Found `json:"items"`
}

// Found is an object, an endpoint, a node or a Docker network that a text was found in.
type Found struct {
	Kind  string `json:"kind"` // its type, FoundNode or FoundDockerNetwork
	Key   string `json:"key"`
	Field string `json:"field"` // the field whose value matches best, such as "name", "ipAddress" or "labels"
	Value string `json:"value"` // that value, shortened
	Rank  string `json:"rank"`
	About string `json:"about"` // what it is, in short, such as an endpoint's address and host
}

// Ref is the form that commands take: "kind/key".
func (f *Found) Ref() string { return f.Kind + "/" + f.Key }
