// SPDX-License-Identifier: Apache-2.0

package pipeline_test

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
)

// moreState adds second local members to testdata/state.txt, and a network with two endpoints that only watch.
const moreState = `
endpoint f4 network=blue:vf host=h1 port=11 mac=02:02:66:01:00:04 ip=10.6.0.4
endpoint b3 network=blue:vl host=h1 port=12 mac=02:02:67:01:00:03 ip=10.2.0.3 ip6=fd02::3
endpoint c3 network=blue:rx host=h1 port=13 mac=02:02:69:01:00:03 ip=10.3.0.3
endpoint e3 network=blue:rv host=h1 port=14 mac=02:02:6a:01:00:03 ip=10.5.0.3
endpoint g3 network=green:gx host=h1 port=15 mac=02:02:6b:01:00:03 ip=10.1.0.3
tenant watch id=9
network watch:w id=999 vxlan=5999 bridge flood net=10.9.0.0/24
endpoint w1 network=watch:w host=h1 port=98 mac=02:02:09:01:00:01 ip=10.9.0.1
endpoint w2 network=watch:w host=h1 port=99 mac=02:02:09:01:00:02 ip=10.9.0.2
`

// wires are open sockets on all ports of the lab's switch, and on the underlay behind it.
type wires struct {
	model
	lab     *lab
	sockets map[string]int
	phy     ofnet.MAC // of the switch on the underlay
	passed  map[string]traffic
	asked   uint32 // addresses, by marks
}

const nic = "nic" // the port of the underlay

func newWires(t *testing.T, l *lab) *wires {
	t.Helper()
	w := &wires{model: model{State: l.state}, lab: l, sockets: map[string]int{}, passed: map[string]traffic{}}
	ports := []string{"uplink", "contivh0", nic}
	for _, e := range l.state.Endpoints.All() {
		if e.Port != 0 {
			ports = append(ports, fmt.Sprintf("p%d", e.Port))
		}
	}
	l.inside(t, func() error {
		for _, p := range ports {
			fd, err := openPort(p)
			if err != nil {
				return fmt.Errorf("open port %s: %w", p, err)
			}
			w.sockets[p] = fd
		}
		phy, err := net.InterfaceByName("phy")
		if err == nil {
			w.phy = ofnet.MAC(phy.HardwareAddr)
		}
		return err
	})
	t.Cleanup(func() {
		w.checkCounters(t)
		for _, fd := range w.sockets {
			_ = unix.Close(fd)
		}
	})
	return w
}

// openPort opens a packet socket that receives the packets that the switch sends to a port.
func openPort(name string) (fd int, err error) {
	all := uint16(unix.ETH_P_ALL<<8 | unix.ETH_P_ALL>>8)
	i, err := net.InterfaceByName(name)
	if err != nil {
		return -1, err
	}
	if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, int(all)); err != nil {
		return -1, err
	}
	for _, option := range []int{unix.PACKET_IGNORE_OUTGOING, unix.PACKET_AUXDATA} {
		if err := unix.SetsockoptInt(fd, unix.SOL_PACKET, option, 1); err != nil {
			return fd, err
		}
	}
	return fd, unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: i.Index})
}

func (w *wires) send(t *testing.T, port string, b []byte) {
	t.Helper()
	if _, err := unix.Write(w.sockets[port], b); err != nil {
		t.Fatalf("send by %s: %v", port, err)
	}
	if b[6]&1 == 0 { // a group sends nothing
		p := w.passed[port]
		p.offered++
		p.sent++
		w.passed[port] = p
	}
}

// receive reads one frame from a port, with its tag, which Linux delivers separately; nil if there is none.
func (w *wires) receive(t *testing.T, port string) []byte {
	t.Helper()
	buf, side := make([]byte, 2048), make([]byte, 256)
	n, k, _, _, err := unix.Recvmsg(w.sockets[port], buf, side, 0)
	if err == unix.EAGAIN {
		return nil
	}
	if err != nil {
		t.Fatalf("receive at %s: %v", port, err)
	}
	list, err := unix.ParseSocketControlMessage(side[:k])
	if err != nil {
		t.Fatal(err)
	}
	p := w.passed[port]
	p.received++
	w.passed[port] = p
	b := buf[:n]
	for _, m := range list { // struct tpacket_auxdata (packet(7)): status, two lengths, two offsets, tag
		if m.Header.Level == unix.SOL_PACKET && m.Header.Type == unix.PACKET_AUXDATA && m.Data[0]&unix.TP_STATUS_VLAN_VALID != 0 {
			tag := []byte{0x81, 0x00, m.Data[17], m.Data[16]}
			b = slices.Insert(b, 12, tag...)
		}
	}
	return b
}

