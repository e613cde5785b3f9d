// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/osrg/gobgp/v4/pkg/packet/bgp"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// slowPeer is a slow router: it signals a restart, and announces nothing until the test calls for it.
type slowPeer struct {
	listener net.Listener
	conn     net.Conn
	hear     func(net.Conn) // what comes once the session is up; nil: it is forgotten
}

func (p *slowPeer) send(t *testing.T, messages ...*bgp.BGPMessage) {
	t.Helper()
	for _, m := range messages {
		b, err := m.Serialize()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.conn.Write(b); err != nil {
			t.Fatal(err)
		}
	}
}

// meet accepts a session and establishes it.
func (p *slowPeer) meet(t *testing.T, as uint32, id string) {
	t.Helper()
	err := p.listener.(*net.TCPListener).SetDeadline(time.Now().Add(30 * time.Second))
	if err != nil {
		t.Fatal(err)
	}
	if p.conn, err = p.listener.Accept(); err != nil {
		t.Fatal(err)
	}
	families := []bgp.ParameterCapabilityInterface{bgp.NewCapMultiProtocol(bgp.RF_IPv4_UC), bgp.NewCapFourOctetASNumber(as),
		bgp.NewCapGracefulRestart(true, false, 120, []*bgp.CapGracefulRestartTuple{bgp.NewCapGracefulRestartTuple(bgp.RF_IPv4_UC, true)})}
	open, err := bgp.NewBGPOpenMessage(uint16(as), 90, netip.MustParseAddr(id), []bgp.OptionParameterInterface{bgp.NewOptionParameterCapability(families)})
	if err != nil {
		t.Fatal(err)
	}
	p.send(t, open, bgp.NewBGPKeepAliveMessage())
	if p.hear == nil {
		p.hear = func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }
	}
	go p.hear(p.conn) // ends with the connection
}

// Both ends of a session restart at the same time: the kept routes stay until the router has announced all its routes, not only until the
// session is established again.
func TestRestart_Both(t *testing.T) {
	own, other := loopbacks()
	own, other = own[:len(own)-1]+"21", other[:len(other)-1]+"22"
	listener, err := net.Listen("tcp", other+":179")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	kept := memory{Config: Config{Address: netip.MustParsePrefix(own + "/24"), AS: 65002, Peers: []Peer{{Address: netip.MustParseAddr(other), AS: 500}}},
		Router: ofnet.Router{Tenant: "default", Port: 1100, MAC: ofnet.MAC{2, 0, 0, 0, 0, 1}, Addr: netip.MustParseAddr(own)},
		Hops:   [][]ofnet.NextHop{{{Addr: netip.MustParseAddr(other), MAC: ofnet.MAC{2, 0, 0, 0, 0, 9}}}},
		Routes: map[netip.Prefix]int{netip.MustParsePrefix("20.1.0.0/16"): 0, netip.MustParsePrefix("20.2.0.0/16"): 0}}
	file := filepath.Join(t.TempDir(), "routes")
	if err := kept.write(file); err != nil {
		t.Fatal(err)
	}
	state := &fakeState{s: ofnet.NewState("h1")}
	records := newRecords()
	records.set(record.BGP{Hostname: "h1", RouterIP: own + "/24", AS: "65002", Neighbor: other, NeighborAS: "500"})
	r := NewRouter(Options{Host: "h1", Tenant: "default", Records: records, Link: &fakeLink{asked: map[netip.Addr]bool{}}, Log: slog.New(slog.DiscardHandler), Memory: file,
		Mode: func() string { return "routing" }, Update: state.update})
	r.Restore()(state.s)
	defer runs(t, r)()

	p := &slowPeer{listener: listener}
	p.meet(t, 500, other)
	defer func() { _ = p.conn.Close() }()
	rounds := 0
	eventually(t, "a session, and some rounds of work", func() bool {
		s, err := r.Status()
		if err != nil || len(s.Peers) != 1 || !s.Peers[0].Established() {
			return false
		}
		r.notify()
		rounds++
		return rounds > 20
	})
	if s, err := r.Status(); err != nil || len(s.Kept) != 2 || !strings.Contains(state.text(), "20.1.0.0/16 via "+other) {
		t.Fatalf("while the router has said nothing: kept %v, %v, in the switch: %s", s.Kept, err, state.text())
	}
	next, err := bgp.NewPathAttributeNextHop(netip.MustParseAddr(other))
	if err != nil {
		t.Fatal(err)
	}
	nlri, err := bgp.NewIPAddrPrefix(netip.MustParsePrefix("20.1.0.0/16"))
	if err != nil {
		t.Fatal(err)
	}
	attributes := []bgp.PathAttributeInterface{bgp.NewPathAttributeOrigin(bgp.BGP_ORIGIN_ATTR_TYPE_IGP),
		bgp.NewPathAttributeAsPath([]bgp.AsPathParamInterface{bgp.NewAs4PathParam(bgp.BGP_ASPATH_ATTR_TYPE_SEQ, []uint32{500})}), next}
	p.send(t, bgp.NewBGPUpdateMessage(nil, attributes, []bgp.PathNLRI{{NLRI: nlri}}), bgp.NewEndOfRib(bgp.RF_IPv4_UC))
	want := fmt.Sprintf("%[2]s/32 via %[2]s known 1; 20.1.0.0/16 via %[2]s known 1; router %[1]s", own, other)
	eventually(t, "only the announced routes are left", func() bool {
		s, err := r.Status()
		return err == nil && len(s.Kept) == 0 && state.text() == want
	})
}
