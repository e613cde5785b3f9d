// SPDX-License-Identifier: Apache-2.0

package idletimeout_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store/idletimeout"
)

// serve accepts one connection and sends a part of a kilobyte and a half for each value of parts.
func serve(t *testing.T, parts <-chan int) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		for n := range parts {
			if _, err := c.Write(make([]byte, n)); err != nil {
				return
			}
		}
	}()
	return l.Addr().String()
}

// A request lasts while data arrives, for many times the limit, and ends if only keep-alive traffic does.
func TestLimit(t *testing.T) {
	const limit = 50 * time.Millisecond
	for _, tt := range []struct {
		name  string
		part  int
		total time.Duration // for how long parts are sent
	}{
		{"a long answer", 4 << 10, 10 * limit},
		{"nothing but pings", 17, time.Hour},
	} {
		var m idletimeout.Meter
		parts := make(chan int)
		c, err := m.Dial(t.Context(), "tcp", serve(t, parts))
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.Copy(io.Discard, c) }()
		ctx, stop := m.Limit(t.Context(), limit)
		began, tick := time.Now(), time.NewTicker(limit/10)
		for ctx.Err() == nil && time.Since(began) < tt.total {
			select {
			case parts <- tt.part:
				<-tick.C
			case <-ctx.Done():
			}
		}
		if tt.total < time.Hour && ctx.Err() != nil && time.Since(began) < 3*limit {
			t.Errorf("%s: ended after %s: %v", tt.name, time.Since(began), context.Cause(ctx))
		}
		<-ctx.Done() // the parts have ended
		if !errors.Is(context.Cause(ctx), idletimeout.ErrSilent) {
			t.Errorf("%s: want %v, got %v", tt.name, idletimeout.ErrSilent, context.Cause(ctx))
		}
		stop()
		tick.Stop()
		close(parts)
		_ = c.Close()
	}
	var m idletimeout.Meter
	ctx, stop := m.Limit(t.Context(), time.Hour)
	stop()
	if <-ctx.Done(); errors.Is(context.Cause(ctx), idletimeout.ErrSilent) {
		t.Error("stopped: want another error than ErrSilent")
	}
}
