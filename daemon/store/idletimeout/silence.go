// SPDX-License-Identifier: Apache-2.0

// Package idletimeout bounds requests by the time without received data instead of their duration: a large answer over a busy path takes
// its time, and a silent server is still detected.
package idletimeout

import (
	"context"
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// ErrSilent ends a request to a server that sends nothing.
var ErrSilent = errors.New("the server sends nothing")

// chatter is the traffic that only keeps a connection alive, in bytes: pings, their answers, window updates. No more than this within the
// limit is silence.
const chatter = 1 << 10

// Meter counts what a client's connections receive. The zero Meter is ready for use.
type Meter struct{ bytes atomic.Int64 }

// Bytes returns the number of received bytes.
func (m *Meter) Bytes() int64 { return m.bytes.Load() }

// Dial is a net.Dialer's DialContext for TCP whose connections are counted.
func (m *Meter) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &conn{c, m}, nil
}

// Limit returns a context that ends with ctx, when stop is called, or when the connections have received no more than chatter for limit;
// then its cause is ErrSilent. The caller must call stop.
func (m *Meter) Limit(ctx context.Context, limit time.Duration) (limited context.Context, stop func()) {
	limited, cancel := context.WithCancelCause(ctx)
	go func() {
		t := time.NewTicker(limit)
		defer t.Stop()
		for last := m.bytes.Load(); ; {
			select {
			case <-limited.Done():
				return
			case <-t.C:
			}
			now := m.bytes.Load()
			if now-last <= chatter {
				cancel(ErrSilent)
				return
			}
			last = now
		}
	}()
	return limited, func() { cancel(nil) }
}

type conn struct {
	net.Conn
	meter *Meter
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.meter.bytes.Add(int64(n))
	return n, err
}
