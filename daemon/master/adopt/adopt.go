// SPDX-License-Identifier: Apache-2.0

// Package adopt makes a store know the running endpoints: after a restore, or the loss of a store, hosts offer the endpoints that they
// carry, and the store adopts those before it assigns any address or deletes any endpoint. An operator decides about endpoints that
// contradict the store.
package adopt

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/admit"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/record"
)

// OfferTimeout is how long to wait for the offers of the hosts that the store knows.
const OfferTimeout = 45 * time.Second

// maxConflicts bounds the conflicts of a host.
const maxConflicts = 1000

// Config configures an Engine.
type Config struct {
	Commit      *commit.Committer
	Catalog     *catalog.Catalog
	Admit       *admit.Admitter
	Incarnation record.Incarnation // of the store
	// Roster has the labels of the previous store's hosts, as this netmaster's host has recorded them; nil: unknown.
	Roster []string
	Now    func() time.Time // nil: time.Now
	Log    *slog.Logger
}

// Engine adopts endpoints. Its methods are safe for concurrent use.
type Engine struct {
	Config

	offered chan struct{} // signals an offer
}

// New returns an Engine.
func New(c Config) *Engine {
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Engine{Config: c, offered: make(chan struct{}, 1)}
}

// Held refuses to assign an address or delete an endpoint, while hosts have not offered what they carry to a store that follows another;
// nil: nothing is held. It does not block. Errors are *model.Error.
func (e *Engine) Held(v *catalog.View) error {
	if e.finished(v) {
		return nil
	}
	return model.Errorf(model.CodeUnavailable, "", "the store was restored or lost, and hosts are still to offer what they carry, so that no address is assigned twice").
		Try("repeat it: this ends when all hosts of the store have, or after %s", OfferTimeout)
}

// finished reports whether the adoption has ended.
func (e *Engine) finished(v *catalog.View) bool { return Finished(v, e.Incarnation) }

// Finished reports whether the adoption of the store's incarnation has ended.
func Finished(v *catalog.View, i record.Incarnation) bool {
	return i.ID == "" || i.Cause == record.CauseInit || isOf(v, record.AdoptedKey, i.ID)
}

// names reports whether a key has the id of the incarnation.
func (e *Engine) names(v *catalog.View, key string) bool { return isOf(v, key, e.Incarnation.ID) }

// isOf reports whether a key has an id.
func isOf(v *catalog.View, key, id string) bool {
	return string(v.Value(key)) == fmt.Sprintf(`{"id":%q}`, id)
}

// complete reports whether all hosts are known, from the store or from the previous one's roster.
func (e *Engine) complete() bool {
	return e.Incarnation.Cause != record.CauseNewStore || len(e.Roster) > 0
}

// hosts returns the known hosts, in order: those that have not offered what they carry, and those that have.
func (e *Engine) hosts(v *catalog.View) (missing, offered []string) {
	all := slices.Clone(e.Roster)
	for _, h := range v.Hosts() {
		all = append(all, h.Label)
	}
	for key := range v.Values() {
		if host, is := strings.CutPrefix(key, record.Offers); is { // it has offered, and is not registered yet
			all = append(all, host)
		}
	}
	slices.Sort(all)
	for _, host := range slices.Compact(all) {
		if e.names(v, record.Offers+host) {
			offered = append(offered, host)
		} else {
			missing = append(missing, host)
		}
	}
	return missing, offered
}

// Waiting returns the hosts whose offers are missing; nil: none are. It does not block.
func (e *Engine) Waiting() (out *model.AdoptionWait) {
	e.Catalog.View(func(v *catalog.View) {
		if e.finished(v) {
			return
		}
		out = &model.AdoptionWait{Cause: string(e.Incarnation.Cause), Complete: e.complete(), Max: OfferTimeout.String()}
		out.Missing, out.Offered = e.hosts(v)
	})
	return out
}

// Awaited returns why an agent must wait for the store's records: offers of other hosts are missing; "": it need not.
func (e *Engine) Awaited() (why string) {
	e.Catalog.View(func(v *catalog.View) {
		if e.Held(v) != nil {
			why = "hosts offer what they carry to the store, which was restored or lost"
		}
	})
	return why
}

