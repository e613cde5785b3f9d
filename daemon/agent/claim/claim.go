package claim

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/contiv/contiv/daemon/cluster"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// Options are what a Claim needs.
type Options struct {
	Store   store.Store
	Host    string // label
	Machine string // identity, as of Machine
	VTEP    string // tunnel address
	Control string // "address:port" of the agent's REST interface; "" when it serves none
	Log     *slog.Logger
}

// Claim is what this agent's machine has or wants. Its methods are safe for concurrent use.
type Claim struct {
	Options

	mu      sync.Mutex
	seat    string
	owned   bool
	refusal string
	held    chan struct{}
}

// New makes a claim that no one has made yet.
func New(o Options) *Claim { return &Claim{Options: o, held: make(chan struct{})} }

// Sit says by which seat the agent works. Without one, Admit refuses.
func (c *Claim) Sit(token string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seat = token
}

// Held is closed when the machine has what it claims for the first time.
func (c *Claim) Held() <-chan struct{} { return c.held }

// Owned tells whether the machine has what it claims, as far as it knows.
func (c *Claim) Owned() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.owned
}

// Refusal says why the machine has not what it claims and what to do; "" while it has, and while it does not know.
func (c *Claim) Refusal() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal
}

// Admit is the cluster.Admission of an agent: it adds to a transaction what claims the label and the addresses, under the
// guard that no one else does, and what frees those that the machine had before. A refusal is a cluster.ErrNotAdmitted.
func (c *Claim) Admit(ctx context.Context, tx *store.Tx, lease store.Lease) error {
	c.mu.Lock()
	seat := c.seat
	c.mu.Unlock()
	if seat == "" {
		return fmt.Errorf("%w: the agent does not work with Open vSwitch yet", cluster.ErrNotAdmitted)
	}
	w := &work{Options: c.Options, ctx: ctx, tx: tx, seat: seat}
	err := w.claim(lease)
	if errors.Is(err, cluster.ErrNotAdmitted) {
		c.tell(err)
	}
	return err
}

// Admitted says that the transaction of Admit was carried out.
func (c *Claim) Admitted() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.refusal != "" {
		c.Log.Info("the host is this machine's now", "host", c.Host, "machine", c.Machine)
	}
	c.owned, c.refusal = true, ""
	select {
	case <-c.held:
	default:
		close(c.held)
	}
}

// tell notes a refusal, and logs it when it is a new one.
func (c *Claim) tell(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	why := strings.TrimPrefix(err.Error(), cluster.ErrNotAdmitted.Error()+": ")
	if why != c.refusal {
		c.refusal = why
		c.Log.Error("this agent is not admitted to the cluster; it tries again", "reason", why)
	}
	c.owned = false
}

// work is one attempt.
type work struct {
	Options
	ctx  context.Context
	tx   *store.Tx
	seat string
}

// claim requires and puts all that the agent claims.
func (w *work) claim(lease store.Lease) error {
	now := record.Claim{Machine: w.Machine, Host: w.Host, VTEP: w.VTEP, Control: w.Control, Since: time.Now().UTC().Format(time.RFC3339)}
	if err := w.live(lease); err != nil {
		return err
	}
	freed := map[string]bool{}
	for _, key := range now.Keys() {
		had, rev, err := read[record.Claim](w, key)
		if err != nil {
			return err
		}
		w.tx.Require(key, rev)
		if had != nil {
			if err := w.mine(key, had); err != nil {
				return err
			}
			if had.Host != w.Host {
				freed[record.HostClaim(had.Host)] = true
			}
			for _, old := range had.Keys() {
				freed[old] = true
			}
			if same := now; had.Host == now.Host && had.VTEP == now.VTEP && had.Control == now.Control {
				same.Since = had.Since
				if *had == same {
					continue
				}
			}
		}
		text, err := json.Marshal(now)
		if err != nil {
			return err
		}
		w.tx.Put(key, text)
	}
	for _, key := range now.Keys() {
		delete(freed, key)
	}
	return w.free(freed)
}

// free deletes claims that the machine had before, as far as it still has them.
func (w *work) free(keys map[string]bool) error {
	for key := range keys {
		had, rev, err := read[record.Claim](w, key)
		if err != nil {
			return err
		}
		if had == nil || w.mine(key, had) != nil {
			continue
		}
		w.tx.Require(key, rev)
		w.tx.Delete(key)
	}
	return nil
}

// live requires that no other agent is the host at work, and puts this one.
func (w *work) live(lease store.Lease) error {
	key := record.LiveClaim(w.Host)
	had, rev, err := read[record.Live](w, key)
	if err != nil {
		return err
	}
	if had != nil && had.Seat != w.seat {
		holder := "another agent"
		if c, _, err := read[record.Claim](w, record.HostClaim(w.Host)); err == nil && c != nil {
			holder = c.String()
		}
		return fmt.Errorf("%w: host label %s belongs to %s, whose agent runs; this machine is %s (tunnel address %s, control address %s): "+
			"give this one a label of its own with --host; a machine that is gone loses the label within %s", cluster.ErrNotAdmitted, w.Host, holder,
			w.Machine, w.VTEP, w.Control, cluster.ServiceTTL)
	}
	text, err := json.Marshal(record.Live{Machine: w.Machine, Seat: w.seat})
	if err != nil {
		return err
	}
	w.tx.Require(key, rev)
	w.tx.PutLeased(key, text, lease)
	return nil
}

// mine is nil when this machine may take a claim: it has it, be it under another label that no other agent works under.
func (w *work) mine(key string, had *record.Claim) error {
	running := ""
	if had.Host != w.Host || had.Machine != w.Machine {
		agent, _, err := read[record.Live](w, record.LiveClaim(had.Host))
		switch {
		case err != nil:
			return err
		case agent != nil && agent.Seat != w.seat:
			running = ", whose agent runs"
		case had.Machine != w.Machine:
			running = ", whose agent does not run"
		}
	}
	if running == "" {
		return nil
	}
	what, flag := "host label "+w.Host, "--host"
	switch key {
	case record.VTEPClaim(w.VTEP):
		what, flag = "tunnel address "+w.VTEP, "--vtep-ip"
	case record.ControlClaim(w.Control):
		what, flag = "control address "+w.Control, "--ctrl-ip"
	}
	return fmt.Errorf("%w: %s belongs to %s%s; this one is host %s (machine %s, tunnel address %s, control address %s): give this one its own "+
		"with %s, or, when that machine is gone for good: netctl node forget %s", cluster.ErrNotAdmitted, what, had, running, w.Host, w.Machine, w.VTEP,
		w.Control, flag, had.Host)
}

// read reads the value at a key; nil and 0 when there is none. One that no one can read counts as no one's.
func read[T any](w *work, key string) (*T, store.Revision, error) {
	item, err := w.Store.Read(w.ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, fmt.Errorf("claim: %w", err)
	}
	v := new(T)
	if err := json.Unmarshal(item.Value, v); err != nil {
		return nil, item.Revision, nil
	}
	return v, item.Revision, nil
}
