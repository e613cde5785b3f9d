// SPDX-License-Identifier: Apache-2.0

package snapshot

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
)

// Restored is the result of a restore.
type Restored struct {
	Info
	Successor record.Incarnation
	Aside     string // the new path of the previous data; "": there were none
}

// ErrHolds means that there are data at the place of the restore.
var ErrHolds = errors.New("there is a store already")

// Restore makes the directory of an embedded store's member, which no netmaster may use, that of the only member of a store with the
// content of a snapshot. The store is the successor of the saved one: another store, which every host that knows the saved one accepts as
// its successor. If the directory has data, Restore returns ErrHolds, or, with replace, moves the data aside. After an error the
// directory is unchanged.
func Restore(ctx context.Context, path string, to embedded.Config, known record.Incarnation, replace bool) (out Restored, err error) {
	is, err := embedded.Look(to.Dir)
	switch {
	case err != nil:
		return out, err
	case is == embedded.InUse:
		return out, fmt.Errorf("%s is in use by a netmaster: stop it first (systemctl stop contiv-netmaster)", to.Dir)
	case is == embedded.Held && !replace:
		return out, fmt.Errorf("%s: %w: --replace moves its data aside", to.Dir, ErrHolds)
	}
	if err := os.MkdirAll(to.Dir, 0o700); err != nil {
		return out, err
	}
	info, body, err := Extract(path, to.Dir)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.Remove(body)) }()
	if info.Store == Consul {
		return out, fmt.Errorf("%s: got a snapshot of Consul, want one of etcd or of an embedded store, which this host has", path)
	}
	out.Info = info
	if is == embedded.Held {
		aside, back, err := embedded.Aside(to.Dir, "before-restore-"+time.Now().UTC().Format("20060102T150405Z"))
		if err != nil {
			return out, fmt.Errorf("move the data aside: %w", err)
		}
		out.Aside = aside
		if out.Successor, err = restore(ctx, to, known, body); err != nil {
			return out, errors.Join(err, back())
		}
		return out, nil
	}
	out.Successor, err = restore(ctx, to, known, body)
	return out, err
}

func restore(ctx context.Context, to embedded.Config, known record.Incarnation, body string) (next record.Incarnation, err error) {
	err = embedded.Restore(ctx, to, body, "contiv-"+rand.Text(), func(ctx context.Context, s store.Store) error {
		next, err = Succeed(ctx, s, known)
		return err
	})
	return next, err
}

// Restorer is a running store that can load snapshots, such as Consul.
type Restorer interface {
	store.Store
	Restore(ctx context.Context, from io.Reader) error
}

// RestoreInto restores a snapshot into a store that runs, and that has nothing that is not to be replaced. No netmaster may use it
// meanwhile.
func RestoreInto(ctx context.Context, path, kind string, known record.Incarnation, to Restorer) (out Restored, err error) {
	info, body, err := Extract(path, filepath.Dir(path))
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, os.Remove(body)) }()
	out.Info = info
	if info.Store != kind {
		return out, fmt.Errorf("store: %s is a snapshot of kind %s, want %s", path, info.Store, kind)
	}
	f, err := os.Open(body)
	if err != nil {
		return out, err
	}
	defer func() { _ = f.Close() }()
	if err := to.Restore(ctx, f); err != nil {
		return out, err
	}
	out.Successor, err = Succeed(ctx, to, known)
	return out, err
}

// Succeed makes a store that was restored, and that no netmaster uses yet, the successor of the one that it was restored from; and, where
// known, which hosts know, follows that one, of known: hosts follow a store that names theirs. The zero value of known is none.
func Succeed(ctx context.Context, s store.Store, known record.Incarnation) (record.Incarnation, error) {
	var was record.Incarnation
	item, err := s.Read(ctx, record.IncarnationKey)
	switch {
	case errors.Is(err, store.ErrNotFound): // an earlier build wrote it
	case err != nil:
		return was, err
	default:
		if was, err = record.ParseIncarnation(item.Value); err != nil {
			return was, fmt.Errorf("incarnation of the store: %w", err)
		}
	}
	if was.ID == "" || slices.Contains(known.Predecessors, was.ID) {
		was = known
	}
	next := was.Successor(rand.Text(), record.CauseRestore, time.Now())
	text, err := json.Marshal(&next)
	if err != nil {
		return next, err
	}
	var tx store.Tx
	tx.Require(record.IncarnationKey, item.Revision)
	tx.Put(record.IncarnationKey, text)
	_, err = s.Commit(ctx, &tx)
	return next, err
}
