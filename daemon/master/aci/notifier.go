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

// deletion stands for the fingerprint of a profile that is to go.
const deletion = "delete"

// Config is what a Poster is made of.
type Config struct {
	Gateway *Gateway
	Commit  *commit.Committer
	Catalog *catalog.Catalog
	Pause   time.Duration // before a failed attempt is repeated for the first time; it doubles; 0: a second
	Log     *slog.Logger
}

// Notifier keeps the gateway informed, while this master leads and the fabric is ACI. What the gateway was told is in the
// store, so that a new leader repeats nothing.
type Notifier struct {
	Config
	posted, failed atomic.Uint64
}

// NewNotifier makes a Poster.
func NewNotifier(c Config) *Notifier {
	if c.Pause == 0 {
		c.Pause = time.Second
	}
	return &Notifier{Config: c}
}

// Posted counts the requests that the gateway took, and Failed those that it did not.
func (p *Notifier) Posted() uint64 { return p.posted.Load() }

// Failed counts the requests that the gateway refused or did not answer.
func (p *Notifier) Failed() uint64 { return p.failed.Load() }

// job is one profile that the gateway does not know as it is.
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

// backoff is when to try a profile again.
type backoff struct {
	what  string // fingerprint of the attempt that failed
	pause time.Duration
	next  time.Time
}

// Run compares and posts until ctx ends. Call it once a term, while the committer runs.
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

// due lists the profiles that the gateway does not know as they are.
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

// do tells the gateway and notes what it said. It reports whether nothing is left to do.
func (p *Notifier) do(ctx context.Context, j job) bool {
	after := record.ACIProfile{Key: j.key, Tenant: j.tenant, Profile: j.profile, Applied: j.before.Applied, Tried: j.fingerprint()}
	var err error
	switch {
	case j.impossible != nil:
		after.Tried, after.Failed, after.Info = "", true, j.impossible.Error()
		return p.saveProfile(ctx, j, &after)
	case j.spec == nil && j.before.Applied == "" && j.before.Tried == "":
		return p.saveProfile(ctx, j, nil) // the gateway never heard of it
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
			p.Log.Warn("the ACI gateway does not know a profile", "profile", j.key, "error", err)
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

// saveProfile stores what is known of the gateway; nil: it knows nothing of the profile.
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
		p.Log.Warn("note what the ACI gateway knows", "profile", j.key, "error", err)
	}
	return err == nil
}

// States of a profile.
const (
	Pending = "pending" // the gateway is still to be told
	Applied = "applied" // the gateway took it as it is
	Failed  = "failed"  // the gateway refused it or did not answer; it is told again
)

// State says what the gateway knows of a profile, and what it answered last. state is "" when there is no ACI fabric.
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

// Waiting is the number of profiles that the gateway does not know as they are.
func Waiting(v *catalog.View) int { return len(due(v)) }
