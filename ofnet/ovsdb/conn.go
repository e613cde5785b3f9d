// SPDX-License-Identifier: Apache-2.0

package ovsdb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// maxMessage bounds one JSON message: a database with 10,000 ports lists in less than 8 MiB.
const maxMessage = 64 << 20

// message is a JSON-RPC 1.0 request, notification or response (RFC 7047 section 4).
type message struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  json.RawMessage `json:"error"`
	ID     json.RawMessage `json:"id"`
}

// Conn is one connection to ovsdb-server. Messages are decoded by one goroutine in the order in which they arrive.
type Conn struct {
	nc     net.Conn
	notify func(method string, params json.RawMessage) error

	wmu sync.Mutex // guards writes

	mu      sync.Mutex
	next    uint64
	pending map[uint64]chan message
	err     error // set once, with done closed
	done    chan struct{}
}

// newConn serves nc until it ends. It calls notify from the reading goroutine for every notification of the server; an error of notify
// closes the connection.
func newConn(nc net.Conn, notify func(method string, params json.RawMessage) error) *Conn {
	c := &Conn{nc: nc, notify: notify, pending: map[uint64]chan message{}, done: make(chan struct{})}
	go c.read()
	return c
}

// Done is closed when the connection has ended; Err then returns the reason.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended, nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection; calls in flight return ErrLost.
func (c *Conn) Close() { c.fail(net.ErrClosed) }

func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	close(c.done)
	_ = c.nc.Close()
}

// limited refuses to read more than left bytes; the reader refills it for each message.
type limited struct {
	r    io.Reader
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, maxMessage)
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

func (c *Conn) read() {
	in := &limited{r: c.nc}
	dec := json.NewDecoder(in)
	for {
		in.left = maxMessage
		var m message
		if err := dec.Decode(&m); err != nil {
			var syntax *json.SyntaxError
			var kind *json.UnmarshalTypeError
			if errors.As(err, &syntax) || errors.As(err, &kind) {
				err = fmt.Errorf("%w: %w", ErrMalformed, err)
			}
			c.fail(err)
			return
		}
		if err := c.dispatch(m); err != nil {
			c.fail(err)
			return
		}
	}
}

func (c *Conn) dispatch(m message) error {
	switch {
	case m.Method == "echo": // RFC 7047 section 4.1.11: the answer carries the parameters
		if m.Params == nil {
			m.Params = json.RawMessage("[]")
		}
		if m.ID == nil {
			m.ID = json.RawMessage("null")
		}
		return c.write(map[string]any{"id": m.ID, "result": m.Params, "error": nil}, time.Now().Add(5*time.Second))
	case m.Method != "":
		return c.notify(m.Method, m.Params)
	}
	var id uint64
	if json.Unmarshal(m.ID, &id) != nil {
		return nil // an answer without a request of ours
	}
	c.mu.Lock()
	ch := c.pending[id]
	delete(c.pending, id)
	c.mu.Unlock()
	if ch != nil {
		ch <- m // buffered
	}
	return nil
}

func (c *Conn) write(v any, deadline time.Time) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	c.wmu.Lock()
	defer c.wmu.Unlock()
	if err := c.nc.SetWriteDeadline(deadline); err != nil {
		return err
	}
	_, err = c.nc.Write(b)
	return err
}

// Call sends a request and waits for its answer, ctx or the end of the connection (ErrLost). An error answer of the server is an *Error.
func (c *Conn) Call(ctx context.Context, method string, params ...any) (json.RawMessage, error) {
	ch := make(chan message, 1)
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return nil, fmt.Errorf("%w: %w", ErrLost, c.err)
	}
	c.next++
	id := c.next
	c.pending[id] = ch
	c.mu.Unlock()

	deadline, ok := ctx.Deadline()
	if !ok {
		deadline = time.Now().Add(10 * time.Second)
	}
	if params == nil {
		params = []any{}
	}
	if err := c.write(map[string]any{"method": method, "params": params, "id": id}, deadline); err != nil {
		c.fail(err) // a truncated message corrupts the stream
	}
	select {
	case m := <-ch:
		return m.Result, decodeError(m.Error)
	case <-ctx.Done():
		c.mu.Lock()
		delete(c.pending, id)
		c.mu.Unlock()
		return nil, fmt.Errorf("%s: %w", method, ctx.Err())
	case <-c.done:
		return nil, fmt.Errorf("%s: %w: %w", method, ErrLost, c.Err())
	}
}

// decodeError reads the error member of a response: null, an <error> object, or a string from old servers.
func decodeError(raw json.RawMessage) error {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var object struct{ Error, Details string }
	if json.Unmarshal(raw, &object) == nil && object.Error != "" {
		return &Error{Name: object.Error, Details: object.Details, Op: -1}
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &Error{Name: text, Op: -1}
	}
	return &Error{Name: fmt.Sprintf("%.200s", raw), Op: -1}
}
