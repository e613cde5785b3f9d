// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/trust"
)

// wire connects sockets in memory. Each has a packet filter and an MTU, as a network interface.
type wire struct {
	mu   sync.Mutex
	ends map[netip.Addr]*end
}

// end is a Socket. Like the real one it refuses packets that are larger than the MTU, and what its packet filter refuses.
type end struct {
	wire     *wire
	own      netip.Addr
	mtu      int
	pathMTU  int // of the network behind; 0: none
	deaf     bool
	refuses  bool
	incoming chan packet
	closed   chan struct{}
}

type packet struct {
	from    netip.Addr
	payload []byte
}

func (w *wire) open(own netip.Addr) *end {
	e := &end{wire: w, own: own, mtu: 1500, incoming: make(chan packet, 100), closed: make(chan struct{})}
	w.ends[own] = e
	return e
}

func (e *end) Send(to netip.Addr, payload []byte) error {
	size := len(payload) + headroom(to)
	switch {
	case size > e.mtu:
		return errors.New("message too long")
	case e.refuses:
		return errors.New("operation not permitted")
	case e.pathMTU > 0 && size > e.pathMTU:
		return nil
	}
	e.wire.mu.Lock()
	defer e.wire.mu.Unlock()
	if there := e.wire.ends[to]; there != nil && !there.deaf {
		there.incoming <- packet{e.own, bytes.Clone(payload)}
	}
	return nil
}

func (e *end) Receive() (netip.Addr, []byte, error) {
	select {
	case p := <-e.incoming:
		return p.from, p.payload, nil
	case <-e.closed:
		return netip.Addr{}, nil, net.ErrClosed
	}
}

func (e *end) Close() error { close(e.closed); return nil }

var (
	here  = netip.MustParseAddr("127.0.0.1")
	there = netip.MustParseAddr("127.0.0.2")
)

