// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
)

// GoneLimit is the time after which a silent agent counts as stopped.
const GoneLimit = 10 * time.Second

// Registrar is used by the leader only. Its methods are safe for concurrent use, and may be repeated.
type Registrar struct {
	commit *commit.Committer
	now    func() time.Time
	log    *slog.Logger

	mu     sync.Mutex
	notice map[string]notice // last notice of each host's agent, for GoneLimit
}

// notice is what an agent has reported about itself. It is newer than a list of sessions that was requested before it.
type notice struct {
	instance string
	at       time.Time
	ends     bool // else it begins
}

// NewRegistrar returns a Registrar. now nil is time.Now.
func NewRegistrar(c *commit.Committer, now func() time.Time, log *slog.Logger) *Registrar {
	if now == nil {
		now = time.Now
	}
	return &Registrar{commit: c, now: now, log: log, notice: map[string]notice{}}
}

// Register makes a machine the host of its label, and records that its agent runs. It returns the host as it is stored, and the revision up
// to which that is known. A refusal is an error with the conflicting field. It blocks until the store has it.
func (r *Registrar) Register(ctx context.Context, h record.Host) (record.Host, uint64, error) {
	if field, why := h.Wrong(); field != "" {
		return h, 0, model.Errorf(model.CodeInvalid, field, "%s", why).Try("this path is for netplugin: is it of the same version as this netmaster?")
	}
	fresh := false
	rev, err := r.commit.Join(ctx, func(tx *commit.Tx) error {
		same := tx.HostsLike(&h)
		for _, was := range same {
			if err := mine(tx, &h, was, auth.Of(ctx)); err != nil {
				return err
			}
		}
		if err := elsewhere(tx, &h, auth.Of(ctx), r.now()); err != nil {
			return err
		}
		h.Since, fresh = r.stamp(), true
		if was := tx.Host(h.Label); was != nil && was.Machine == h.Machine {
			h.Since, h.KubernetesNode, fresh = was.Since, was.KubernetesNode, false
		}
		for _, was := range same {
			if was.Label != h.Label {
				tx.Delete(record.Hosts + was.Label)
				stopped(tx, was.Label)
			}
		}
		if was := tx.Host(h.Label); was == nil || !was.Equal(&h) {
			if err := tx.Put(record.Hosts+h.Label, &h); err != nil {
				return err
			}
		}
		r.noticed(&h, false)
		return r.running(tx, h.Label)
	})
	if err == nil && fresh {
		r.log.Info("registered a machine as a host", "host", h.Label, "machine", h.Machine, "vtep", h.VTEP, "control", h.Control)
	}
	return h, uint64(rev), err
}

// Leave records that the agent of a host with an instance id has stopped, unless another agent is that host by now.
func (r *Registrar) Leave(ctx context.Context, host, seat string) (uint64, error) {
	rev, err := r.commit.Join(ctx, func(tx *commit.Tx) error {
		if h := tx.Host(host); h != nil && h.Instance == seat {
			r.noticed(h, true)
			stopped(tx, host)
		}
		return nil
	})
	return uint64(rev), err
}

// noticed remembers that the agent of a host has reported its beginning or its end.
func (r *Registrar) noticed(h *record.Host, ends bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.now()
	maps.DeleteFunc(r.notice, func(_ string, n notice) bool { return now.Sub(n.at) >= GoneLimit })
	r.notice[h.Label] = notice{h.Instance, now, ends}
}

// hasEnded reports whether the agent of a host has reported its end within GoneLimit, and not its beginning since.
func (r *Registrar) hasEnded(h *record.Host) bool { return r.last(h, true) }

// hasBegun reports whether the agent of a host has registered within GoneLimit, and not reported its end since.
func (r *Registrar) hasBegun(h *record.Host) bool { return r.last(h, false) }

// last reports whether the last notice of a host's agent was its end, or its beginning.
func (r *Registrar) last(h *record.Host, ends bool) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n, has := r.notice[h.Label]
	return has && n.instance == h.Instance && n.ends == ends && r.now().Sub(n.at) < GoneLimit
}

// running records that the agent of a host runs.
func (r *Registrar) running(tx *commit.Tx, host string) error {
	if tx.Running(host) {
		return nil
	}
	return tx.Put(record.Runs+host, &record.Running{Host: host, Since: r.stamp()})
}

// stopped records that the agent has stopped.
func stopped(tx *commit.Tx, host string) {
	if tx.Running(host) {
		tx.Delete(record.Runs + host)
	}
}

func (r *Registrar) stamp() string { return r.now().UTC().Format(time.RFC3339) }

// mine returns nil if a machine may have the values of another host record, because it is its own record, possibly under another label that
// no other agent uses. The certificate of another label authenticates that label only; that the machine is the same is a claim, which any
// host could make about any other.
func mine(tx *commit.Tx, h, was *record.Host, who *auth.Subject) error {
	running := tx.Running(was.Label) && was.Instance != h.Instance
	if was.Label == h.Label && running {
		return model.Errorf(model.CodeConflict, "host", "host label %s belongs to %s, whose agent runs; this machine is %s (tunnel address %s%s)", h.Label, was,
			h.Machine, h.VTEP, control(h)).Try("give this one a label of its own with --host; a machine that is gone loses the label within %s", GoneLimit)
	}
	if was.Machine == h.Machine && !running && who.Host(was.Label, "host") == nil {
		return nil
	}
	state := "whose agent does not run"
	if running {
		state = "whose agent runs"
	}
	field, what, flag := "control", fmt.Sprintf("control address %s", h.Control), "--ctrl-ip"
	switch {
	case was.Label == h.Label:
		field, what, flag = "host", "host label "+h.Label, "--host"
	case was.VTEP == h.VTEP:
		field, what, flag = "vtep", fmt.Sprintf("tunnel address %s", h.VTEP), "--vtep-ip"
	}
	return model.Errorf(model.CodeConflict, field, "%s belongs to host %s (machine %s), %s; this one is host %s (machine %s)", what, was.Label, was.Machine, state, h.Label, h.Machine).Try("give this one its own with %s, or, when that machine is gone for good: netctl node forget %s", flag, was.Label)
}

// control returns the control address of a host for a list.
func control(h *record.Host) string {
	if !h.Control.IsValid() {
		return ""
	}
	return fmt.Sprintf(", control address %s", h.Control)
}
