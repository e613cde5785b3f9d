// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

// Options are the settings of a Conn; the zero value of each means its default.
type Options struct {
	Echo    time.Duration // interval of echo requests while the switch sends nothing else; 1 s
	Silence time.Duration // without a byte after a request until Silent reports it; 3 s
	Timeout time.Duration // the same, until the connection is ended; 15 s
	// PacketIn is called in order, by the reader, for each packet from the switch. It must not block. nil: the switch sends none.
	PacketIn func(*PacketIn)
	// Updates is called in order, by the reader, for changes of flows after Monitor; with nil if the switch has left some out. It must not
	// block. nil: they are ignored.
	Updates func([]FlowUpdate)
}

func (o *Options) setDefaults() {
	for _, d := range []struct {
		at    *time.Duration
		value time.Duration
	}{{&o.Echo, time.Second}, {&o.Silence, 3 * time.Second}, {&o.Timeout, 15 * time.Second}} {
		if *d.at <= 0 {
			*d.at = d.value
		}
	}
}

// ErrClosed is returned by calls whose connection was closed by Close.
var ErrClosed = errors.New("connection closed")

// Conn is a connection to a switch. Its methods may be called by several goroutines at once.
type Conn struct {
	net     net.Conn
	options Options
	pulse   pulse

	write sync.Mutex // guards w and buf
	w     *bufio.Writer
	buf   []byte

	mu    sync.Mutex // guards the fields below
	xid   uint32
	calls []*call
	err   error
	done  chan struct{}
}

// Dial connects to the switch that listens at the unix socket path, and shakes hands. It blocks until the switch has sent its features; ctx
// limits only that. The connection lives until Close, or until it fails.
func Dial(ctx context.Context, path string, o Options) (*Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("connect to switch: %w", err)
	}
	return NewConn(ctx, c, o)
}

// NewConn is Dial over an existing connection, which it owns from now on.
func NewConn(ctx context.Context, nc net.Conn, o Options) (*Conn, error) {
	o.setDefaults()
	c := &Conn{net: nc, options: o, done: make(chan struct{})}
	c.w = bufio.NewWriterSize(c.pulse.writer(nc), 128<<10)
	go c.read()
	go c.keepAlive()
	if err := c.Send(&Hello{Versions: 1 << Version}); err != nil {
		c.fail(err)
		return nil, err
	}
	if _, err := c.Request(ctx, Simple(TypeFeaturesRequest)); err != nil {
		c.fail(err)
		return nil, fmt.Errorf("shake hands with switch: %w", err)
	}
	if o.PacketIn != nil {
		if err := c.Send(&Config{Set: true, MissSendLen: maxMessage}); err != nil {
			c.fail(err)
			return nil, err
		}
	}
	return c, nil
}

// Done is closed when the connection has ended; Err then returns the reason.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection has ended; nil while it lives.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection; waiting calls return ErrClosed.
func (c *Conn) Close() error {
	c.fail(ErrClosed)
	return nil
}

// fail ends the connection once; it keeps the first reason.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return
	}
	c.err = err
	c.calls = nil
	close(c.done)
	_ = c.net.Close() // the reason is err
}

// Send writes a message without an answer.
func (c *Conn) Send(m Message) error {
	c.mu.Lock()
	c.xid++
	xid := c.xid
	c.mu.Unlock()
	return c.put(xid, m)
}

// put writes a message and flushes.
func (c *Conn) put(xid uint32, m Message) error {
	c.write.Lock()
	defer c.write.Unlock()
	if err := c.putLocked(xid, m); err != nil {
		return err
	}
	return c.flushLocked()
}

func (c *Conn) putLocked(xid uint32, m Message) error {
	buf, err := Append(c.buf[:0], xid, m)
	if err != nil {
		return err
	}
	c.buf = buf
	if _, err := c.w.Write(buf); err != nil {
		return c.broken(err)
	}
	return c.echoDueLocked()
}

func (c *Conn) flushLocked() error {
	if err := c.w.Flush(); err != nil {
		return c.broken(err)
	}
	return nil
}

// broken ends the connection after a failed write and returns the reason for its end.
func (c *Conn) broken(err error) error {
	c.fail(fmt.Errorf("write to switch: %w", err))
	return c.Err()
}

// begin reserves n xids and registers the receiver of their answers.
func (c *Conn) begin(n int, reply func(int, Message) bool) (*call, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		return nil, c.err
	}
	if c.xid > 1<<32-1-uint32(n)-1 {
		c.xid = 0
	}
	k := &call{first: c.xid + 1, last: c.xid + uint32(n), append: reply, done: make(chan struct{})}
	c.xid = k.last
	c.calls = append(c.calls, k)
	return k, nil
}

