// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/daemon/task"
)

// incarnationInterval is the maximum time between two checks of the store's incarnation. A change of the catalog causes one at once.
const incarnationInterval = 2 * time.Second

// Resolve returns the incarnation of the store, and records it on this host. It blocks while the store does not answer, has records of a format that this
// build does not know, or is not the one of the host's cluster. An error of another kind, or the end of ctx, ends it. The operator's decisions that accept another store apply to the first call only.
func (o *Opener) Resolve(ctx context.Context, db store.Store) (out record.Incarnation, err error) {
	options := Decisions{NewStore: o.Embedded.NewStore, Alone: o.Runs() && o.Embedded.Alone, Restored: o.Runs() && o.Embedded.Restored, Random: rand.Text, Now: time.Now}
	err = o.retry(ctx, func() error {
		known, err := o.ClusterFile.Read()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrAnother, err)
		}
		if err := readable(ctx, db); err != nil {
			return err
		}
		if out, err = ResolveIncarnation(ctx, db, known, options); err != nil {
			return err
		}
		if known.Stored() != out.ID {
			o.Log.Info("the store has the incarnation of this cluster", "incarnation", out.ID, "was", known.Stored(), "reason", out.Cause)
		}
		if err := o.ClusterFile.Write(incarnation.Known{Incarnation: out}); err != nil {
			o.Log.Error("an empty store would not be recognised after a restart: make the file writable", "error", err)
		}
		return nil
	})
	o.Embedded.Alone, o.Embedded.Restored = false, false
	return out, err
}

// watchIncarnation returns a task that ends with mirror.ErrReset once the store has another incarnation than now, or records of a format that this build does not know. It begins when the feed has loaded the catalog.
func watchIncarnation(known *catalog.Catalog, feed *catalog.Feed, now record.Incarnation) task.Task {
	return task.Func("incarnation of the store", func(ctx context.Context, ready func()) error {
		ready()
		for range changes(ctx, known, feed, incarnationInterval) {
			var text, format []byte
			known.View(func(v *catalog.View) { text, format = v.Value(record.IncarnationKey), v.Value(record.FormatKey) })
			if err := knows(format); err != nil {
				return fmt.Errorf("%w: %w", mirror.ErrReset, err)
			}
			if got, err := record.ParseIncarnation(text); err != nil || got.ID != now.ID {
				return fmt.Errorf("%w: its incarnation was %s, and is %q now", mirror.ErrReset, now.ID, got.ID)
			}
		}
		return nil
	})
}