// settle blocks until the switch has processed all packets sent before.
func (w *wires) settle(t *testing.T) {
	t.Helper()
	one, two := w.Endpoints.Get("w1"), w.Endpoints.Get("w2")
	if !w.lab.ovs.Kernel() {
		// One thread takes packets off all ports in turn; so between two packets at one port, of which the second is sent when the first
		// has passed, it has been at every port.
		for range 2 {
			w.mark(t, frame{kind: "udp", src: one.MAC, dst: two.MAC, from: one.IP4, to: two.IP4, ttl: 9})
		}
		return
	}
	// A packet without a flow in the kernel waits for ovs-vswitchd, whose one thread takes in turn what waits at each port. So does a
	// question for an address that was not asked for before: what was sent before it has passed one step more when it comes out. No
	// packet of these tests waits in more steps: at the underlay, at the tunnel's end, twice behind the tracker, and at the underlay
	// again.
	for range 8 {
		w.asked++
		var target [4]byte
		be.PutUint32(target[:], 11<<24+w.asked)
		w.mark(t, frame{kind: "arp", op: 1, src: one.MAC, dst: broadcast4, sha: one.MAC, from: one.IP4, to: netip.AddrFrom4(target)})
	}
}

// mark sends a frame between the watchers, and blocks until it has passed the switch.
func (w *wires) mark(t *testing.T, mark frame) {
	t.Helper()
	w.send(t, "p98", mark.bytes())
	poll := []unix.PollFd{{Fd: int32(w.sockets["p99"]), Events: unix.POLLIN}}
	n, err := unix.Poll(poll, 10_000)
	for err == unix.EINTR {
		n, err = unix.Poll(poll, 10_000)
	}
	if n != 1 {
		t.Fatalf("no frame passes the switch within 10 s: %v", err)
	}
	b := w.receive(t, "p99")
	if f, err := decode(b); err != nil || f.String() != mark.String() {
		t.Fatalf("between the watchers: want %v, got %v, %v", mark, f, err)
	}
}

// verdict sends a frame and returns the ports where it left the switch, each with the frame, sorted.
func (w *wires) verdict(t *testing.T, in way, f frame) (out []string) {
	t.Helper()
	switch {
	case in.endpoint != nil:
		w.send(t, fmt.Sprintf("p%d", in.endpoint.Port), f.bytes())
	case in.host:
		w.send(t, "contivh0", f.bytes())
	case in.peer.IsValid():
		w.send(t, nic, vxlan(f, in.vni, w.phy, in.peer, w.Hosts.Get(w.Self).VTEP))
	default:
		w.send(t, "uplink", f.bytes())
	}
	w.settle(t)
	for _, port := range slices.Sorted(maps.Keys(w.sockets)) {
		for b := w.receive(t, port); b != nil; b = w.receive(t, port) {
			where := port
			if port == nic {
				inner, vni, to, ok := unwrap(b)
				if !ok {
					t.Errorf("on the underlay: want tunnel packets only, got %x", b)
					continue
				}
				where, b = fmt.Sprintf("tunnel %s vni %d", to, vni), inner
			}
			got, err := decode(b)
			if err != nil {
				t.Errorf("at %s: %v", where, err)
			}
			out = append(out, fmt.Sprintf("%s: %v", where, got))
		}
	}
	slices.Sort(out)
	return out
}

// question is a frame to send, and its purpose.
type question struct {
	name string
	in   way
	f    frame
}

var (
	broadcast4 = ofnet.MAC{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}
	allNodes   = ofnet.MAC{0x33, 0x33, 0, 0, 0, 1}
	stranger   = ofnet.MAC{0x0e, 0, 0, 0, 0, 1}
	world      = netip.MustParseAddr("8.8.8.8")
)

// address returns the address of e in the family of like.
func address(e *ofnet.Endpoint, like netip.Addr) netip.Addr {
	if like.Is4() {
		return e.IP4
	}
	return e.IP6
}

