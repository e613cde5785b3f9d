// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/open"
	"github.com/contiv/contiv/daemon/storeconfig"
	"github.com/contiv/contiv/trust"
)

// Opener opens the store of this process, and verifies that it is the one of the host's cluster. Its methods wait as long as the store is missing, unreachable or another cluster's: an operator may mount a
// file system late, or restore a snapshot meanwhile. They are not for concurrent use.
type Opener struct {
	Settings
	Store     storeconfig.Config
	Agreement *Agreement    // decides with other netmasters who founds the embedded store; nil: this netmaster may
	Trust     *trust.Holder // authenticates the embedded store to its other members; nil: plain HTTP
	// Waiting reports what the Opener waits for, as a phrase such as "the store". A method that has waited reports the store at its end.
	Waiting func(what string)
	Log     *slog.Logger
	free    func(dir string) (uint64, error)
}

// NewOpener returns an Opener. waiting is its field Waiting.
func NewOpener(s Settings, c storeconfig.Config, holder *trust.Holder, waiting func(what string), log *slog.Logger) *Opener {
	return &Opener{Settings: s, Store: c, Trust: holder, Waiting: waiting, Log: log, free: Free}
}

// Open returns the configured store, or starts it in this process. It blocks until the store is open or ctx ends; then its error is that of ctx. The
// caller closes the store.
func (o *Opener) Open(ctx context.Context) (store.Store, error) {
	o.Waiting("the store")
	if !o.Runs() {
		return open.Open(o.Store, o.Log)
	}
	for _, wait := range []func(context.Context) error{o.awaitAddresses, o.awaitSpace, o.awaitMember} {
		if err := wait(ctx); err != nil {
			return nil, err
		}
	}
	o.Embedded.Log = o.Log
	db, err := embedded.Start(ctx, o.Embedded)
	if err != nil {
		return nil, err
	}
	return db, nil
}

// retryInterval is the time between two attempts to use the store.
const retryInterval = 2 * time.Second

// retry calls try until it succeeds, ctx ends, or its error does not come from a store that is missing, unreachable or another cluster's. It reports each
// error as the reason of the wait, and logs it when it changes.
func (o *Opener) retry(ctx context.Context, try func() error) error {
	tick := time.NewTicker(retryInterval)
	defer tick.Stop()
	for logged := ""; ; {
		err := try()
		switch {
		case err == nil:
			o.Waiting("the store")
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.Is(err, embedded.ErrLost) && !errors.Is(err, ErrAnother) && !errors.Is(err, ErrFormat) && !errors.Is(err, ErrUndecided) && !errors.Is(err, store.ErrUnavailable) && !errors.Is(err, store.ErrNoSpace):
			return err
		}
		o.Waiting("its store: " + err.Error())
		if text := err.Error(); text != logged {
			logged = text
			o.Log.Error("wait for the store of this cluster", "error", err)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// awaitMember waits until the member of the embedded store may start: its directory has the data that it had, or the other members expect a new member.
func (o *Opener) awaitMember(ctx context.Context) error {
	o.Embedded.Mark, o.Embedded.Trust = o.ClusterFile.MemberFile(), o.Trust
	return o.retry(ctx, func() error {
		known, err := o.ClusterFile.Read()
		if err != nil {
			return fmt.Errorf("%w: %w", ErrAnother, err)
		}
		config, began, err := o.Agreement.decide(ctx, o.Embedded, known.Stored() != "")
		if err != nil {
			return err
		}
		permitted, err := config.Permit(ctx, began)
		if err == nil {
			o.Embedded = permitted
		}
		return o.Agreement.explain(err, began && known.Stored() == "")
	})
}
