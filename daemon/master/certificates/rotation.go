// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Times of the replacement of the authority: the least between two looks, and how long netmaster waits for the leader to sign by the next one before it asks for a certificate, and between two requests.
const (
	rotationLook  = time.Second
	rotationPause = 5 * time.Second
	rotationRetry = 30 * time.Second
)

// Proves returns a function that reports which authorities this netmaster trusts: with an embedded store those that its member was started with, since the member reads them only then. It returns nil for an insecure netmaster.
func (c *Own) Proves() func() (authorities []string, authority string) {
	if c.Holder == nil {
		return nil
	}
	began := trust.Fingerprints(c.Holder.Trusted())
	return func() ([]string, string) {
		if c.Embedded {
			return began, c.Holder.Signer()
		}
		return trust.Fingerprints(c.Holder.Trusted()), c.Holder.Signer()
	}
}

// rotation has this netmaster's host carry out the replacement of the authority as the store says it.
func (c *Own) rotation(known *catalog.Catalog, committer *commit.Committer, reseal func(*commit.Tx) error, log *slog.Logger) task.Task {
	return task.Func("replacement of the authority", func(ctx context.Context, ready func()) error {
		ready()
		if c.Holder == nil {
			<-ctx.Done()
			return nil
		}
		sub := known.Subscribe()
		defer sub.Close()
		r := rotator{Own: c, log: log, reseal: func(ctx context.Context) error { _, err := committer.Do(ctx, reseal); return err }}
		for range sub.Changes(ctx, rotationLook) {
			var now *record.Rotation
			known.View(func(v *catalog.View) { now = membership.RotationOf(v) })
			r.follow(ctx, now, time.Now())
		}
		return nil
	})
}

// rotator carries out the replacement of the authority on a host with a netmaster.
type rotator struct {
	*Own
	log    *slog.Logger
	reseal func(ctx context.Context) error // seals secrets by the authority that signs; it fails where this netmaster does not lead

	done   string    // what was carried out last
	due    time.Time // when certificates are checked next
	failed string    // why it was not carried out last
}

// follow carries out a replacement as far as it is; nil: there is none.
// It repeats nothing but the renewal of certificates, until they are of the next authority.
func (r *rotator) follow(ctx context.Context, now *record.Rotation, at time.Time) {
	if now == nil {
		return
	}
	step := string(now.Phase) + " " + now.To
	if step != r.done {
		if err := carryOut(r.Holder.Dir(), now); err != nil {
			if why := err.Error(); why != r.failed {
				r.failed = why
				r.log.Error("the replacement of the authority is not carried out here; trying again", "phase", now.Phase, "error", err)
			}
			return
		}
		if err := r.Holder.Reload(); err != nil {
			r.log.Error("changed certificates cannot be used; those from before stay in use", "error", err)
		}
		r.done, r.failed, r.due = step, "", at.Add(rotationPause)
		r.log.Info("the replacement of the authority is carried out here", "phase", now.Phase, "to", now.To)
	}
	if now.Phase != record.PhaseSign || at.Before(r.due) {
		return
	}
	r.due = at.Add(rotationRetry)
	if err := r.reseal(ctx); err != nil {
		r.log.Debug("secrets are sealed by the netmaster that leads", "error", err)
	}
	if err := r.certify(ctx, now); err != nil && ctx.Err() == nil {
		r.log.Warn("certificates of the next authority are not here yet; trying again", "retry", rotationRetry, "error", err)
	}
}

// certify renews the certificates of this host's netmaster and user that are not of the next authority.
func (r *rotator) certify(ctx context.Context, now *record.Rotation) error {
	if r.Holder.Signer() != now.To {
		if err := r.Holder.RenewNow(ctx, r.renewed); err != nil {
			return err
		}
		if signer := r.Holder.Signer(); signer != now.To {
			return fmt.Errorf("the leader has signed by authority %.12s, want %.12s", signer, now.To)
		}
	}
	way := &http.Transport{TLSClientConfig: r.Holder.Client(trust.Master, ""), DisableKeepAlives: true}
	leader := &client.Client{Base: "https://" + r.Internal, HTTP: &http.Client{Transport: way}, Program: "netmaster"}
	_, err := renewUser(ctx, r.Holder.Dir(), leader, time.Now())
	return err
}

// carryOut has a directory trust and sign as a replacement says.
func carryOut(dir trust.Dir, now *record.Rotation) error {
	next := []byte(now.Certificate)
	switch now.Phase {
	case record.PhaseTrust:
		return dir.TrustAlso(next)
	case record.PhaseSign:
		seal, err := dir.Seal()
		if err != nil {
			return err
		}
		key, err := seal.Open(record.RotationKey, now.Key)
		if err != nil {
			return fmt.Errorf("the key of the next authority: %w", err)
		}
		return dir.SignBy(next, key)
	case record.PhaseFinish:
		return dir.TrustOnly(next)
	}
	return fmt.Errorf("phase %q of the replacement is of another version of netmaster", now.Phase)
}