// talk lists the broadcasts of a sender with a MAC address, IP addresses and a path into the switch.
func talk(m model, who string, in way, vlan int, mac ofnet.MAC, from4, from6 netip.Addr) (list []question) {
	ask := func(name string, f frame) {
		f.vlan, f.src = vlan, cmp.Or(f.src, mac)
		list = append(list, question{who + " " + name, in, f})
	}
	for _, from := range []netip.Addr{from4, from6} {
		if !from.IsValid() {
			continue
		}
		family := "IPv4"
		if from.Is6() {
			family = "IPv6"
		}
		for _, id := range ids(m.State) {
			e := m.Endpoints.Get(id)
			to := address(e, from)
			if !to.IsValid() {
				continue
			}
			ask(fmt.Sprintf("to %s, %s, its MAC", id, family), frame{kind: "udp", dst: e.MAC, from: from, to: to, ttl: 64})
			ask(fmt.Sprintf("to %s, %s, by the router", id, family), frame{kind: "ping", dst: routerMAC, from: from, to: to, ttl: 64})
			if from.Is4() {
				ask("asks for "+id, frame{kind: "arp", op: 1, dst: broadcast4, sha: mac, from: from, to: to})
			} else {
				ask("solicits "+id, frame{kind: "ns", dst: allNodes, sha: mac, from: from, to: to, target: to, ttl: 255})
			}
		}
		ask("broadcasts, "+family, frame{kind: "udp", dst: broadcast4, from: from, to: from, ttl: 1})
		ask("multicasts, "+family, frame{kind: "udp", dst: allNodes, from: from, to: from, ttl: 1})
		ask("to stranger, "+family, frame{kind: "udp", dst: stranger, from: from, to: from.Next().Next().Next().Next(), ttl: 64})
	}
	if from4.IsValid() {
		ask("to the world", frame{kind: "ping", dst: routerMAC, from: from4, to: world, ttl: 64})
		ask("to the world, last hop", frame{kind: "ping", dst: routerMAC, from: from4, to: world, ttl: 1})
		ask("asks for stranger", frame{kind: "arp", op: 1, dst: broadcast4, sha: mac, from: from4, to: world})
		ask("answers stranger", frame{kind: "arp", op: 2, dst: stranger, sha: mac, from: from4, to: world})
	}
	ask("speaks no protocol", frame{kind: "raw", dst: broadcast4})
	ask("has a group's MAC", frame{kind: "udp", src: ofnet.MAC{3, 0, 0, 0, 0, 1}, dst: broadcast4, from: cmp.Or(from4, world), to: world, ttl: 64})
	return list
}

// gateways lists the requests of an endpoint to the gateway of its network.
func gateways(n *ofnet.Segment, e *ofnet.Endpoint) (list []question) {
	ask := func(name string, f frame) { list = append(list, question{e.ID + " " + name, way{endpoint: e}, f}) }
	for _, gw := range []netip.Addr{n.Gateway4, n.Gateway6} {
		if from := address(e, gw); gw.IsValid() && from.IsValid() {
			ask("pings the gateway "+gw.String(), frame{kind: "ping", src: e.MAC, dst: routerMAC, from: from, to: gw, ttl: 7})
			ask("talks to the gateway "+gw.String(), frame{kind: "udp", src: e.MAC, dst: routerMAC, from: from, to: gw, ttl: 7})
		}
	}
	ask("asks for the gateway", frame{kind: "arp", op: 1, src: e.MAC, dst: broadcast4, sha: e.MAC, from: e.IP4, to: n.Gateway4})
	ask("probes an address", frame{kind: "arp", op: 1, src: e.MAC, dst: broadcast4, sha: e.MAC, from: netip.IPv4Unspecified(), to: e.IP4})
	return list
}

// lies lists the packets of an endpoint with the MAC address or IP address of another one.
func lies(e *ofnet.Endpoint, to *ofnet.Endpoint) (list []question) {
	lie := func(name string, f frame) {
		f.src, f.ttl = cmp.Or(f.src, e.MAC), 255
		list = append(list, question{e.ID + " lies: " + name, way{endpoint: e}, f})
	}
	lie("MAC", frame{kind: "udp", src: stranger, dst: to.MAC, from: e.IP4, to: to.IP4})
	lie("IPv4", frame{kind: "udp", dst: to.MAC, from: to.IP4, to: to.IP4})
	lie("IPv4, by the router", frame{kind: "udp", dst: routerMAC, from: world, to: to.IP4})
	lie("ARP sender address", frame{kind: "arp", op: 1, dst: broadcast4, sha: e.MAC, from: to.IP4, to: e.IP4.Next()})
	lie("ARP sender MAC", frame{kind: "arp", op: 1, dst: broadcast4, sha: stranger, from: e.IP4, to: to.IP4})
	lie("ARP reply", frame{kind: "arp", op: 2, dst: to.MAC, sha: e.MAC, from: to.IP4, to: to.IP4, tha: to.MAC})
	lie("tag", frame{kind: "udp", vlan: 11, dst: to.MAC, from: e.IP4, to: to.IP4})
	if e.IP6.IsValid() && to.IP6.IsValid() {
		lie("IPv6", frame{kind: "udp", dst: to.MAC, from: to.IP6, to: to.IP6})
		lie("solicitation's address", frame{kind: "ns", dst: allNodes, sha: e.MAC, from: to.IP6, to: to.IP6, target: to.IP6})
		lie("solicitation's MAC", frame{kind: "ns", dst: allNodes, sha: stranger, from: e.IP6, to: to.IP6, target: to.IP6})
		lie("advertisement's target", frame{kind: "na", dst: to.MAC, sha: e.MAC, from: e.IP6, to: to.IP6, target: to.IP6})
		lie("advertisement's MAC", frame{kind: "na", dst: to.MAC, sha: stranger, from: e.IP6, to: to.IP6, target: e.IP6})
		lie("router advertisement", frame{kind: "ra", dst: allNodes, from: e.IP6, to: to.IP6})
		lie("an honest advertisement", frame{kind: "na", dst: to.MAC, sha: e.MAC, from: e.IP6, to: to.IP6, target: e.IP6})
	}
	return list
}

