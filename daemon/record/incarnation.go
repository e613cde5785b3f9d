// SPDX-License-Identifier: Apache-2.0

package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// IncarnationKey is the key of the identity of the cluster's state; see Incarnation.
const IncarnationKey = Root + "incarnation"

// maxPredecessors is the maximum number of predecessors in an Incarnation. A host that was away for more successions counts as another
// cluster's.
const maxPredecessors = 32

// incarnationLength is the length of an incarnation's id: 26 letters and digits of base32, 130 bits.
const incarnationLength = 26

// Cause is the reason for an incarnation.
type Cause string

// The causes of incarnations.
const (
	CauseInit     Cause = "init"      // the first store of a cluster
	CauseNewStore Cause = "new-store" // the operator made netmaster create an empty store although one was known
	CauseRestore  Cause = "restore"   // the store was restored from a snapshot
	CauseAlone    Cause = "alone"     // a single member continues without the others, and may lack their newest writes
)

// causes lists all of them.
var causes = []Cause{CauseInit, CauseNewStore, CauseRestore, CauseAlone}

// Incarnation identifies the history of a store, at IncarnationKey and in the file of each host named by netmaster's flag --cluster-file.
// Stores with the same id are one store at different times, without a lost write between. A store whose history was cut, by a restore, by
// one member that continues without the others, or by starting empty, has another id and names its predecessors.
type Incarnation struct {
	ID           string    `json:"id"`                     // random, at least 128 bits, in lower case
	Predecessors []string  `json:"predecessors,omitempty"` // ids of the preceding incarnations, newest first; at most 32
	Cause        Cause     `json:"cause"`
	Created      time.Time `json:"created"`
}

// NewIncarnation returns the first incarnation of a cluster. random is a random text of 26 characters of base32 (crypto/rand.Text).
func NewIncarnation(random string, at time.Time) Incarnation {
	return Incarnation{ID: strings.ToLower(random), Cause: CauseInit, Created: at.UTC().Truncate(time.Second)}
}

// Successor returns the incarnation that follows i, which may be the zero value. random is as for NewIncarnation.
func (i *Incarnation) Successor(random string, cause Cause, at time.Time) Incarnation {
	next := NewIncarnation(random, at)
	next.Cause = cause
	if i.ID != "" {
		next.Predecessors = append([]string{i.ID}, i.Predecessors...)
		next.Predecessors = next.Predecessors[:min(len(next.Predecessors), maxPredecessors)]
	}
	return next
}

// Check returns an error for an incarnation that no part of Contiv writes.
func (i *Incarnation) Check() error {
	if !slices.Contains(causes, i.Cause) {
		return fmt.Errorf("incarnation: cause: got %.40q, want one of %q", i.Cause, causes)
	}
	if n := len(i.Predecessors); n > maxPredecessors {
		return fmt.Errorf("incarnation: predecessors: got %d, want at most %d", n, maxPredecessors)
	}
	for _, id := range append([]string{i.ID}, i.Predecessors...) {
		if len(id) != incarnationLength || strings.Trim(id, "abcdefghijklmnopqrstuvwxyz234567") != "" {
			return fmt.Errorf("incarnation: id: got %.40q, want %d lower-case letters and digits 2 to 7", id, incarnationLength)
		}
	}
	return nil
}

// ParseIncarnation parses the value of IncarnationKey, or of a host's file. A text that is not an incarnation is an error.
func ParseIncarnation(text []byte) (Incarnation, error) {
	var out Incarnation
	if err := json.Unmarshal(text, &out); err != nil {
		return Incarnation{}, fmt.Errorf("incarnation: %w", err)
	}
	return out, out.Check()
}

// Relation is the relation of a store's incarnation to a known one.
type Relation int

// The relations.
const (
	// Empty: the store has no incarnation. It is new, or of a build that wrote none.
	Empty Relation = iota
	// First: no incarnation is known yet, so the store's is used.
	First
	// Same: the store is the known one.
	Same
	// Successor: the store follows the known one. It may lack the last writes.
	Successor
	// Another: the store does not follow the known one. It belongs to another cluster, is an older incarnation of this one, or was created
	// by mistake.
	Another
)

// String describes the relation.
func (r Relation) String() string {
	return [...]string{"empty", "first", "same", "successor", "another"}[r]
}

// RelationOf returns the relation of a store's incarnation to a known id: "" if none is known. The zero value of store is a store without
// one.
func RelationOf(known string, store *Incarnation) Relation {
	switch {
	case store.ID == "":
		return Empty
	case known == "":
		return First
	case known == store.ID:
		return Same
	case slices.Contains(store.Predecessors, known):
		return Successor
	default:
		return Another
	}
}