// Run ends the adoption of a new incarnation when all hosts that the store knows, and those of Roster, have offered what they carry, or
// after OfferTimeout; for an empty store, which knows none, only if there is no Roster. It is for the leader, and blocks until ctx ends.
func (e *Engine) Run(ctx context.Context) {
	end := time.NewTimer(OfferTimeout)
	defer end.Stop()
	for over := false; ; {
		var missing []string
		done := false
		e.Catalog.View(func(v *catalog.View) {
			done = e.finished(v)
			missing, _ = e.hosts(v)
		})
		if done {
			return
		}
		if over || len(missing) == 0 && e.complete() {
			if len(missing) > 0 {
				e.Log.Warn("hosts have not offered their endpoints; they are adopted later", "host", missing)
			}
			if err := e.end(ctx); err == nil {
				e.Log.Info("all hosts have offered their endpoints: addresses are assigned again", "incarnation", e.Incarnation.ID)
				return
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-e.offered:
		case <-end.C:
			over = true
		case <-time.After(time.Second): // hosts that are forgotten meanwhile
		}
	}
}

// end records the end of the adoption.
func (e *Engine) end(ctx context.Context) error {
	_, err := e.Commit.Do(ctx, func(tx *commit.Tx) error {
		for _, h := range tx.Hosts() {
			if len(tx.Value(record.Offers+h.Label)) > 0 && tx.Room() >= roomOfOne {
				tx.Delete(record.Offers + h.Label)
			}
		}
		return tx.Put(record.AdoptedKey, &record.Nonce{ID: e.Incarnation.ID})
	})
	return err
}

// recordOffer records for later leaders that a host has offered what it carries.
func (e *Engine) recordOffer(ctx context.Context, host string) (uint64, error) {
	rev, err := e.Commit.Join(ctx, func(tx *commit.Tx) error {
		if e.finished(tx.View) || e.names(tx.View, record.Offers+host) {
			return nil
		}
		return tx.Put(record.Offers+host, &record.Nonce{ID: e.Incarnation.ID})
	})
	return uint64(rev), err
}

// Offer adopts what a host carries. It blocks until the store has it. Offers may be repeated. Errors are *model.Error.
func (e *Engine) Offer(ctx context.Context, o channel.Offer) (out channel.Offered, rev uint64, err error) {
	if err := check(&o); err != nil {
		return out, 0, err
	}
	ctx = commit.Because(ctx, "host "+o.Host+" carries it")
	e.grounds(ctx, &o)
	for left := o.Endpoints; len(left) > 0; {
		rest := left
		at, err := e.Commit.Do(ctx, func(tx *commit.Tx) error {
			rest = left
			var some channel.Offered
			for len(rest) > 0 && (tx.Room() >= roomOfOne || len(rest) == len(left)) {
				if err := e.one(tx, rest[0], &some); err != nil {
					return err
				}
				rest = rest[1:]
			}
			out.Adopted, out.Conflicts, out.Dropped = append(out.Adopted, some.Adopted...), append(out.Conflicts, some.Conflicts...), append(out.Dropped, some.Dropped...)
			return nil
		})
		if err != nil {
			return out, 0, err
		}
		left, rev = rest, max(rev, uint64(at))
	}
	at, err := e.forget(ctx, &o)
	if err != nil {
		return out, 0, err
	}
	if n := len(out.Adopted); n > 0 {
		e.Log.Info("adopted endpoints of a host", "host", o.Host, "endpoints", n)
	}
	if n := len(out.Conflicts); n > 0 {
		e.Log.Warn("running endpoints contradict the store (netctl adopt ls)", "host", o.Host, "endpoints", n)
	}
	noted, err := e.recordOffer(ctx, o.Host)
	if err != nil {
		return out, 0, err
	}
	select {
	case e.offered <- struct{}{}:
	default:
	}
	return out, max(rev, at, noted), nil
}

// roomOfOne bounds the changes for the adoption of one endpoint.
const roomOfOne = 16

// check refuses malformed offers.
func check(o *channel.Offer) error {
	if len(o.Endpoints) > channel.MaxOffer {
		return model.Errorf(model.CodeTooLarge, "endpoints", "host %s offers %d endpoints, %d are permitted", o.Host, len(o.Endpoints), channel.MaxOffer)
	}
	for i := range o.Endpoints {
		if e := &o.Endpoints[i]; e.Host != o.Host {
			return model.Errorf(model.CodeDenied, "endpoints", "endpoint %s is of host %s, and host %s offers it", e.ID, e.Host, o.Host).Try("an agent offers what its own host carries")
		}
	}
	return nil
}

// one adopts an endpoint, or records the conflict for an operator.
func (e *Engine) one(tx *commit.Tx, ep record.Endpoint, out *channel.Offered) error {
	key := record.AdoptionKey(&ep)
	was := adoption(tx, key)
	if was != nil && was.Dropped {
		out.Dropped = append(out.Dropped, ep.ID.String())
		return nil
	}
	same, holder, err := endpoint.Adopt(tx, ep)
	if err != nil {
		out.Conflicts = append(out.Conflicts, ep.ID.String())
		reason := model.AsError(err).Message
		if was != nil && was.Holder == holder && was.Reason == reason || was == nil && len(tx.AdoptionsOf(ep.Host)) >= maxConflicts {
			return nil
		}
		return tx.Put(record.Adoptions+key, &record.Adoption{Key: key, Endpoint: ep, Holder: holder, Reason: reason, Since: e.Now().UTC().Truncate(time.Second)})
	}
	if was != nil {
		tx.Delete(record.Adoptions + key)
	}
	if !same {
		out.Adopted = append(out.Adopted, ep.ID.String())
	}
	return nil
}

func adoption(tx *commit.Tx, key string) *record.Adoption {
	for _, a := range tx.Adoptions() {
		if a.Key == key {
			return a
		}
	}
	return nil
}

// forget ends the conflicts of endpoints that a host no longer carries.
func (e *Engine) forget(ctx context.Context, o *channel.Offer) (uint64, error) {
	carries := map[string]struct{}{}
	for i := range o.Endpoints {
		carries[record.AdoptionKey(&o.Endpoints[i])] = struct{}{}
	}
	var over []string
	e.Catalog.View(func(v *catalog.View) {
		for _, a := range v.AdoptionsOf(o.Host) {
			if _, is := carries[a.Key]; !is {
				over = append(over, a.Key)
			}
		}
	})
	if len(over) == 0 {
		return 0, nil
	}
	slices.Sort(over)
	rev, err := e.Commit.Do(ctx, func(tx *commit.Tx) error {
		for _, key := range over {
			tx.Delete(record.Adoptions + key)
		}
		return nil
	})
	return uint64(rev), err
}
