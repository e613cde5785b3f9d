// SPDX-License-Identifier: Apache-2.0

package aci

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/derive"
	"github.com/contiv/contiv/daemon/record"
)

// maxPause is the longest time between two attempts at the same profile.
const maxPause = time.Minute

// deletion is the fingerprint of a profile to be deleted.
const deletion = "delete"

// Config configures a Notifier.
type Config struct {
	Gateway *Gateway
	Commit  *commit.Committer
	Catalog *catalog.Catalog
	Pause   time.Duration // before the first retry; it doubles; 0: a second
	Log     *slog.Logger
}

// Notifier sends profiles to the gateway, while this master leads and the fabric is ACI. The store has what the gateway received, so that a
// new leader repeats nothing.
type Notifier struct {
	Config
	posted, failed atomic.Uint64
}

// NewNotifier returns a Notifier.
func NewNotifier(c Config) *Notifier {
	if c.Pause == 0 {
		c.Pause = time.Second
	}
	return &Notifier{Config: c}
}

// Posted returns the number of requests that the gateway accepted.
func (p *Notifier) Posted() uint64 { return p.posted.Load() }

// Failed returns the number of requests that the gateway refused or did not answer.
func (p *Notifier) Failed() uint64 { return p.failed.Load() }

// job is one profile that differs from the gateway's.
type job struct {
	key, tenant, profile string
	spec                 *Spec // nil: delete it
	impossible           error // the fabric cannot express it
	before               record.ACIProfile
}

func (j *job) fingerprint() string {
	if j.spec == nil {
		return deletion
	}
	return j.spec.fingerprint()
}

// backoff is the time of the next attempt for a profile.
type backoff struct {
	what  string // fingerprint of the attempt that failed
	pause time.Duration
	next  time.Time
}

// Run compares and posts until ctx ends. It must be called once per term, while the committer runs.
func (p *Notifier) Run(ctx context.Context) {
	changes := p.Catalog.Subscribe()
	defer changes.Close()
	waits := map[string]backoff{}
	p.round(ctx, waits)
	for range changes.Changes(ctx, p.Pause) {
		p.round(ctx, waits)
	}
}

// round does what is due.
func (p *Notifier) round(ctx context.Context, waits map[string]backoff) {
	var jobs []job
	p.Catalog.View(func(v *catalog.View) { jobs = due(v) })
	for _, j := range jobs {
		if ctx.Err() != nil {
			return
		}
		w := waits[j.key]
		if w.what == j.fingerprint() && time.Now().Before(w.next) {
			continue
		}
		if p.do(ctx, j) {
			delete(waits, j.key)
			continue
		}
		if w.what != j.fingerprint() {
			w = backoff{what: j.fingerprint(), pause: p.Pause}
		} else {
			w.pause = min(2*w.pause, maxPause)
		}
		w.next = time.Now().Add(w.pause)
		waits[j.key] = w
	}
}

// due lists the profiles that differ from the gateway's.
func due(v *catalog.View) []job {
	if !derive.ByACI(v.Global()) {
		return nil
	}
	var jobs []job
	for _, o := range v.Objects(model.KindAppProfile()) {
		profile := o.(*model.AppProfile)
		j := job{key: o.ObjectKey(), tenant: profile.TenantName, profile: profile.AppProfileName}
		if have := v.ACIProfile(j.key); have != nil {
			j.before = *have
		}
		if j.spec, j.impossible = Wish(v, profile); j.impossible != nil {
			if !j.before.Failed || j.before.Info != j.impossible.Error() {
				jobs = append(jobs, j)
			}
			continue
		}
		if j.spec == nil && j.before.Applied == "" || j.spec != nil && j.before.Applied == j.fingerprint() {
			continue
		}
		jobs = append(jobs, j)
	}
	for _, have := range v.ACIProfiles() {
		if !v.Has(model.KindAppProfile().Name, have.Key) {
			jobs = append(jobs, job{key: have.Key, tenant: have.Tenant, profile: have.Profile, before: *have})
		}
	}
	return jobs
}

// do sends a profile and records the answer. It reports whether nothing is left to do.
func (p *Notifier) do(ctx context.Context, j job) bool {
	after := record.ACIProfile{Key: j.key, Tenant: j.tenant, Profile: j.profile, Applied: j.before.Applied, Tried: j.fingerprint()}
	var err error
	switch {
	case j.impossible != nil:
		after.Tried, after.Failed, after.Info = "", true, j.impossible.Error()
		return p.saveProfile(ctx, j, &after)
	case j.spec == nil && j.before.Applied == "" && j.before.Tried == "":
		return p.saveProfile(ctx, j, nil) // the gateway never received it
	case j.spec == nil:
		after.Info, err = p.Gateway.Delete(ctx, j.tenant, j.profile)
	default:
		after.Info, err = p.Gateway.Apply(ctx, j.spec)
	}
	if err != nil {
		if ctx.Err() != nil {
			return false
		}
		p.failed.Add(1)
		after.Failed, after.Info = true, err.Error()
		if p.saveProfile(ctx, j, &after) && after != j.before {
			p.Log.Warn("profile not sent to the ACI gateway", "profile", j.key, "error", err)
		}
		return false
	}
	p.posted.Add(1)
	if j.spec == nil {
		return p.saveProfile(ctx, j, nil)
	}
	after.Applied = after.Tried
	return p.saveProfile(ctx, j, &after)
}

// saveProfile records the gateway's state of a profile; nil: the gateway does not have it.
func (p *Notifier) saveProfile(ctx context.Context, j job, after *record.ACIProfile) bool {
	if after != nil && *after == j.before {
		return true
	}
	_, err := p.Commit.Do(ctx, func(tx *commit.Tx) error {
		if after == nil {
			tx.Delete(record.ACIProfiles + j.key)
			return nil
		}
		return tx.Put(record.ACIProfiles+j.key, after)
	})
	if err != nil && ctx.Err() == nil {
		p.Log.Warn("recording the ACI gateway's state failed", "profile", j.key, "error", err)
	}
	return err == nil
}

// States of a profile.
const (
	Pending = "pending" // not sent yet
	Applied = "applied" // accepted
	Failed  = "failed"  // refused or not answered; it will be retried
)

// State returns the gateway's state of a profile, and its last answer. state is "" if there is no ACI fabric.
func State(v *catalog.View, profile *model.AppProfile) (state, info string) {
	if !derive.ByACI(v.Global()) {
		return "", ""
	}
	have := v.ACIProfile(profile.ObjectKey())
	wish, err := Wish(v, profile)
	switch {
	case err != nil:
		return Failed, err.Error()
	case wish == nil && (have == nil || have.Applied == ""):
		return Applied, "the profile has no groups; the gateway need not know it"
	case have == nil:
		return Pending, ""
	}
	what := deletion
	if wish != nil {
		what = wish.fingerprint()
	}
	switch {
	case have.Applied == what:
		return Applied, have.Info
	case have.Failed && have.Tried == what:
		return Failed, have.Info
	}
	return Pending, ""
}

// Waiting returns the number of profiles that differ from the gateway's.
func Waiting(v *catalog.View) int { return len(due(v)) }
