package bgp

import (
	"encoding/binary"
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

// told is what a peer was told, in order.
type told struct {
	mu    sync.Mutex
	words []string
}

func (l *told) text() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.words)
}

// hear notes the prefixes of all updates until the connection ends.
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

// What is announced and withdrawn while a session comes up may be lost on the way to it: it is told once more.
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
	stays, goes := netip.MustParsePrefix("10.1.1.1/32"), netip.MustParsePrefix("10.1.1.2/32")
	for _, p := range []netip.Prefix{stays, goes} {
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
	eventually(t, "both are told", func() bool { return count("+10.1.1.1/32") > 0 && count("+10.1.1.2/32") > 0 })
	if err := s.Withdraw(goes); err != nil {
		t.Fatal(err)
	}
	eventually(t, "both are told again", func() bool { return count("+10.1.1.1/32") > 1 && count("-10.1.1.2/32") > 1 })
	words := l.text()
	slices.Reverse(words)
	if slices.Index(words, "+10.1.1.2/32") < slices.Index(words, "-10.1.1.2/32") {
		t.Errorf("want a withdrawal to be the last that is told of what is gone, got, from the last on: %v", words)
	}
}

func TestWithdrawals(t *testing.T) {
	var w withdrawals
	start := time.Unix(1000, 0)
	a, b, c := netip.MustParsePrefix("10.0.0.1/32"), netip.MustParsePrefix("10.0.0.2/32"), netip.MustParsePrefix("10.0.0.3/32")
	w.add(a, start)
	w.add(b, start.Add(settled))
	w.add(c, start.Add(settled))
	w.forget(c)
	if got := w.since(start.Add(-1)); len(got) != 2 {
		t.Errorf("want both that are gone, got %v", got)
	}
	if got := w.since(start); !slices.Equal(got, []netip.Prefix{b}) {
		t.Errorf("want those since then, got %v", got)
	}
	w.add(b, start.Add(10*settled))
	if len(w.at) != 1 {
		t.Errorf("want old ones to be forgotten, got %v", w.at)
	}
}
