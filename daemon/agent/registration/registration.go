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

// Times of a Claim.
const (
	retryPause  = 300 * time.Millisecond // after a request that was not answered
	refusePause = time.Second            // after one that was refused
	olderPause  = 30 * time.Second       // after one that was granted by a leader that does not store all of it
	leaveLimit  = 2 * time.Second        // for saying that the agent ends
)

// Master admits hosts.
type Master interface {
	Register(ctx context.Context, h record.Host) (record.Host, error)
	Leave(ctx context.Context, q model.LeaveRequest) error
}

// Options are what a Claim needs.
type Options struct {
	Master Master
	Host   record.Host // as it is to be admitted, but for its seat
	Log    *slog.Logger
}

// Registration is what this agent's machine has or wants. Its methods are safe for concurrent use.
type Registration struct {
	Options
	seated chan struct{} // closed with the seat
	again  chan struct{}

	mu       sync.Mutex // of what follows, and of what Host says of addresses and interfaces
	instance string     // hash of its token
	owned    bool
	refusal  string
	silence  string // why no netmaster has answered; "" when one has
	held     chan struct{}
}

// New makes a claim that no one has made yet.
func New(o Options) *Registration {
	return &Registration{Options: o, seated: make(chan struct{}), again: make(chan struct{}, 1), held: make(chan struct{})}
}

// Was reports whether this machine was the host, with the seat of a token and the addresses that it has, when this host was told something.
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

// Sit says by which seat the agent works. One that was the host may work as the host until a netmaster says otherwise, though it is not known to own
// it. It is called once; Run does nothing before.
func (c *Registration) Sit(token string, was bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.instance = record.Sum([]byte(token))
	close(c.seated)
	if was {
		close(c.held)
	}
}

// Instance is the hash of the token of the seat, "" as long as there is none.
func (c *Registration) Instance() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.instance
}

// Again has the claim made again: what netmasters know of it may have changed. It does not block.
func (c *Registration) Again() {
	select {
	case c.again <- struct{}{}:
	default:
	}
}

// Report says which addresses and interfaces the machine has from now on, and claims again when these are others than before. It does not block.
// More than netmasters take are left out, narrow subnets first; the caller does not change the lists any more.
func (c *Registration) Report(own []netip.Prefix, interfaces []string) {
	interfaces = slices.DeleteFunc(slices.Clone(interfaces), func(name string) bool { return !record.InterfaceName(name) }) // no network is called so
	own, interfaces = own[:min(len(own), record.MaxOwn)], interfaces[:min(len(interfaces), record.MaxInterfaces)]
	c.mu.Lock()
	changed := !slices.Equal(own, c.Host.Own) || !slices.Equal(interfaces, c.Host.Interfaces)
	c.Host.Own, c.Host.Interfaces = own, interfaces
	c.mu.Unlock()
	if changed {
		c.Again()
	}
}

// Held is closed when the machine has what it claims for the first time, or is remembered to.
func (c *Registration) Held() <-chan struct{} { return c.held }

// State is what netmasters have said of a claim.
type State int

// Standings. A claim that was granted stays so while no netmaster answers.
const (
	Unknown State = iota // none has answered yet
	Granted
	Refused
)

// State reports whether the machine has what it claims, as far as it knows.
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

// Refusal says why the machine has not what it claims and what to do; "" while it has, and while it does not know.
func (c *Registration) Refusal() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.refusal
}

// Silence says why no netmaster has answered the last request; "" when one has.
func (c *Registration) Silence() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.silence
}

// Run makes the claim, again whenever it is asked to, and until it is granted, until ctx ends; then it gives up that the agent runs, and returns nil.
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

// try makes the claim once, and says how long to wait until it is repeated; 0: it is granted and stored. A leader of an earlier build does not know of
// addresses and interfaces, and leaves them out; the next one may know of them, and is not heard to lead.
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
			c.Log.Error("this agent is not admitted to the cluster; it tries again", "reason", why)
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

// granted notes that the machine is the host. c.mu is held.
func (c *Registration) granted() {
	if c.refusal != "" {
		c.Log.Info("the host is this machine's now", "host", c.Host.Label, "machine", c.Host.Machine)
	}
	c.owned, c.refusal, c.silence = true, "", ""
	select {
	case <-c.held:
	default:
		close(c.held)
	}
}

// leave says that the agent does not run any more.
func (c *Registration) leave(ctx context.Context) {
	if c.State() != Granted {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, leaveLimit)
	defer cancel()
	if err := c.Master.Leave(ctx, model.LeaveRequest{Host: c.Host.Label, Instance: c.Instance()}); err != nil {
		c.Log.Debug("netmasters find out by themselves that this agent has ended", "error", err)
	}
}
