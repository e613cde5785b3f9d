package ovstest

import (
	"context"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/ofnet/unixctl"
)

// Control is an open connection to the control socket of ovs-vswitchd, for many questions in a row: each costs a fraction
// of what a process of ovs-appctl does.
type Control struct {
	tb   TB
	conn *unixctl.Conn
}

// Control connects to ovs-vswitchd; the connection ends with the test.
func (o *OVS) Control() *Control {
	o.tb.Helper()
	conn, err := unixctl.Dial(context.Background(), filepath.Join(o.Dir, "vswitchd.ctl"))
	if err != nil {
		o.tb.Fatal(err)
	}
	o.tb.Cleanup(func() { _ = conn.Close() })
	return &Control{o.tb, conn}
}

// Do runs a command, such as ofproto/trace, and returns what it prints. It waits 10 s at most.
func (c *Control) Do(command string, args ...string) string {
	c.tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	out, err := c.conn.Do(ctx, command, args...)
	if err != nil {
		c.tb.Fatalf("%q: %v", args, err)
	}
	return out
}
