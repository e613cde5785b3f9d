// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// maxAnswer bounds the answers of one connection, in bytes.
const maxAnswer = 64 << 20

// Socket returns the path of ovs-vswitchd's control socket: its name contains the number in ovs-vswitchd.pid of the run directory.
func Socket(rundir string) (string, error) {
	n, err := pid(rundir)
	if err != nil {
		return "", err
	}
	return filepath.Join(rundir, "ovs-vswitchd."+strconv.Itoa(n)+".ctl"), nil
}

// Control is an open connection. One command runs at a time: a Conn is not for several goroutines.
type Control struct {
	conn net.Conn
	in   *json.Decoder
	id   int
}

// Dial connects to a control socket. It blocks until it is connected, or ctx ends.
func Dial(ctx context.Context, path string) (*Control, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("connect to ovs-vswitchd: %w", err)
	}
	return &Control{conn: conn, in: json.NewDecoder(io.LimitReader(conn, maxAnswer))}, nil
}

// Close ends the connection.
func (c *Control) Close() error { return c.conn.Close() }

// Do runs a command, such as ofproto/trace, and returns its output. It blocks until the answer, or ctx ends; after an error other than
// *Refusal the connection is unusable.
func (c *Control) Do(ctx context.Context, command string, args ...string) (string, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	if args == nil {
		args = []string{}
	}
	c.id++
	request, err := json.Marshal(map[string]any{"id": c.id, "method": command, "params": args})
	if err != nil {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	if _, err := c.conn.Write(request); err != nil {
		return "", fmt.Errorf("%s: %w", command, err)
	}
	var answer struct {
		ID            int     `json:"id"`
		Result, Error *string `json:",omitempty"`
	}
	if err := c.in.Decode(&answer); err != nil {
		return "", fmt.Errorf("%s: read the answer of ovs-vswitchd: %w", command, err)
	}
	switch {
	case answer.ID != c.id:
		return "", fmt.Errorf("%s: ovs-vswitchd answers request %d, want %d", command, answer.ID, c.id)
	case answer.Error != nil:
		return "", &Refusal{command, strings.TrimSpace(*answer.Error)}
	case answer.Result == nil:
		return "", fmt.Errorf("%s: the answer of ovs-vswitchd has neither result nor error", command)
	}
	return *answer.Result, nil
}

// Refusal is returned by Do if ovs-vswitchd understood the command and refused it.
type Refusal struct{ Command, Reason string }

// Error is the command and the reason.
func (r *Refusal) Error() string {
	return fmt.Sprintf("ovs-vswitchd refuses %s: %s", r.Command, r.Reason)
}
