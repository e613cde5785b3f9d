package record

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
)

// IncarnationKey is where a store says which cluster's state it holds; see Incarnation.
const IncarnationKey = Root + "incarnation"

// maxPredecessors is how many predecessors an Incarnation names. Hosts that were away for more successions than this count as another cluster's.
const maxPredecessors = 32

// incarnationLength is the length of an incarnation's id: 26 letters and digits of base32, 130 bits.
const incarnationLength = 26

// Cause is why an incarnation was made.
type Cause string

// The causes of incarnations.
const (
	CauseInit     Cause = "init"      // the first store of a cluster
	CauseNewStore Cause = "new-store" // the operator had netmaster make an empty store where one was known
	CauseRestore  Cause = "restore"   // the store was restored from a snapshot
	CauseAlone    Cause = "alone"     // one member continues without the others, whose newest writes it may lack
)

// causes are all that there are.
var causes = []Cause{CauseInit, CauseNewStore, CauseRestore, CauseAlone}

// Incarnation identifies the history of a store, at IncarnationKey and in the file of each host that netmaster's flag --cluster-file names. Stores
// with the same id are one store at one or another time, without a write lost between. A store whose history was cut, by a restore, by one member that
// continues without the others, or by starting with nothing, has another id and names those that it follows.
type Incarnation struct {
	ID           string    `json:"id"`                     // random, at least 128 bits, in lower case
	Predecessors []string  `json:"predecessors,omitempty"` // ids of the incarnations that it follows, newest first; at most 32
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

// ParseIncarnation reads the value of IncarnationKey, or of a host's file. A text that is not an incarnation is an error.
func ParseIncarnation(text []byte) (Incarnation, error) {
	var out Incarnation
	if err := json.Unmarshal(text, &out); err != nil {
		return Incarnation{}, fmt.Errorf("incarnation: %w", err)
	}
	return out, out.Check()
}

// Relation is what a store's incarnation is to one that is known.
type Relation int

// The relations.
const (
	// Empty: the store has no incarnation. It is new, or of a build that wrote none.
	Empty Relation = iota
	// First: no incarnation is known yet, so the store's is taken.
	First
	// Same: the store is the one that is known.
	Same
	// Successor: the store follows the one that is known. It may lack what was written last.
	Successor
	// Another: the store does not follow the one that is known. It is another cluster's, an older incarnation of this one, or was made by mistake.
	Another
)

// String is the relation in words.
func (r Relation) String() string {
	return [...]string{"empty", "first", "same", "successor", "another"}[r]
}

// RelationOf returns what a store's incarnation is to a known id: "" where none is known. The zero value of store is a store without one.
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
