// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

const (
	database     = "Open_vSwitch"
	callTimeout  = 10 * time.Second        // of a call without a deadline
	echoInterval = 2 * time.Second         // between probes of the connection
	silence      = 3 * time.Second         // without an answer to a probe until the server counts as silent
	echoTimeout  = 10 * time.Second        // without an answer until the connection is ended
	retryMin     = 50 * time.Millisecond   // wait after the first failed dial
	retryMax     = 1000 * time.Millisecond // maximum wait
)

// Client keeps Tables in sync with an ovsdb-server behind a unix socket. If the connection ends, it dials again and lists everything again.
// All methods are safe for concurrent use.
type Client struct {
	path string
	log  *slog.Logger

	mu       sync.RWMutex
	conn     *Conn     // nil if there is none or its first list is in progress
	received time.Time // time of the server's last answer, if it does not answer now; zero if it does, and before Run
	tables   *Tables   // of the last connection; kept after its end
	changed  chan struct{}
	ready    chan struct{} // closed after the first list
	lists    int
}

// NewClient returns a client of the ovsdb-server that listens at the unix socket path. Run makes it live.
func NewClient(path string, log *slog.Logger) *Client {
	return &Client{path: path, log: log, tables: newTables(), changed: make(chan struct{}), ready: make(chan struct{})}
}

// String names the client for logs.
func (c *Client) String() string { return "ovsdb " + c.path }

// Ready is closed once the tables have been listed for the first time.
func (c *Client) Ready() <-chan struct{} { return c.ready }

// Connected reports whether the tables are in step now, as far as is known: the server answers.
func (c *Client) Connected() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.conn != nil && c.received.IsZero()
}

// Unanswered returns how long the server has not answered: 0 while it does, and before Run. It does not block.
func (c *Client) Unanswered() time.Duration {
	c.mu.RLock()
	defer c.mu.RUnlock()
	if c.received.IsZero() {
		return 0
	}
	return time.Since(c.received)
}

// setReceived records the time of the server's last answer; zero: it answers now.
func (c *Client) setReceived(at time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at.IsZero() == c.received.IsZero() {
		return // already recorded: the first time counts
	}
	c.received = at
	c.wake()
}

// Lists returns how often everything was listed: 1 after the start, one more for each reconnect.
func (c *Client) Lists() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.lists
}

// Run keeps the connection until ctx ends, then returns nil. An outage is logged once at its start and once at its end.
func (c *Client) Run(ctx context.Context) error {
	c.setReceived(time.Now())
	pause, down := retryMin, false
	for {
		served, err := c.serve(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if served {
			pause, down = retryMin, false
		}
		if !down {
			c.log.Warn("lost OVSDB; retrying", "socket", c.path, "error", err)
			down = true
		}
		t := time.NewTimer(pause/2 + rand.N(pause/2))
		select {
		case <-ctx.Done():
			t.Stop()
			return nil
		case <-t.C:
		}
		pause = min(2*pause, retryMax)
	}
}

// serve runs one connection from dial to its end; served reports whether the tables were listed.
func (c *Client) serve(ctx context.Context) (served bool, err error) {
	dialer := net.Dialer{Timeout: 2 * time.Second}
	nc, err := dialer.DialContext(ctx, "unix", c.path)
	if err != nil {
		return false, err
	}
	// Updates may arrive before the answer with the list has been applied: they wait in order until then.
	fresh, listed := newTables(), make(chan struct{})
	conn := newConn(nc, func(method string, params json.RawMessage) error {
		select {
		case <-listed:
		case <-ctx.Done():
			return ctx.Err()
		}
		return c.update(fresh, method, params)
	})
	defer conn.Close()
	defer c.drop(conn)
	limit, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	all, err := conn.Call(limit, "monitor", database, "contiv", fresh.monitorRequest())
	if err == nil {
		err = fresh.apply(all)
	}
	if err != nil {
		conn.Close()
		close(listed)
		return false, fmt.Errorf("list %s: %w", c.path, err)
	}
	c.mu.Lock()
	c.tables, c.conn, c.received = fresh, conn, time.Time{}
	c.lists++
	if c.lists == 1 {
		close(c.ready)
	}
	c.wake()
	c.mu.Unlock()
	close(listed)
	c.log.Info("connected to OVSDB", "socket", c.path)
	return true, c.probe(ctx, conn)
}

// probe waits for the end of the connection and ends a dead one.
func (c *Client) probe(ctx context.Context, conn *Conn) error {
	tick := time.NewTicker(echoInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-conn.Done():
			return conn.Err()
		case <-tick.C:
			if err := c.ask(ctx, conn); err != nil {
				return err
			}
		}
	}
}

