// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// intruder is a container whose program has a packet socket, and the host behind its interface, which listens at 10.254.0.1 port 9999 of
// UDP.
type intruder struct {
	t       *testing.T
	h       *link.Host
	host    *linktest.Namespace
	inside  *link.Namespace
	outside *link.Namespace
	mac     net.HardwareAddr // of the host end
	asked   net.PacketConn
	rounds  int
}

const hostEnd = "vvintruder"

func newIntruder(t *testing.T) *intruder {
	h, host := open(t)
	c := linktest.New(t)
	x := &intruder{t: t, h: h, host: host}
	host.IP("link", "set", "lo", "up")
	host.IP("addr", "add", "10.254.0.1/32", "dev", "lo")
	if err := h.Create(link.Pair{Host: hostEnd, Netns: c.Path, IfName: "eth0", MTU: 1500}); err != nil {
		t.Fatal(err)
	}
	for ns, path := range map[**link.Namespace]string{&x.inside: c.Path, &x.outside: host.Path} {
		opened, err := link.OpenNamespace(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(opened.Close)
		*ns = opened
	}
	at, err := h.Interface(hostEnd)
	if err != nil {
		t.Fatal(err)
	}
	x.mac = at.MAC
	err = x.outside.Do(func() (err error) {
		x.asked, err = net.ListenPacket("udp", "10.254.0.1:9999")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.asked.Close() })
	return x
}

func (x *intruder) sysctl(setting string) {
	x.t.Helper()
	if out, err := x.host.Exec("sysctl", "-w", setting); err != nil {
		x.t.Fatal(out, err)
	}
}

// packetSocket opens a packet socket at an interface of the thread's namespace.
func packetSocket(name string) (fd int, err error) {
	iface, err := net.InterfaceByName(name)
	if err != nil {
		return 0, err
	}
	const all = unix.ETH_P_ALL>>8 | unix.ETH_P_ALL&0xff<<8 // in network order
	if fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, all); err != nil {
		return 0, err
	}
	if err := unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all, Ifindex: iface.Index}); err != nil {
		_ = unix.Close(fd)
		return 0, err
	}
	return fd, nil
}

// frame builds one.
func (x *intruder) frame(to net.HardwareAddr, kind layers.EthernetType, above ...gopacket.SerializableLayer) []byte {
	x.t.Helper()
	eth := &layers.Ethernet{SrcMAC: net.HardwareAddr{2, 0, 0, 0, 0, 9}, DstMAC: to, EthernetType: kind}
	buf := gopacket.NewSerializeBuffer()
	err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, append([]gopacket.SerializableLayer{eth}, above...)...)
	if err != nil {
		x.t.Fatal(err)
	}
	return buf.Bytes()
}