// claims lists the answers of a machine outside to local endpoints about every address of their VLAN, and about its own.
func claims(m model) (list []question) {
	for _, id := range ids(m.State) {
		to := m.Endpoints.Get(id)
		n := m.Segments.Get(to.Segment)
		if to.Host != m.Self || n.Encap != ofnet.VLAN || n.Tenant == "watch" {
			continue
		}
		claim := func(what string, f frame) {
			f.vlan, f.src, f.dst, f.sha, f.tha, f.ttl = int(n.Tag), stranger, to.MAC, stranger, to.MAC, 255
			list = append(list, question{"outside claims " + what + " to " + id, way{}, f})
		}
		claim("its own address", frame{kind: "arp", op: 2, from: n.Gateway4, to: to.IP4})
		if to.IP6.IsValid() {
			claim("its own address", frame{kind: "na", from: n.Gateway6, to: to.IP6, target: n.Gateway6})
		}
		for _, other := range ids(m.State) {
			e := m.Endpoints.Get(other)
			if e.Segment != to.Segment {
				continue
			}
			claim("to have the address of "+other, frame{kind: "arp", op: 2, from: e.IP4, to: to.IP4})
			if e.IP6.IsValid() && to.IP6.IsValid() {
				claim("to have the address of "+other, frame{kind: "na", from: e.IP6, to: to.IP6, target: e.IP6})
			}
		}
	}
	return list
}

// elsewhere returns the tunnel address of a host other than this one and the given one.
func (m model) elsewhere(host string) netip.Addr {
	for name, h := range m.Hosts.All() {
		if name != host && name != m.Self && h.VTEP.IsValid() {
			return h.VTEP
		}
	}
	return netip.Addr{}
}

// foreign lists the claims that the tunnel of each host sends to endpoints here: that this host, the sender or a third host has the address
// of an endpoint.
func foreign(m model) (list []question) {
	for _, id := range ids(m.State) {
		to := m.Endpoints.Get(id)
		n := m.Segments.Get(to.Segment)
		if to.Host != m.Self || n.Encap != ofnet.VXLAN || n.Tenant == "watch" {
			continue
		}
		for name, h := range m.Hosts.All() {
			if name == m.Self || !h.VTEP.IsValid() {
				continue
			}
			for _, other := range ids(m.State) {
				e := m.Endpoints.Get(other)
				if e.Segment != to.Segment {
					continue
				}
				tell := func(f frame) {
					f.src, f.dst, f.sha, f.tha, f.ttl = e.MAC, to.MAC, e.MAC, to.MAC, 255
					list = append(list, question{name + " claims to have the address of " + other + " to " + id, way{peer: h.VTEP, vni: n.Tag}, f})
				}
				tell(frame{kind: "arp", op: 2, from: e.IP4, to: to.IP4})
				tell(frame{kind: "arp", op: 1, from: e.IP4, to: to.IP4})
				if e.IP6.IsValid() && to.IP6.IsValid() {
					tell(frame{kind: "na", from: e.IP6, to: to.IP6, target: e.IP6})
					tell(frame{kind: "na", from: to.IP6, to: to.IP6, target: e.IP6})
				}
			}
		}
	}
	return list
}

// TestPackets sends frames through a real switch from endpoints, from the uplink and from tunnels, and compares the frames at every port with
// the model. The frames are unicasts, broadcasts, frames to unknown addresses, and frames with each field forged.
func TestPackets(t *testing.T) {
	var lacks ofnet.Abilities
	t.Run("datapath", func(t *testing.T) { lacks = packets(t, 0) })
	if !lacks.Has(ofnet.NDExtensions) {
		t.Run("without extensions of neighbor discovery", func(t *testing.T) { packets(t, ofnet.NDExtensions) })
	}
}

