// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Decisions are an operator's decisions about a store.
type Decisions struct {
	// NewStore accepts a store that is not the known one, and makes it the cluster's store.
	NewStore bool
	// Restored means that other tools than netmaster have restored the store's data.
	Restored bool
	// Alone means that the store lacks the changes that only lost members had.
	Alone bool
	// Random is a random text of 26 characters of base32: crypto/rand.Text.
	Random func() string
	Now    func() time.Time
}

// ErrAnother means that a store is not the one of this host's cluster. The error's text has the remedy.
var ErrAnother = errors.New("the store is another one")

// ResolveIncarnation returns the incarnation of a store, which it writes into one that has none, and into one that the options make a successor. It
// refuses, with ErrAnother, a store that neither is the known one nor follows it. It blocks until the store answers; an error of the
// store leaves open what was written.
func ResolveIncarnation(ctx context.Context, db store.Store, known incarnation.Known, o Decisions) (record.Incarnation, error) {
	for {
		there, at, err := read(ctx, db)
		if err != nil {
			return there, err
		}
		next, err := decide(there, known, o)
		if err != nil || next.ID == there.ID {
			return next, err
		}
		text, err := json.Marshal(next)
		if err != nil {
			return next, err
		}
		var tx store.Tx
		tx.Require(record.IncarnationKey, at)
		tx.Put(record.IncarnationKey, text)
		if _, err = db.Commit(ctx, &tx); !errors.Is(err, store.ErrConflict) { // otherwise another netmaster has written one
			return next, err
		}
	}
}

// read returns the incarnation of a store, or the zero value if it has none, and the revision of its key.
func read(ctx context.Context, db store.Store) (out record.Incarnation, at store.Revision, err error) {
	it, err := db.Read(ctx, record.IncarnationKey)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return out, 0, nil
	case err != nil:
		return out, 0, err
	}
	if out, err = record.ParseIncarnation(it.Value); err != nil {
		err = fmt.Errorf("%w: %s of %s: %w: restore the store from a snapshot", ErrAnother, record.IncarnationKey, db, err)
	}
	return out, it.Revision, err
}

// decide returns the incarnation that a store should have; it returns the current one if nothing is to be written.
func decide(there record.Incarnation, known incarnation.Known, o Decisions) (record.Incarnation, error) {
	relation := record.RelationOf(known.Stored(), &there)
	older := relation == record.Another && slices.Contains(known.Predecessors, there.ID)
	switch {
	case relation == record.Empty && known.Stored() == "" && known.Pending:
		return known.Incarnation, nil
	case relation == record.Empty && known.Stored() == "":
		return record.NewIncarnation(o.Random(), o.Now()), nil
	case relation == record.Empty && o.NewStore, older && o.NewStore:
		return known.Successor(o.Random(), record.CauseNewStore, o.Now()), nil
	case relation == record.Empty:
		return there, fmt.Errorf("%w: it is empty, or not this cluster's, whose incarnation is %s: %s", ErrAnother, known.ID, remedy)
	case older:
		return there, fmt.Errorf("%w: it is older than incarnation %s, which is %s: %s", ErrAnother, known.ID, since(known), remedy)
	case relation == record.Another:
		return there, fmt.Errorf("%w: got incarnation %s, want %s of this host's cluster: start netmaster with the URLs of its own cluster's store; "+
			"to join the other cluster, run contiv leave first", ErrAnother, there.ID, known.ID)
	case o.Restored:
		return there.Successor(o.Random(), record.CauseRestore, o.Now()), nil
	case o.Alone:
		return there.Successor(o.Random(), record.CauseAlone, o.Now()), nil
	}
	return there, nil
}

// remedy is the remedy for a store that is not the known one.
const remedy = "mount or start the store that the cluster has; or restore a snapshot of it with contiv snapshot restore; or, to continue with this one, start netmaster once with --new-store"

// since describes the cause and the time of a known incarnation.
func since(k incarnation.Known) string {
	return fmt.Sprintf("of %s (%s)", k.Created.Format(time.RFC3339), k.Cause)
}
