package ovstest

import (
	"encoding/json"
	"net"
	"path/filepath"
	"time"
)

// Control is an open connection to the control socket of ovs-vswitchd, for many questions in a row: each costs a fraction
// of what a process of ovs-appctl does. It speaks JSON-RPC 1.0 (ovs-vswitchd(8), "Runtime Management Commands").
type Control struct {
	tb   TB
	conn net.Conn
	in   *json.Decoder
	out  *json.Encoder
}

// Control connects to ovs-vswitchd; the connection ends with the test.
func (o *OVS) Control() *Control {
	o.tb.Helper()
	conn, err := net.Dial("unix", filepath.Join(o.Dir, "vswitchd.ctl"))
	if err != nil {
		o.tb.Fatal(err)
	}
	o.tb.Cleanup(func() { _ = conn.Close() })
	return &Control{o.tb, conn, json.NewDecoder(conn), json.NewEncoder(conn)}
}

// Do runs a command, such as ofproto/trace, and returns what it prints. It waits 10 s at most.
func (c *Control) Do(command string, args ...string) string {
	c.tb.Helper()
	if args == nil {
		args = []string{}
	}
	if err := c.conn.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
		c.tb.Fatal(err)
	}
	if err := c.out.Encode(map[string]any{"id": 0, "method": command, "params": args}); err != nil {
		c.tb.Fatal(err)
	}
	var answer struct {
		Result, Error *string
	}
	if err := c.in.Decode(&answer); err != nil {
		c.tb.Fatal(err)
	}
	if answer.Error != nil || answer.Result == nil {
		c.tb.Fatalf("%s %q: %v", command, args, *answer.Error)
	}
	return *answer.Result
}