// wait blocks until the call has its last answer. When it returns, no answer is being handled, and none will be.
func (c *Conn) wait(ctx context.Context, k *call) error {
	defer k.leave()
	select {
	case <-k.done:
		return nil
	case <-c.done:
		return c.Err()
	case <-ctx.Done():
		c.end(k)
		return ctx.Err()
	}
}

// forget ends a call whose request was not sent.
func (c *Conn) forget(k *call) {
	c.end(k)
	k.leave()
}

// end removes a call from the list and reports whether it was there.
func (c *Conn) end(k *call) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for n := range c.calls {
		if c.calls[n] == k {
			c.calls = append(c.calls[:n:n], c.calls[n+1:]...)
			return true
		}
	}
	return false
}

// Request sends m and blocks for its single answer. If the switch refuses, the error is an *Error.
func (c *Conn) Request(ctx context.Context, m Message) (Message, error) {
	var answer Message
	k, err := c.begin(1, func(_ int, m Message) bool {
		answer = m
		return true
	})
	if err != nil {
		return nil, err
	}
	if err := c.put(k.first, m); err != nil {
		c.forget(k)
		return nil, err
	}
	if err := c.wait(ctx, k); err != nil {
		return nil, err
	}
	if refusal, ok := answer.(*Error); ok {
		return nil, refusal
	}
	return answer, nil
}

// List sends a request and calls each with every part of the answer, in order, in the reader goroutine; it must not block. It returns after
// the last part.
func (c *Conn) List(ctx context.Context, m *MultipartRequest, each func(*MultipartReply)) error {
	var failed error
	k, err := c.begin(1, func(_ int, m Message) bool {
		switch m := m.(type) {
		case *Error:
			failed = m
		case *MultipartReply:
			each(m)
			return !m.More
		default:
			failed = fmt.Errorf("switch answers a listing with type %d", m.Type())
		}
		return true
	})
	if err != nil {
		return err
	}
	if err := c.put(k.first, m); err != nil {
		c.forget(k)
		return err
	}
	if err := c.wait(ctx, k); err != nil {
		return err
	}
	return failed
}

// read is the reader goroutine: it decodes and dispatches in order.
func (c *Conn) read() {
	r := bufio.NewReaderSize(c.pulse.reader(c.net), 256<<10)
	frame := make([]byte, headerSize, maxMessage)
	for {
		frame = frame[:headerSize]
		if _, err := io.ReadFull(r, frame); err != nil {
			c.fail(fmt.Errorf("read from switch: %w", err))
			return
		}
		n := int(be.Uint16(frame[2:]))
		if n < headerSize {
			c.fail(fmt.Errorf("switch sent a message of length %d", n))
			return
		}
		frame = frame[:n]
		if _, err := io.ReadFull(r, frame[headerSize:]); err != nil {
			c.fail(fmt.Errorf("read from switch: %w", err))
			return
		}
		xid, m, err := Decode(frame)
		if err != nil {
			c.fail(fmt.Errorf("read from switch: %w", err))
			return
		}
		c.dispatch(xid, m)
	}
}

// dispatch passes a message to the call that waits for it.
func (c *Conn) dispatch(xid uint32, m Message) {
	switch m := m.(type) {
	case *Hello:
		if m.Versions&(1<<Version) == 0 {
			c.fail(fmt.Errorf("switch does not speak OpenFlow 1.3 (its versions: %#x); add it to the bridge's protocols", m.Versions))
		}
		return
	case *Echo:
		if !m.Reply {
			// In a goroutine: a reader that waits for buffer space would stop both directions.
			go func() { _ = c.put(xid, &Echo{Reply: true, Data: m.Data}) }() // a failure ends the Conn
			return
		}
	case *PacketIn:
		if c.options.PacketIn != nil {
			c.options.PacketIn(m)
		}
		return
	case *Experimenter:
		if m.ID == experimenterONF && m.Kind > flowMonitor && m.Kind <= flowMonitorResumed {
			if c.options.Updates != nil {
				c.options.Updates(nil)
			}
			return // it answers no request
		}
	case *MultipartReply:
		if len(m.Updates) > 0 && c.options.Updates != nil {
			c.options.Updates(m.Updates)
		}
	case *Raw:
		if m.Kind == TypeFlowRemoved || m.Kind == TypePortStatus {
			return // they answer no request
		}
	}
	c.mu.Lock()
	var k *call
	for _, o := range c.calls {
		if xid >= o.first && xid <= o.last {
			k = o
			break
		}
	}
	c.mu.Unlock()
	if k != nil && k.reply(int(xid-k.first), m) && c.end(k) {
		close(k.done)
	}
}
