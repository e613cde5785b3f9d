// SPDX-License-Identifier: Apache-2.0

package registration

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
)

// Times of a Registration.
const (
	retryPause   = 300 * time.Millisecond // after a request without an answer
	refusePause  = time.Second            // after a refusal
	olderPause   = 30 * time.Second       // after a leader of an earlier build has granted it without storing all of it
	leaveTimeout = 2 * time.Second        // for the report that the agent ends
)

// Master admits hosts.
type Master interface {
	Register(ctx context.Context, h record.Host) (record.Host, error)
	Leave(ctx context.Context, q model.LeaveRequest) error
}

// Options configure a Registration.
type Options struct {
	Master Master
	Host   record.Host // as it should be admitted, except for its instance
	Log    *slog.Logger
}

// Registration registers this agent's machine as a host. Its methods are safe for concurrent use.
type Registration struct {
	Options
	seated chan struct{} // closed when the instance id is set
	again  chan struct{}

	mu       sync.Mutex // guards the following fields, and the addresses and interfaces in Host
	instance string     // hash of the lock's token
	owned    bool
	refusal  string
	silence  string // why no netmaster has answered; "" if one has
	held     chan struct{}
}

// New returns a Registration that has sent no request yet.
func New(o Options) *Registration {
	return &Registration{Options: o, seated: make(chan struct{}), again: make(chan struct{}, 1), held: make(chan struct{})}
}

// Was reports whether this machine, with the lock's token and its current addresses, was the host when the host received the saved records.
func (c *Registration) Was(token string, told channel.Batch) bool {
	seat := record.Sum([]byte(token))
	for i := range told.Updates {
		for _, item := range told.Updates[i].Items {
			if item.Key == record.Hosts+c.Host.Label {
				var h record.Host
				return json.Unmarshal(item.Value, &h) == nil && h.Machine == c.Host.Machine && h.Instance == seat && h.VTEP == c.Host.VTEP && h.Control == c.Host.Control
			}
		}
	}
	return false
}

// Sit sets the agent's instance by the token of its lock. An agent that was the host may work as the host, though not confirmed, until a
// netmaster refuses it. Sit must be called once; before that, Run sends nothing.
func (c *Registration) Sit(token string, was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.instance = record.Sum([]byte(token))
	close(c.seated)
	if was {
		close(c.held)
	}
}

// Instance returns the hash of the lock's token, "" before Sit.
func (c *Registration) Instance() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.instance
}

// Again repeats the registration, because the netmasters' state may have changed. It does not block.
func (c *Registration) Again() {
	select {
	case c.again <- struct{}{}:
	default:
	}
}

// Report sets the machine's current addresses and interfaces, and registers again if they differ from the previous ones. It does not block.
// It drops more than netmasters accept, narrow subnets first. The caller must not change the lists afterwards.
func (c *Registration) Report(own []netip.Prefix, interfaces []string) {
	// not a valid name for a network
	interfaces = slices.DeleteFunc(slices.Clone(interfaces), func(name string) bool { return !record.InterfaceName(name) })
	own, interfaces = own[:min(len(own), record.MaxOwn)], interfaces[:min(len(interfaces), record.MaxInterfaces)]
	c.mu.Lock()
	changed := !slices.Equal(own, c.Host.Own) || !slices.Equal(interfaces, c.Host.Interfaces)
	c.Host.Own, c.Host.Interfaces = own, interfaces
	c.mu.Unlock()
	if changed {
		c.Again()
	}
}

// Held is closed when the registration is first granted, or remembered as granted.
func (c *Registration) Held() <-chan struct{} { return c.held }

// State is the netmasters' answer to a registration.
type State int

// States. A granted registration stays granted while no netmaster answers.
const (
	Unknown State = iota // no netmaster has answered yet
	Granted
	Refused
)

// State returns the last known answer.
func (c *Registration) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.owned:
		return Granted
	case c.refusal != "":
		return Refused
	}
	return Unknown
}

// Refusal returns why the registration is refused and the remedy; "" if it is granted or unknown.
func (c *Registration) Refusal() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal
}

// Silence returns why no netmaster has answered the last request; "" if one has.
func (c *Registration) Silence() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.silence
}

// Run registers until it is granted, and again on request, until ctx ends; then it reports that the agent ends, and returns nil.
func (c *Registration) Run(ctx context.Context) error {
	select {
	case <-c.seated:
	case <-ctx.Done():
		return nil
	}
	c.Again()
	for ctx.Err() == nil {
		select {
		case <-c.again:
		case <-ctx.Done():
			continue
		}
		if pause := c.try(ctx); pause > 0 {
			select {
			case <-time.After(pause):
				c.Again()
			case <-ctx.Done():
			}
		}
	}
	c.leave(context.WithoutCancel(ctx))
	return nil
}

// try registers once, and returns the time until the next attempt; 0: granted and stored. A leader of an earlier build does not store
// addresses and interfaces. The next leader may store them, and the agent does not learn when it leads.
func (c *Registration) try(ctx context.Context) (pause time.Duration) {
	c.mu.Lock()
	want := c.Host
	want.Instance = c.instance
	c.mu.Unlock()
	stored, err := c.Master.Register(ctx, want)
	if ctx.Err() != nil {
		return 0
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.granted()
		if !slices.Equal(stored.Own, want.Own) || !slices.Equal(stored.Interfaces, want.Interfaces) {
			return olderPause
		}
		return 0
	case client.IsCode(err, model.CodeConflict), client.IsCode(err, model.CodeInvalid):
		c.silence = ""
		if why := err.Error(); why != c.refusal {
			c.refusal = why
			c.Log.Error("agent not admitted to the cluster; retrying", "reason", why)
		}
		c.owned = false
		return refusePause
	}
	if c.silence = err.Error(); errors.Is(err, context.DeadlineExceeded) {
		c.silence = "no netmaster answers"
	}
	c.Log.Debug("this host is not registered yet", "retry", retryPause, "error", err)
	return retryPause
}

// granted records that the machine is the host. The caller holds c.mu.
func (c *Registration) granted() {
	if c.refusal != "" {
		c.Log.Info("this machine is registered as the host", "host", c.Host.Label, "machine", c.Host.Machine)
	}
	c.owned, c.refusal, c.silence = true, "", ""
	select {
	case <-c.held:
	default:
		close(c.held)
	}
}

// leave reports that the agent no longer runs.
func (c *Registration) leave(ctx context.Context) {
	if c.State() != Granted {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveTimeout)
	defer cancel()
	if err := c.Master.Leave(ctx, model.LeaveRequest{Host: c.Host.Label, Instance: c.Instance()}); err != nil {
		c.Log.Debug("netmasters find out by themselves that this agent has ended", "error", err)
	}
}
