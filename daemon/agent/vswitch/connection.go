// SPDX-License-Identifier: Apache-2.0

// Package vswitch manages this host's Open vSwitch for an agent: one agent works with it at a time, the agent prepares a bridge and its
// fixed ports, and requests end if Open vSwitch does not answer.
package vswitch

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/daemon/agent/hostcheck"
	"github.com/contiv/contiv/daemon/agent/tracker"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// Bridge is the name of the integration bridge of a host.
const Bridge = "contiv0"

// Socket returns the path of the bridge's OpenFlow socket.
func Socket(rundir string) string { return filepath.Join(rundir, Bridge+".mgmt") }

// File returns the path of a file of the agent beside the sockets: it lives as long as the machine is up.
func File(rundir, extension string) string { return filepath.Join(rundir, Bridge+extension) }

// LedgerFile returns the ledger in which an agent records kernel settings before it changes them, so that an uninstall can restore them.
func LedgerFile(rundir string) link.Ledger { return link.Ledger(File(rundir, ".settings")) }

// LimitsFile returns the ledger in which an agent records the limits of the connection tracker before it sets them.
func LimitsFile(rundir string) tracker.Ledger { return tracker.Ledger(File(rundir, ".limits")) }

// Forwarder is the part of *bridge.Reconciler that a Connection needs.
type Forwarder interface {
	Connected() bool
	Whole() bool
	Unanswered() time.Duration
	Counters() bridge.Counters
}

// Connection is the agent's connection with Open vSwitch. It is safe for concurrent use.
type Connection struct {
	RunDir  string
	DB      *ovsdb.Client
	Switch  *ovsdb.Switch
	forward Forwarder
	links   *link.Host
	log     *slog.Logger
}

// NewConnection returns a Connection. DB is a task that connects it.
func NewConnection(rundir string, forward Forwarder, links *link.Host, log *slog.Logger) *Connection {
	db := ovsdb.NewClient(filepath.Join(rundir, "db.sock"), log)
	return &Connection{RunDir: rundir, DB: db, Switch: ovsdb.NewSwitch(db, Bridge), forward: forward, links: links, log: log}
}

// Socket returns the path of the bridge's OpenFlow socket.
func (c *Connection) Socket() string { return Socket(c.RunDir) }

// Connections counts the connections to the switch: a new one may mean that it was restarted.
func (c *Connection) Connections() uint64 { return c.forward.Counters().Connections }

// Control runs a command of ovs-vswitchd. It blocks until that has answered, or ctx ends.
func (c *Connection) Control(ctx context.Context, command string, args ...string) (string, error) {
	path, err := vswitchd.Socket(c.RunDir)
	if err != nil {
		return "", err
	}
	conn, err := vswitchd.Dial(ctx, path)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	return conn.Do(ctx, command, args...)
}

// IsBridge reports whether an interface is a bridge of Open vSwitch.
func (c *Connection) IsBridge(name string) (is bool) {
	c.DB.View(func(t *ovsdb.Tables) { _, _, is = t.Bridge(name) })
	return is
}

// Members lists the ports of a bridge.
func (c *Connection) Members(ctx context.Context, bridge string) ([]string, error) {
	return hostcheck.Ports(ctx, filepath.Join(c.RunDir, bridge+".mgmt"))
}

// Userspace reports whether the bridge has the userspace datapath.
func (c *Connection) Userspace() bool { return c.Switch.DatapathType() == "netdev" }

// restoring reports whether Open vSwitch waits for flows to be restored.
func (c *Connection) restoring() (waits bool) {
	c.DB.View(func(t *ovsdb.Tables) { waits = t.Waits() })
	return waits
}

// silenceTimeout is how long an attachment waits for an Open vSwitch that does not answer. A restart of Open vSwitch takes less; a container
// runtime retries within seconds.
const silenceTimeout = 3 * time.Second

// silenceInterval is how often an attachment checks whether Open vSwitch answers.
const silenceInterval = 100 * time.Millisecond

// Silence returns an error that names the part of Open vSwitch that has not answered for silenceTimeout, nil if all answer.
func (c *Connection) Silence() error {
	if quiet := c.forward.Unanswered(); quiet >= silenceTimeout {
		return fmt.Errorf("ovs-vswitchd at %s has not answered for %v: it is stopped, dead or overloaded; try again once it answers", c.Socket(), quiet.Round(time.Second))
	}
	if quiet := c.DB.Unanswered(); quiet >= silenceTimeout {
		return fmt.Errorf("ovsdb-server at %s has not answered for %v: it is stopped, dead or overloaded; try again once it answers", c.RunDir, quiet.Round(time.Second))
	}
	return nil
}

// WhileAnswering returns a context that ends if Open vSwitch does not answer, with the reason as its cause. The second result releases it.
func (c *Connection) WhileAnswering(ctx context.Context) (context.Context, func()) {
	ctx, end := context.WithCancelCause(ctx)
	if err := c.Silence(); err != nil {
		end(err)
		return ctx, func() {}
	}
	go func() {
		tick := time.NewTicker(silenceInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			if err := c.Silence(); err != nil {
				end(err)
				return
			}
		}
	}()
	return ctx, func() { end(nil) }
}

// Waiting names the parts of Open vSwitch for which the agent waits, empty if it serves.
func (c *Connection) Waiting() (out []string) {
	if !c.DB.Connected() {
		out = append(out, "ovsdb-server at "+c.RunDir+silent(c.DB.Unanswered()))
	}
	if !c.forward.Connected() {
		out = append(out, "ovs-vswitchd at "+c.Socket()+silent(c.forward.Unanswered()))
	} else if !c.forward.Whole() {
		out = append(out, "flows of bridge "+Bridge+" that others have removed, until they are restored")
	}
	if _, differs := c.Switch.BridgeDrift(); differs {
		out = append(out, "bridge "+Bridge+", which others have changed or removed, until it is restored")
	}
	return out
}

// silent returns a remark about a part that does not answer, "" until that has lasted.
func silent(quiet time.Duration) string {
	if quiet < silenceTimeout {
		return ""
	}
	return " (it does not answer)"
}
