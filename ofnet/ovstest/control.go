// SPDX-License-Identifier: Apache-2.0

package ovstest

import (
	"context"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/ofnet/vswitchd"
)

// Control is an open connection to the control socket of ovs-vswitchd, for many requests in a row: each costs a fraction of an ovs-appctl
// process.
type Control struct {
	tb   TB
	conn *vswitchd.Control
}

// Control connects to ovs-vswitchd; the connection ends with the test.
func (o *OVS) Control() *Control {
	o.tb.Helper()
	conn, err := vswitchd.Dial(context.Background(), filepath.Join(o.Dir, "vswitchd.ctl"))
	if err != nil {
		o.tb.Fatal(err)
	}
	o.tb.Cleanup(func() { _ = conn.Close() })
	return &Control{o.tb, conn}
}

// Do runs a command, such as ofproto/trace, and returns its output. It waits at most 10 s.
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