// packets runs TestPackets on a datapath without some abilities, and returns these.
func packets(t *testing.T, without ofnet.Abilities) (lacks ofnet.Abilities) {
	t.Helper()
	text, err := os.ReadFile("testdata/state.txt")
	if err != nil {
		t.Fatal(err)
	}
	s := ofnettest.Parse(t, string(text)+moreState)
	s.Missing = without
	l := newLabOf(t, s)
	w := newWires(t, l)
	var all []question
	for _, id := range ids(w.State) {
		e := w.Endpoints.Get(id)
		n := w.Segments.Get(e.Segment)
		switch {
		case n.Tenant == "watch":
		case e.Host == w.Self:
			all = append(all, talk(w.model, id, way{endpoint: e}, 0, e.MAC, e.IP4, e.IP6)...)
			all = append(all, gateways(n, e)...)
			for _, other := range []string{"a2", "b2"} {
				if id != other {
					all = append(all, lies(e, w.Endpoints.Get(other))...)
				}
			}
		case n.Encap == ofnet.VXLAN:
			for name, in := range map[string]way{
				"":                    {peer: w.Hosts.Get(e.Host).VTEP, vni: n.Tag},
				" by an unknown VNI":  {peer: w.Hosts.Get(e.Host).VTEP, vni: 4999},
				" by a stranger":      {peer: netip.MustParseAddr("192.168.251.99"), vni: n.Tag},
				" by our own address": {peer: w.Hosts.Get(w.Self).VTEP, vni: n.Tag},
				" by another host":    {peer: w.elsewhere(e.Host), vni: n.Tag},
			} {
				all = append(all, talk(w.model, id+name, in, 0, e.MAC, e.IP4, e.IP6)...)
			}
		default:
			for name, vlan := range map[string]int{"": int(n.Tag), " by an unknown VLAN": 99, " without a tag": 0} {
				all = append(all, talk(w.model, id+name, way{}, vlan, e.MAC, e.IP4, e.IP6)...)
			}
		}
	}
	// A machine outside, and one that has a local endpoint's address.
	router := netip.MustParseAddr("10.2.0.254")
	all = append(all, talk(w.model, "outside", way{}, 11, stranger, router, netip.Addr{})...)
	all = append(all, talk(w.model, "outside, forged", way{}, 11, stranger, w.Endpoints.Get("b1").IP4, netip.Addr{})...)
	all = append(all, claims(w.model)...)
	all = append(all, foreign(w.model)...)
	up := w.Hosts.Get(w.Self).UplinkMAC
	all = append(all, question{"routed in", way{}, frame{kind: "udp", vlan: 15, src: w.Hosts.Get("h2").UplinkMAC, dst: up, from: w.Endpoints.Get("e2").IP4, to: w.Endpoints.Get("e1").IP4, ttl: 63}},
		question{"routed in, other network", way{}, frame{kind: "udp", vlan: 15, src: w.Hosts.Get("h2").UplinkMAC, dst: up, from: w.Endpoints.Get("e2").IP4, to: w.Endpoints.Get("c1").IP4, ttl: 63}})

	passed, frames := 0, 0
	for _, q := range all {
		want, got := w.model.verdict(q.in, q.f), w.verdict(t, q.in, q.f)
		if v := (&visit{in: q.in, f: q.f}); v.local() && q.f.src[0]&1 == 0 && !v.honest() {
			port := fmt.Sprintf("p%d", q.in.endpoint.Port)
			p := w.passed[port]
			p.sent--
			w.passed[port] = p
		}
		if !slices.Equal(want, got) {
			t.Errorf("%s: %v\nwant %s\ngot  %s", q.name, q.f, strings.Join(want, "\n     "), strings.Join(got, "\n     "))
		}
		if len(want) > 0 {
			passed++
		}
		frames += len(want)
	}
	w.checkCounters(t)
	t.Logf("%d verdicts: %d let through, in %d frames; %d dropped", len(all), passed, frames, len(all)-passed)
	if passed < 150 || len(all)-passed < 150 {
		t.Errorf("verdicts: want at least 150 of each sort, got %d let through of %d", passed, len(all))
	}
	return s.Missing
}

// ids are the endpoints of a State by name.
func ids(s *ofnet.State) (out []string) {
	for id := range s.Endpoints.All() {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}