// intrude sends a datagram to the host's MAC and to all, from addresses near and far, and a router advertisement. It returns what the
// host took.
func (x *intruder) intrude() (took []string) {
	x.t.Helper()
	x.rounds++
	var frames [][]byte
	all := net.HardwareAddr{255, 255, 255, 255, 255, 255}
	for name, to := range map[string]net.HardwareAddr{"to its MAC": x.mac, "to all": all} {
		for _, from := range []string{"10.254.0.2", "198.51.100.7"} {
			ip := &layers.IPv4{Version: 4, TTL: 64, Protocol: layers.IPProtocolUDP, SrcIP: net.ParseIP(from), DstIP: net.ParseIP("10.254.0.1")}
			udp := &layers.UDP{SrcPort: 5555, DstPort: 9999}
			_ = udp.SetNetworkLayerForChecksum(ip)
			frames = append(frames, x.frame(to, layers.EthernetTypeIPv4, ip, udp, gopacket.Payload("datagram "+name+" from "+from)))
		}
	}
	ip := &layers.IPv6{Version: 6, HopLimit: 255, NextHeader: layers.IPProtocolICMPv6, SrcIP: net.ParseIP("fe80::9"), DstIP: net.ParseIP("ff02::1")}
	icmp := &layers.ICMPv6{TypeCode: layers.CreateICMPv6TypeCode(layers.ICMPv6TypeRouterAdvertisement, 0)}
	_ = icmp.SetNetworkLayerForChecksum(ip)
	frames = append(frames, x.frame(net.HardwareAddr{0x33, 0x33, 0, 0, 0, 1}, layers.EthernetTypeIPv6, ip, icmp,
		&layers.ICMPv6RouterAdvertisement{HopLimit: 64, RouterLifetime: 1800}))
	// The kernel hands a frame to packet sockets before anyone else, one frame after the other: when this one is there, the rest has been
	// dealt with.
	last := x.frame(all, 0x88b5, gopacket.Payload(fmt.Sprintf("the last of round %d, and as long as a frame has to be...............", x.rounds)))
	var seen int
	err := x.outside.Do(func() (err error) {
		seen, err = packetSocket(hostEnd)
		return err
	})
	if err != nil {
		x.t.Fatal(err)
	}
	defer func() { _ = unix.Close(seen) }()
	err = x.inside.Do(func() error {
		runtime.LockOSThread() // and on one processor, whose queue keeps the order
		defer runtime.UnlockOSThread()
		var before, one unix.CPUSet
		if err := unix.SchedGetaffinity(0, &before); err != nil {
			return err
		}
		defer func() { _ = unix.SchedSetaffinity(0, &before) }()
		for cpu := range 1024 {
			if before.IsSet(cpu) {
				one.Set(cpu)
				break
			}
		}
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			return err
		}
		fd, err := packetSocket("eth0")
		if err != nil {
			return err
		}
		defer func() { _ = unix.Close(fd) }()
		for _, f := range append(frames, last) {
			if _, err := unix.Write(fd, f); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		x.t.Fatal(err)
	}
	buf := make([]byte, 2048)
	for {
		n, err := unix.Read(seen, buf)
		if err != nil {
			x.t.Fatal(err)
		}
		if bytes.Equal(buf[:n], last) {
			break
		}
	}
	_ = x.asked.SetReadDeadline(time.Now().Add(time.Millisecond)) // what is there is read at once
	for {
		n, _, err := x.asked.ReadFrom(buf)
		if err != nil {
			break
		}
		took = append(took, string(buf[:n]))
	}
	if strings.Contains(x.host.IP("-6", "route", "show", "table", "all", "proto", "ra"), "default via fe80::9") {
		took = append(took, "router advertisement")
	}
	slices.Sort(took)
	return took
}

// Packets of a container's interface enter the host's stack only through the switch.
func TestEndsTakeNothing(t *testing.T) {
	x := newIntruder(t)
	x.sysctl("net.ipv4.conf.all.rp_filter=0")
	opened := func() {
		t.Helper()
		for _, s := range []string{"ipv4.conf." + hostEnd + ".rp_filter=0", "ipv6.conf." + hostEnd + ".disable_ipv6=0", "ipv6.conf." + hostEnd + ".accept_ra=2"} {
			x.sysctl("net." + s)
		}
	}
	if took := x.intrude(); len(took) > 0 {
		t.Errorf("by an interface as it is made, without nftables: want nothing taken, got %q", took)
	}
	opened()
	if took := x.intrude(); len(took) != 5 {
		t.Fatalf("by an interface that others have opened, without nftables: want all 5 taken, or this test shows nothing, got %q", took)
	}
	x.host.IP("-6", "route", "flush", "proto", "ra")
	for range 2 { // again changes nothing
		if err := x.h.CloseEnds(); err != nil {
			t.Fatal(err)
		}
		if took := x.intrude(); len(took) > 0 {
			t.Errorf("by an interface that others have opened: want nothing taken, got %q", took)
		}
	}
	if drift, err := x.h.Ends().Drift(); err != nil || len(drift) != 1 || fmt.Sprint(drift[0].Was) != "[rp_filter=0 disable_ipv6=0]" {
		t.Errorf("want the interface listed as opened, got %+v, %v", drift, err)
	}
	x.host.IP("link", "set", hostEnd, "group", "0", "arp", "on")
	if drift, err := x.h.Ends().Drift(); err != nil || len(drift) != 1 || fmt.Sprint(drift[0].Was) != "[group=0 arp=on rp_filter=0 disable_ipv6=0]" {
		t.Errorf("want the interface listed as opened, got %+v, %v", drift, err)
	}
	if err := x.h.Ends().Repair(hostEnd); err != nil {
		t.Fatal(err)
	}
	if out, err := x.host.Exec("nft", "flush", "ruleset"); err != nil {
		t.Fatal(out, err)
	}
	if drift, err := x.h.Ends().Drift(); err != nil || len(drift) != 0 {
		t.Errorf("after the repair: want no difference, got %+v, %v", drift, err)
	}
	if took := x.intrude(); len(took) > 0 {
		t.Errorf("by the repaired interface, without nftables: want nothing taken, got %q", took)
	}
	x.h.ScheduleDelete(hostEnd)
	opened()
	if drift, err := x.h.Ends().Drift(); err != nil || len(drift) != 0 {
		t.Errorf("an interface that is given up: want no difference, got %+v, %v", drift, err)
	}
}

// A NIC that is there for the switch only takes nothing either. One by which the host speaks stays open, and is closed when its address
// has gone.
func TestCloseEnds_NICs(t *testing.T) {
	host, far := linktest.Pair(t)
	h := hostOf(t, host)
	host.IP("link", "set", "lo", "up")
	host.IP("addr", "add", "10.254.0.1/32", "dev", "lo")
	host.IP("link", "set", "u0", "up")
	far.IP("link", "set", "u0", "up")
	far.IP("addr", "add", "10.3.0.2/24", "dev", "u0")
	far.IP("route", "add", "10.254.0.1", "dev", "u0")
	host.IP("route", "add", "10.3.0.0/24", "dev", "u0", "src", "10.254.0.1")
	for _, row := range []struct {
		name   string
		before []string
		open   bool
	}{
		{"without an address", nil, false},
		{"with one", []string{"addr", "add", "10.3.0.1/24", "dev", "u0"}, true},
		{"without again", []string{"addr", "del", "10.3.0.1/24", "dev", "u0"}, false},
	} {
		if row.before != nil {
			host.IP(row.before...)
		}
		host.IP("route", "replace", "10.3.0.0/24", "dev", "u0", "src", "10.254.0.1")
		far.IP("neigh", "replace", "10.254.0.1", "lladdr", macOf(t, h, "u0"), "dev", "u0")
		if err := h.CloseEnds("u0", "absent"); err != nil {
			t.Fatal(err)
		}
		if got := reaches(far, "10.254.0.1", ""); got != row.open {
			t.Errorf("%s: want open %v, got %v\n%s", row.name, row.open, got, nftables(t, host.Name))
		}
	}
}

func macOf(t *testing.T, h *link.Host, name string) string {
	t.Helper()
	at, err := h.Interface(name)
	if err != nil {
		t.Fatal(err)
	}
	return at.MAC.String()
}

// Tables that others remove or change are listed and put right, and those of others stay.
func TestTableDrift(t *testing.T) {
	h, ns := open(t)
	guard := &link.Guard{Known: []netip.Addr{netip.MustParseAddr("10.3.0.2"), netip.MustParseAddr("fd03::2")}}
	private := netip.MustParsePrefix("172.19.0.0/16")
	ports := link.Translation{Ports: []link.Published{{Protocol: 6, From: netip.MustParseAddrPort("0.0.0.0:80"), To: netip.MustParseAddrPort("10.1.0.2:80")}}}
	for _, set := range []func() error{func() error { return h.CloseEnds() }, func() error { return h.SetGuard(guard) },
		func() error { return h.Masquerade(private, true) }, func() error { return h.SetPublished(ports) }} {
		if err := set(); err != nil {
			t.Fatal(err)
		}
	}
	all := "inet contiv-ends, inet contiv-guard, inet contiv-ports, ip contiv"
	if _, err := ns.Exec("nft", "add", "table", "arp", "probe"); err == nil { // a kernel may have no nftables for ARP
		all = "arp contiv-ends, " + all
		if out, err := ns.Exec("nft", "delete", "table", "arp", "probe"); err != nil {
			t.Fatal(out, err)
		}
	}
	whole := nftables(t, ns.Name)
	for _, row := range []struct{ nft, want string }{
		{"flush ruleset", all},
		{"delete table inet contiv-guard", "inet contiv-guard"},
		{"flush chain inet contiv-ends closed", "inet contiv-ends"},
		{"insert rule inet contiv-guard forward accept", "inet contiv-guard"},
		{"delete element inet contiv-guard known4 { 10.3.0.2 }", "inet contiv-guard"},
		{"flush chain ip contiv postrouting", "ip contiv"},
		{"flush map inet contiv-ports all4", "inet contiv-ports"},
		{"add table inet other", ""},
		{"add table inet contiv-guard { flags dormant; }", "inet contiv-guard"},
	} {
		if out, err := ns.Exec(append([]string{"nft"}, strings.Fields(row.nft)...)...); err != nil {
			t.Fatal(out, err)
		}
		drift, err := h.Tables().Drift()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range drift {
			names = append(names, d.Name)
			if err := h.Tables().Repair(d.Name); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(names, ", "); got != row.want {
			t.Errorf("nft %s: want %q listed, got %q", row.nft, row.want, got)
		}
		if drift, err := h.Tables().Drift(); err != nil || len(drift) != 0 {
			t.Errorf("nft %s: after the repair: want no difference, got %+v, %v", row.nft, drift, err)
		}
	}
	if out, err := ns.Exec("nft", "delete", "table", "inet", "other"); err != nil {
		t.Fatal(out, err)
	}
	lines := func(text string) []string { return slices.Sorted(strings.SplitSeq(text, "\n")) }
	if now := nftables(t, ns.Name); !slices.Equal(lines(now), lines(whole)) {
		t.Errorf("after all repairs: want\n%s\ngot\n%s", whole, now)
	}
	if err := h.SetGuard(nil); err != nil {
		t.Fatal(err)
	}
	if drift, err := h.Tables().Drift(); err != nil || len(drift) != 0 {
		t.Errorf("a table that is not wanted any more: want no difference, got %+v, %v", drift, err)
	}
}

// Settings that others turn off are listed and turned on again; what is stricter stays.
func TestSettingDrift(t *testing.T) {
	h, ns := open(t)
	ns.IP("link", "add", "nic.0", "type", "veth", "peer", "name", "nic1")
	sysctl := func(setting string) {
		t.Helper()
		if out, err := ns.Exec("sysctl", "-w", setting); err != nil {
			t.Fatal(out, err)
		}
	}
	for _, six := range []bool{false, true} {
		if _, err := h.EnableForwarding(six); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.LimitARP("nic.0"); err != nil {
		t.Fatal(err)
	}
	look := func(want string) {
		t.Helper()
		drift, err := h.Settings().Drift()
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, d := range drift {
			names = append(names, d.Name)
			if err := h.Settings().Repair(d.Name); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(names, " "); got != want {
			t.Errorf("want %q listed, got %q", want, got)
		}
	}
	look("")
	sysctl("net.ipv4.ip_forward=0")
	sysctl("net.ipv6.conf.all.forwarding=0")
	sysctl("net.ipv4.conf.nic/0.arp_ignore=0")
	look("net.ipv4.conf.nic/0.arp_ignore net.ipv4.ip_forward net.ipv6.conf.all.forwarding")
	look("")
	sysctl("net.ipv4.conf.nic/0.arp_ignore=2")
	look("")
	sysctl("net.ipv4.conf.nic/0.arp_ignore=0")
	sysctl("net.ipv4.conf.all.arp_ignore=1")
	h.ReleaseForwarding(false)
	sysctl("net.ipv4.ip_forward=0")
	look("")
	ns.IP("link", "del", "nic.0")
	look("")
}

// The addresses of the host are those of all links, but for what it has in networks.
func TestAddresses(t *testing.T) {
	h, ns := open(t)
	ns.IP("link", "set", "lo", "up")
	for _, l := range []string{"nic0", "hp0"} {
		ns.IP("link", "add", l, "type", "veth", "peer", "name", "far"+l)
		ns.IP("link", "set", l, "up")
	}
	for _, a := range [][]string{{"192.0.2.1/24", "nic0"}, {"192.0.2.9/24", "nic0"}, {"10.254.0.1/32", "lo"}, {"10.1.0.1/24", "hp0"}} {
		ns.IP("addr", "add", a[0], "dev", a[1])
	}
	ns.IP("addr", "add", "fd01::1/64", "dev", "nic0", "nodad")
	if err := h.SetHostPort(link.HostPort{Name: "hp0", Addrs: prefixes("10.1.0.1/24")}); err != nil {
		t.Fatal(err)
	}
	if got, err := h.Addresses(); err != nil || fmt.Sprint(got) != "[10.254.0.1 192.0.2.1 192.0.2.9 fd01::1]" {
		t.Errorf("got %v, %v", got, err)
	}
}

// A subnet that another interface has too is found, and so is a part of it; wider routes and our own interface's do not count.
func TestClaimed(t *testing.T) {
	h, ns := open(t)
	for _, l := range []string{"br0", "hp0", "up0"} {
		ns.IP("link", "add", l, "type", "veth", "peer", "name", "far"+l)
		ns.IP("link", "set", l, "up")
		ns.IP("link", "set", "far"+l, "up")
	}
	if err := h.SetHostPort(link.HostPort{Name: "hp0", Addrs: prefixes("172.19.255.254/16")}); err != nil {
		t.Fatal(err)
	}
	ns.IP("route", "add", "172.16.0.0/12", "dev", "up0")
	for _, row := range []struct {
		route []string
		want  string
	}{
		{nil, "[]"},
		{[]string{"route", "add", "172.19.5.0/24", "dev", "up0"}, "[{172.19.5.0/24 up0 172.19.0.0/16}]"},
		{[]string{"addr", "add", "172.19.0.1/16", "dev", "br0"}, "[{172.19.0.0/16 br0 172.19.0.0/16} {172.19.5.0/24 up0 172.19.0.0/16}]"},
	} {
		if row.route != nil {
			ns.IP(row.route...)
		}
		if got, err := h.Claimed(prefixes("172.19.0.0/16", "fd63::/112")...); err != nil || fmt.Sprint(got) != row.want {
			t.Errorf("after %v: want %s, got %v, %v", row.route, row.want, got, err)
		}
	}
}