// ask sends an echo request. It blocks until the answer, which may be late.
func (c *Client) ask(ctx context.Context, conn *Conn) error {
	asked := time.Now()
	late := time.AfterFunc(silence, func() { c.setReceived(asked) })
	limit, cancel := context.WithTimeout(ctx, echoTimeout)
	defer cancel()
	_, err := conn.Call(limit, "echo", "contiv")
	if late.Stop(); err == nil {
		c.setReceived(time.Time{})
	}
	return err
}

func (c *Client) drop(conn *Conn) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != conn {
		return
	}
	c.conn = nil
	if c.received.IsZero() {
		c.received = time.Now()
	}
	c.wake()
}

// update applies one notification of the server, unless tables have been replaced by those of a newer connection.
func (c *Client) update(tables *Tables, method string, params json.RawMessage) error {
	if method != "update" {
		return nil
	}
	updates, err := decodeUpdate(params)
	if err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tables != tables {
		return nil
	}
	defer c.wake()
	return tables.apply(updates)
}

// decodeUpdate reads the parameters of an update notification: monitor id and table updates (RFC 7047 4.1.6).
func decodeUpdate(params json.RawMessage) (json.RawMessage, error) {
	var pair []json.RawMessage
	if err := json.Unmarshal(params, &pair); err != nil || len(pair) != 2 {
		return nil, fmt.Errorf("%w: update with parameters %.80s", ErrMalformed, params)
	}
	return pair[1], nil
}

// wake wakes all waiters for a change; the caller holds c.mu.
func (c *Client) wake() {
	close(c.changed)
	c.changed = make(chan struct{})
}

// View calls look with the current tables; look must be quick and must not keep t.
func (c *Client) View(look func(t *Tables)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	look(c.tables)
}

// Changed returns a channel that is closed at the next change of the tables or of the connection.
func (c *Client) Changed() <-chan struct{} {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.changed
}

// Await calls look now and after every change until it returns true or an error, or ctx ends.
func (c *Client) Await(ctx context.Context, look func(t *Tables) (bool, error)) error {
	for {
		c.mu.RLock()
		done, err := look(c.tables)
		changed := c.changed
		c.mu.RUnlock()
		if done || err != nil {
			return err
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Transact carries out all operations or none and returns a result for each. It waits for a connection; a ctx without deadline is limited
// to ten seconds. When it returns, the tables show the changes. An *Error is the server's refusal; after ErrLost or a context error the
// outcome is unknown.
func (c *Client) Transact(ctx context.Context, ops ...Op) ([]Result, error) {
	if _, ok := ctx.Deadline(); !ok {
		limited, cancel := context.WithTimeout(ctx, callTimeout)
		defer cancel()
		ctx = limited
	}
	conn, err := c.connected(ctx)
	if err != nil {
		return nil, err
	}
	params := make([]any, 0, len(ops)+1)
	params = append(params, database)
	for _, op := range ops {
		params = append(params, op)
	}
	raw, err := conn.Call(ctx, "transact", params...)
	if err != nil {
		return nil, err
	}
	return decodeResults(raw, len(ops))
}

func (c *Client) connected(ctx context.Context) (*Conn, error) {
	for {
		c.mu.RLock()
		conn, changed := c.conn, c.changed
		c.mu.RUnlock()
		if conn != nil {
			return conn, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, fmt.Errorf("no connection to ovsdb-server at %s (is Open vSwitch running?): %w", c.path, ctx.Err())
		}
	}
}