// both runs a session between two ends, and returns both reports.
func both(t *testing.T, change func(dialer, listener *end)) (dialed, listened Report) {
	t.Helper()
	w := &wire{ends: map[netip.Addr]*end{}}
	a, b := w.open(here), w.open(there)
	defer func() { _, _ = a.Close(), b.Close() }()
	change(a, b)
	l, err := Listen(t.Context(), netip.AddrPortFrom(there, 0), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	done := make(chan error, 1)
	go func() {
		var err error
		listened, err = l.Serve(t.Context(), b, Side{Host: "h2", MTU: b.mtu, Now: time.Now, Filter: "filter of " + "h2" + "\x1b"})
		done <- err
	}()
	code, err := ParseCode(l.Code().String())
	if err != nil {
		t.Fatal(err)
	}
	dialed, err = Dial(t.Context(), code, here, a, Side{Host: "h1", MTU: a.mtu, Now: func() time.Time { return time.Now().Add(time.Hour) }, Filter: "filter of " + "h1" + "\x1b"})
	if err := errors.Join(err, <-done); err != nil {
		t.Fatal(err)
	}
	return dialed, listened
}

func TestSession(t *testing.T) {
	all := Direction{Small: Repeats, Large: Repeats}
	for name, c := range map[string]struct {
		change func(dialer, listener *end)
		out    Direction // from the dialer to the listener
		in     Direction
		size   int
	}{
		"all passes":             {func(_, _ *end) {}, all, all, 1500},
		"the smaller MTU":        {func(a, b *end) { a.mtu, b.mtu = 9000, 1400 }, all, all, 1400},
		"the listener is closed": {func(_, b *end) { b.deaf = true }, Direction{}, all, 1500},
		"the dialer is closed":   {func(a, _ *end) { a.deaf = true }, all, Direction{}, 1500},
		"a small MTU between":    {func(a, _ *end) { a.pathMTU = 1450 }, Direction{Small: Repeats}, all, 1500},
		"the dialer refuses":     {func(a, _ *end) { a.refuses = true }, Direction{Error: "a packet of 128 bytes: operation not permitted"}, all, 1500},
		"the listener refuses":   {func(_, b *end) { b.refuses = true }, all, Direction{Error: "a packet of 128 bytes: operation not permitted"}, 1500},
		"packets of someone else": {func(a, b *end) {
			b.incoming <- packet{here, make([]byte, 100)}
			b.incoming <- packet{netip.MustParseAddr("127.0.0.9"), nil}
		}, all, all, 1500},
	} {
		dialed, listened := both(t, c.change)
		if dialed.Out != c.out || dialed.In != c.in || dialed.Size != c.size || dialed.Peer != "h2" || dialed.Filter != "filter of h2\uFFFD" || dialed.Address != there {
			t.Errorf("%s: dialer: got %+v, want %+v and %+v of %d", name, dialed, c.out, c.in, c.size)
		}
		if listened.In != c.out || listened.Out != c.in || listened.Size != c.size || listened.Peer != "h1" || listened.Filter != "filter of h1\uFFFD" || listened.Address != here {
			t.Errorf("%s: listener: got %+v, want %+v and %+v of %d", name, listened, c.out, c.in, c.size)
		}
		if lead := dialed.ClockLead.Round(time.Minute); lead != time.Hour {
			t.Errorf("%s: clock: got %s, want 1h", name, lead)
		}
	}
}

// A machine without the code starts no session, and gets no packet; a dialer sends its secret only to the machine that printed the code.
func TestImpostors(t *testing.T) {
	w := &wire{ends: map[netip.Addr]*end{}}
	a, b := w.open(here), w.open(there)
	l, err := Listen(t.Context(), netip.AddrPortFrom(there, 0), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := l.Serve(ctx, b, Side{Host: "h2", MTU: 1500, Now: time.Now, Filter: "filter of " + "h2" + "\x1b"})
		done <- err
	}()
	secretless := l.Code()
	secretless.credential.Secret = trust.NewToken(secretless.credential.Pin).Secret
	if _, err := Dial(t.Context(), secretless, here, a, Side{Host: "h3", MTU: 1500, Now: time.Now, Filter: "filter of " + "h3" + "\x1b"}); err == nil {
		t.Error("want a dialer with another secret refused")
	}
	elsewhere := l.Code()
	elsewhere.credential.Pin = strings.Repeat("ab", 32)
	if _, err := Dial(t.Context(), elsewhere, here, a, Side{Host: "h3", MTU: 1500, Now: time.Now, Filter: "filter of " + "h3" + "\x1b"}); err == nil || !strings.Contains(err.Error(), "is not the machine that printed the code") {
		t.Errorf("want a listener with another certificate refused, got %v", err)
	}
	if n := len(a.incoming) + len(b.incoming); n > 0 {
		t.Errorf("%d packets were sent to machines that did not prove themselves", n)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("want the listener to end with its context, got %v", err)
	}
	if c, err := net.Dial("tcp", secretless.address.String()); err == nil {
		_ = c.Close()
		t.Error("the port is open after the end")
	}
}

func TestParseCode(t *testing.T) {
	good := Code{trust.NewToken(strings.Repeat("ab", 32)), netip.MustParseAddrPort("192.0.2.1:9999")}
	if got, err := ParseCode(good.String()); err != nil || got != good {
		t.Errorf("got %v, %v, want %v", got, err, good)
	}
	for _, bad := range []string{"", "x", "x@192.0.2.1:1", good.credential.String() + "@h1:9999", good.credential.String()} {
		if got, err := ParseCode(bad); err == nil {
			t.Errorf("%q: got %v, want an error", bad, got)
		}
	}
}

// The real socket carries packets of both families between addresses of this machine, and only those of this package.
func TestOpen(t *testing.T) {
	for _, own := range []string{"127.0.0.1", "::1"} {
		at := netip.MustParseAddr(own)
		s, err := Open(at)
		if err != nil {
			t.Fatal(err)
		}
		noise, err := net.Dial("udp", netip.AddrPortFrom(at, Port).String())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Fprint(noise, "\x08\x00\x00\x00 a tunnel's packet"); err != nil {
			t.Fatal(err)
		}
		want := make([]byte, 1400)
		want[9] = 7
		if err := s.Send(at, want); err != nil {
			t.Fatal(err)
		}
		from, got, err := s.Receive()
		if err != nil || from != at || !bytes.Equal(got, want) {
			t.Errorf("%s: got %d bytes from %s, %v, want %d", own, len(got), from, err, len(want))
		}
		if err := s.Send(at, make([]byte, 65500)); err == nil && own == "::1" {
			t.Error("want a packet that is larger than the MTU refused")
		}
		_ = noise.Close()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}
