// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"
)

// The messages of a peer, in order.
type told struct {
	mu    sync.Mutex
	words []string
}

func (l *told) text() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.words)
}

// hear records the prefixes of all updates until the connection ends.
func (l *told) hear(conn net.Conn) {
	for {
		head := make([]byte, bgp.BGP_HEADER_LENGTH)
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		whole := append(head, make([]byte, int(binary.BigEndian.Uint16(head[16:18]))-len(head))...)
		if _, err := io.ReadFull(conn, whole[len(head):]); err != nil {
			return
		}
		m, err := bgp.ParseBGPMessage(whole)
		if err != nil {
			continue
		}
		if u, ok := m.Body.(*bgp.BGPUpdate); ok {
			l.mu.Lock()
			for _, p := range u.NLRI {
				l.words = append(l.words, fmt.Sprint("+", p.NLRI))
			}
			for _, p := range u.WithdrawnRoutes {
				l.words = append(l.words, fmt.Sprint("-", p.NLRI))
			}
			l.mu.Unlock()
		}
	}
}

// A route that is announced or withdrawn while a session comes up may be lost, so it is sent again; a route that was announced long before
// is not.
func TestAffirm(t *testing.T) {
	own, other := loopbacks()
	own, other = own[:len(own)-1]+"31", other[:len(other)-1]+"32"
	listener, err := net.Listen("tcp", other+":179")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	s, err := Start(Config{Address: netip.MustParsePrefix(own + "/24"), AS: 65002, Peers: []Peer{{Address: netip.MustParseAddr(other), AS: 500}}},
		slog.New(slog.DiscardHandler), func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Stop() }()
	old, comes, goes := netip.MustParsePrefix("10.1.1.1/32"), netip.MustParsePrefix("10.1.1.2/32"), netip.MustParsePrefix("10.1.1.3/32")
	for _, p := range []netip.Prefix{old, goes} {
		if err := s.Announce(p); err != nil {
			t.Fatal(err)
		}
	}
	var l told
	p := &slowPeer{listener: listener, hear: l.hear}
	p.meet(t, 500, other)
	defer func() { _ = p.conn.Close() }()
	count := func(word string) (n int) {
		for _, w := range l.text() {
			if w == word {
				n++
			}
		}
		return n
	}
	eventually(t, "both are reported", func() bool { return count("+10.1.1.1/32") == 1 && count("+10.1.1.3/32") == 1 })
	if err := errors.Join(s.Announce(comes), s.Withdraw(goes)); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the changes are reported", func() bool { return count("+10.1.1.2/32") > 0 && count("-10.1.1.3/32") > 0 })
	then := time.Now()
	s.changes.add(comes, then)
	s.changes.add(goes, then)
	s.changes.add(old, then.Add(-2*doubt))
	if err := s.repeat(then); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the changes are reported again", func() bool { return count("+10.1.1.2/32") > 1 && count("-10.1.1.3/32") > 1 })
	words := l.text()
	slices.Reverse(words)
	if slices.Index(words, "-10.1.1.2/32") < slices.Index(words, "+10.1.1.2/32") || slices.Index(words, "+10.1.1.3/32") < slices.Index(words, "-10.1.1.3/32") {
		t.Errorf("want announcements of present and withdrawals of removed routes sent last, got, from the last one backwards: %v", words)
	}
	if n := count("+10.1.1.1/32"); n != 1 {
		t.Errorf("want the earlier route sent once, got %d times: %v", n, words)
	}
}

func TestChanges(t *testing.T) {
	var c changes
	start := time.Unix(1000, 0)
	one, two, three := netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("10.0.0.2/32"), netip.MustParsePrefix("10.0.0.3/32")
	c.add(one, start)
	c.add(two, start.Add(stableAfter))
	c.add(three, start.Add(stableAfter+doubt))
	if got := c.near(start.Add(doubt)); !slices.Equal(got, []netip.Prefix{one}) {
		t.Errorf("want the one about then, got %v", got)
	}
	if got := c.near(start.Add(stableAfter)); len(got) != 2 {
		t.Errorf("want both about then, got %v", got)
	}
	if c.add(two, start.Add(10*stableAfter)); len(c.at) != 1 {
		t.Errorf("want old ones to be forgotten, got %v", c.at)
	}
}
