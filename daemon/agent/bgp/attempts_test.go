// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/osrg/gobgp/v4/api"
)

func TestAttempts(t *testing.T) {
	const active, established = api.PeerState_SESSION_STATE_ACTIVE, api.PeerState_SESSION_STATE_ESTABLISHED
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	addr := netip.MustParseAddr("192.0.2.1")
	a := newAttempts(20 * time.Second)
	for _, row := range []struct {
		what       string
		at         time.Duration
		state      api.PeerState_SessionState
		admin      api.PeerState_AdminState
		restarting bool
		spent      bool
	}{
		{"first seen", 0, active, api.PeerState_ADMIN_STATE_UP, false, false},
		{"in time", 19 * time.Second, api.PeerState_SESSION_STATE_OPENSENT, api.PeerState_ADMIN_STATE_UP, false, false},
		{"too long", 20 * time.Second, active, api.PeerState_ADMIN_STATE_UP, false, true},
		{"the next attempt", 39 * time.Second, active, api.PeerState_ADMIN_STATE_UP, false, false},
		{"its routes are kept", 40 * time.Second, active, api.PeerState_ADMIN_STATE_UP, true, false},
		{"not any more", 50 * time.Second, active, api.PeerState_ADMIN_STATE_UP, false, false},
		{"a session", 60 * time.Second, established, api.PeerState_ADMIN_STATE_UP, false, false},
		{"for long", 200 * time.Second, established, api.PeerState_ADMIN_STATE_UP, false, false},
		{"ended", 201 * time.Second, active, api.PeerState_ADMIN_STATE_UP, false, false},
		{"cut off", 222 * time.Second, api.PeerState_SESSION_STATE_IDLE, api.PeerState_ADMIN_STATE_PFX_CT, false, false},
		{"for long", 322 * time.Second, api.PeerState_SESSION_STATE_IDLE, api.PeerState_ADMIN_STATE_PFX_CT, false, false},
	} {
		p := &api.Peer{Conf: &api.PeerConf{NeighborAddress: addr.String()}, State: &api.PeerState{SessionState: row.state, AdminState: row.admin},
			GracefulRestart: &api.GracefulRestart{PeerRestarting: row.restarting}}
		if got := slices.Contains(a.spent([]*api.Peer{p}, start.Add(row.at)), addr); got != row.spent {
			t.Errorf("%s, after %s: want given up %t, got %t", row.what, row.at, row.spent, got)
		}
	}
}

// A peer takes a connection and says nothing, as one whose packets do not come here. The next connection is another attempt.
func TestRetry(t *testing.T) {
	own, other := loopbacks()
	own, other = own[:len(own)-1]+"31", other[:len(other)-1]+"32"
	listener, err := net.Listen("tcp", other+":179")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	address := netip.MustParseAddr(other)
	s, err := Start(Config{Address: netip.MustParsePrefix(own + "/24"), AS: 65002, Peers: []Peer{{Address: address, AS: 500}}}, slog.New(slog.DiscardHandler), func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}()
	s.attempts.limit = 0
	silent, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = silent.Close() }()
	if !connected(address, usualPort, usualPort) || connected(address, usualPort+1, usualPort) || connected(netip.MustParseAddr("192.0.2.1"), usualPort, usualPort) {
		t.Errorf("want only a connection with port %d of %s", usualPort, address)
	}
	if err := s.Retry(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := &slowPeer{listener: listener}
	p.meet(t, 500, other)
	defer func() { _ = p.conn.Close() }()
	state := func() *PeerStatus {
		peers, err := s.Peers()
		if err != nil || len(peers) != 1 {
			t.Fatalf("want one peer, got %+v, %v", peers, err)
		}
		return &peers[0]
	}
	eventually(t, "a session", func() bool { return state().Established() })
	if err := s.Retry(t.Context()); err != nil || !state().Established() {
		t.Errorf("with a session: want it left, got %+v, %v", *state(), err)
	}
	if got := state().State.Reason; got != "" {
		t.Errorf("with a session: want no reason, got %q", got)
	}
	_ = p.conn.Close()
	eventually(t, "the reason for the end", func() bool { return strings.Contains(state().State.Reason, "closed the connection") })
	if err := s.server.DeletePeer(t.Context(), &api.DeletePeerRequest{Address: other}); err != nil {
		t.Fatal(err)
	}
	if err := s.Retry(t.Context()); err != nil || state().Conf.NeighborAddress != other {
		t.Errorf("one that could not be added: want it added, got %v", err)
	}
}

func TestReason(t *testing.T) {
	for _, row := range []struct {
		why        api.PeerState_DisconnectReason
		text, want string
	}{
		{api.PeerState_DISCONNECT_REASON_UNSPECIFIED, "new-connection", ""},
		{api.PeerState_DISCONNECT_REASON_ADMIN_DOWN, "admin-down", ""},
		{api.PeerState_DISCONNECT_REASON_HOLD_TIMER_EXPIRED, "hold-timer-expired", "the hold timer ended without a message from the peer"},
		{api.PeerState_DISCONNECT_REASON_NOTIFICATION_RECEIVED, "notification-received code 6(cease) subcode 3(peer deconfigured)", "it ended the session: code 6(cease) subcode 3(peer deconfigured)"},
		{api.PeerState_DISCONNECT_REASON_NOTIFICATION_SENT, "notification-sent code 6(cease) subcode 1(x)", "this host ended the session: code 6(cease) subcode 1(x)"},
		{api.PeerState_DISCONNECT_REASON_BAD_PEER_AS, "bad-peer-as", "it says another AS than neighbor-as"},
	} {
		if got := reason(row.why, row.text); got != row.want {
			t.Errorf("%s: want %q, got %q", row.text, row.want, got)
		}
	}
}
