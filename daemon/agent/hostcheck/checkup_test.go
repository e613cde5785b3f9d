// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

func codes(list []model.Finding) (out []string) {
	for _, f := range list {
		out = append(out, string(f.Severity)+" "+f.Code.String()+" "+f.Object)
	}
	return out
}

var errRead = errors.New("it cannot be read")

func TestContainers(t *testing.T) {
	mac, other := net.HardwareAddr{2, 2, 10, 1, 1, 1}, net.HardwareAddr{2, 2, 10, 1, 1, 9}
	address, gateway := netip.MustParsePrefix("10.1.1.1/24"), netip.MustParseAddr("10.1.1.254")
	const web = "endpoint/default:blue:web"
	for _, row := range []struct {
		name   string
		change func(s *link.Seen)
		want   []string
	}{
		{"as it was made", func(*link.Seen) {}, nil},
		{"namespace gone", func(s *link.Seen) { *s = link.Seen{} }, []string{"error container-namespace " + web}},
		{"interface gone", func(s *link.Seen) { s.Inner = false }, []string{"error container-interface " + web}},
		{"down outside", func(s *link.Seen) { s.OuterUp = false }, []string{"error container-down " + web}},
		{"down inside", func(s *link.Seen) { s.InnerUp, s.Default = false, nil }, []string{"error container-down " + web}},
		{"another MAC", func(s *link.Seen) { s.MAC = other }, []string{"error container-mac " + web}},
		{"another address", func(s *link.Seen) { s.Addrs = []netip.Prefix{netip.MustParsePrefix("10.1.1.7/24")} }, []string{"error container-address " + web}},
		{"an address more", func(s *link.Seen) { s.Addrs = append(s.Addrs, netip.MustParsePrefix("10.1.1.7/24")) }, nil},
		{"another gateway", func(s *link.Seen) { s.Default = []netip.Addr{netip.MustParseAddr("10.1.1.9")} }, []string{"error container-gateway " + web}},
		{"no gateway", func(s *link.Seen) { s.Default = nil }, []string{"error container-gateway " + web}},
		{"another way out", func(s *link.Seen) { s.Default, s.Other = nil, true }, nil},
		{"a larger MTU", func(s *link.Seen) { s.MTU = 9000 }, []string{"error container-mtu " + web}},
		{"a smaller MTU", func(s *link.Seen) { s.MTU = 1280 }, []string{"warning container-mtu " + web}},
		{"no listener", func(s *link.Seen) { s.Listeners[0].Port = 81 }, []string{"warning provider-silent " + web}},
		{"a listener of the other protocol", func(s *link.Seen) { s.Listeners[0].Protocol = ofnet.ProtocolUDP }, []string{"warning provider-silent " + web}},
		{"a listener of loopback", func(s *link.Seen) { s.Listeners[0].Addr = netip.MustParseAddr("127.0.0.1") }, []string{"warning provider-silent " + web}},
		{"a listener of both families", func(s *link.Seen) { s.Listeners[0].Addr = netip.IPv6Unspecified() }, nil},
		{"filters", func(s *link.Seen) { s.Drops = []string{"chain input drops"} }, []string{"warning container-filter " + web}},
	} {
		t.Run(row.name, func(t *testing.T) {
			seen := link.Seen{Netns: true, Outer: true, OuterUp: true, Inner: true, InnerUp: true, MAC: mac, MTU: 1450, Addrs: []netip.Prefix{address},
				Default: []netip.Addr{gateway}, Listeners: []link.Listener{{Protocol: ofnet.ProtocolTCP, Addr: netip.IPv4Unspecified(), Port: 80}}}
			row.change(&seen)
			c := containers(link.Config{MAC: mac, MTU: 1450, Addrs: []netip.Prefix{address}, Gateways: []netip.Addr{gateway}}, address.Addr())
			c.Look = func(_, _, _ string, listeners bool) (link.Seen, error) {
				if !listeners {
					t.Error("a provider's sockets are to be read")
				}
				return seen, nil
			}
			if got := codes(c.Check().Look(t.Context())); !slices.Equal(got, row.want) {
				t.Errorf("want %q, got %q", row.want, got)
			}
		})
	}
	c := containers(link.Config{}, address.Addr())
	c.Look = func(string, string, string, bool) (link.Seen, error) { return link.Seen{}, errRead }
	if got := codes(c.Check().Look(t.Context())); !slices.Equal(got, []string{"unknown container-unknown " + web}) {
		t.Errorf("what cannot be read is not known, got %q", got)
	}
}

// containers returns one container, which provides a service.
func containers(made link.Config, address netip.Addr) *Containers {
	return &Containers{Host: "h1",
		Services: func() []*ofnet.Service {
			return []*ofnet.Service{{Name: "default:shop", Ports: []ofnet.ServicePort{{Protocol: ofnet.ProtocolTCP, Port: 8080,
				Backends: []ofnet.Backend{{Addr: address, Target: 80}}}}}}
		},
		Attached: func(context.Context) ([]attach.Configured, map[string]error) {
			return []attach.Configured{{Attachment: attach.Attachment{ContainerID: "web", IfName: "eth0", Netns: "/run/netns/web", StateID: "default:blue:web",
				Port: ovsdb.Port{Name: "vvport1"}}, Endpoint: record.Endpoint{IP: address}, Config: made}}, nil
		}}
}

func TestUnderlay(t *testing.T) {
	const flows = "duration=3s, priority=0,actions=NORMAL\ntable_id=254, priority=2,recirc_id=0,actions=drop\nduration=3s, priority=180000,arp,actions=LOCAL\n"
	for _, row := range []struct {
		name   string
		change func(u *Underlay)
		want   []string
	}{
		{"well", func(*Underlay) {}, nil},
		{"no interface has the address", func(u *Underlay) {
			u.Find = func(netip.Addr) (link.Underlay, error) { return link.Underlay{}, link.ErrNoAddress }
		}, []string{"error vtep-missing host/h1"}},
		{"not known", func(u *Underlay) {
			u.Find = func(netip.Addr) (link.Underlay, error) { return link.Underlay{}, errRead }
		},
			[]string{"unknown underlay-unknown host/h1"}},
		{"down", func(u *Underlay) {
			u.Find = func(netip.Addr) (link.Underlay, error) { return link.Underlay{Name: "eth0", MTU: 1500}, nil }
		}, []string{"error vtep-down host/h1"}},
		{"a NIC of a smaller MTU below the bridge", func(u *Underlay) {
			u.Interface = func(string) (link.Underlay, error) { return link.Underlay{MTU: 1400, Up: true}, nil }
		}, []string{"error underlay-mtu host/h1"}},
		{"a flow that drops", func(u *Underlay) {
			u.Flows = func(context.Context, string) (string, error) { return flows + "priority=9,udp,actions=drop\n", nil }
		}, []string{"warning underlay-flows host/h1"}},
		{"the bridge's ports are not known", func(u *Underlay) { u.Members = func(context.Context, string) ([]string, error) { return nil, errRead } },
			[]string{"unknown underlay-unknown host/h1"}},
		{"the bridge's flows are not known", func(u *Underlay) { u.Flows = func(context.Context, string) (string, error) { return "", errRead } },
			[]string{"unknown underlay-unknown host/h1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			u := &Underlay{Host: "h1", VTEP: netip.MustParseAddr("192.0.2.1"), Bridge: func(name string) bool { return name == "br0" },
				Find:      func(netip.Addr) (link.Underlay, error) { return link.Underlay{Name: "br0", MTU: 1500, Up: true}, nil },
				Interface: func(string) (link.Underlay, error) { return link.Underlay{MTU: 1500, Up: true}, nil },
				Members:   func(context.Context, string) ([]string, error) { return []string{"eth0"}, nil },
				Flows:     func(context.Context, string) (string, error) { return flows, nil }}
			row.change(u)
			if got := codes(u.Check().Look(t.Context())); !slices.Equal(got, row.want) {
				t.Errorf("want %q, got %q", row.want, got)
			}
		})
	}
}

// Each family has its remedy, without the address by which the check looks for a route.
func TestWayOut_Families(t *testing.T) {
	packets := uint64(0)
	w := &ExternalPath{Host: "h1", Now: time.Now, Routes: func() []netip.Addr {
		return []netip.Addr{netip.MustParseAddr("172.19.0.2"), netip.MustParseAddr("fd00::2")}
	},
		Unrouted: func() (uint64, uint64, error) { packets++; return packets, packets, nil },
		Sent:     func() (uint64, error) { return packets, nil },
		NextHop: func(_, dst netip.Addr) (link.NextHop, error) {
			return link.NextHop{Lost: "has no route to " + dst.String(), Try: "give it one", None: true}, nil
		}}
	w.Check().Look(t.Context())
	found := w.Check().Look(t.Context())
	if len(found) != 2 {
		t.Fatalf("findings: got %v, want one of each family", found)
	}
	for i, want := range []struct{ family, remedy string }{{"IPv4", "(ip route add default via ROUTER)"}, {"IPv6", "(ip -6 route add default via ROUTER)"}} {
		if f := found[i]; !strings.Contains(f.Evidence, "no default route of "+want.family+";") || !strings.Contains(f.Remedy, want.remedy) {
			t.Errorf("%s: got %q, %q, want the family and %q", want.family, f.Evidence, f.Remedy, want.remedy)
		}
	}
}

func TestWayOut(t *testing.T) {
	from := []netip.Addr{netip.MustParseAddr("172.19.0.2"), netip.MustParseAddr("fd00::2")}
	none := link.NextHop{Lost: "has no route to 192.0.2.1", Try: "give it one", None: true}
	for _, row := range []struct {
		name    string
		routes  []netip.Addr
		nextHop link.NextHop
		err     error
		lost    uint64        // packets, between the first look and the second
		silent  bool          // containers send nothing meanwhile
		after   time.Duration // when there is a third
		want    []string
	}{
		{"leaves", from, link.NextHop{Dev: "eth0"}, nil, 9, false, 0, nil},
		{"nothing is routed", nil, none, nil, 9, false, 0, nil},
		{"no route", from[:1], none, nil, 1, false, 0, []string{"warning wayout-missing host/h1"}},
		{"no route, of both families", from, none, nil, 1, false, 0, []string{"warning wayout-missing host/h1", "warning wayout-missing host/h1"}},
		{"no route, and no packet", from, none, nil, 0, false, 0, nil},
		{"no route, lately", from[:1], none, nil, 1, false, unroutedLately, []string{"warning wayout-missing host/h1"}},
		{"no route, long ago", from[:1], none, nil, 1, false, unroutedLately + time.Second, nil},
		{"a way that is down", from[:1], link.NextHop{Lost: "has a route by interface eth0, which is down"}, nil, 0, false, 0, []string{"warning wayout-missing host/h1"}},
		{"not known", from[:1], link.NextHop{}, errRead, 0, false, 0, []string{"unknown wayout-unknown host/h1"}},
		{"no route, for packets of others", from[:1], none, nil, 1, true, 0, nil},
	} {
		now, packets, sent := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), uint64(7), uint64(70)
		w := &ExternalPath{Host: "h1", Routes: func() []netip.Addr { return row.routes }, Now: func() time.Time { return now },
			Unrouted: func() (uint64, uint64, error) { return packets, packets, nil },
			Sent:     func() (uint64, error) { return sent, nil },
			NextHop: func(src, dst netip.Addr) (link.NextHop, error) {
				if src.Is4() != dst.Is4() {
					t.Errorf("%s: %s and %s are of two families", row.name, src, dst)
				}
				return row.nextHop, row.err
			}}
		look := w.Check().Look
		look(t.Context())
		packets += row.lost
		if !row.silent {
			sent++
		}
		got := codes(look(t.Context()))
		if row.after > 0 {
			now = now.Add(row.after)
			got = codes(look(t.Context()))
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

// The check finds nothing with a working Open vSwitch, and a problem without one.
func TestSwitch(t *testing.T) {
	ovs := ovstest.Start(t)
	ovs.Bridge("br0")
	missing := false
	isMissing := func() bool { return missing }
	s := &Switch{Host: "h1", OpenFlow: ovs.Mgmt("br0"), OVSDB: ovs.DBSocket(), Missing: isMissing, Waits: func() bool { return false }}
	if got := s.Check().Look(t.Context()); len(got) != 0 {
		t.Errorf("a switch that works: got %+v", got)
	}
	if names, err := Ports(t.Context(), s.OpenFlow); err != nil || !slices.Contains(names, "br0") {
		t.Errorf("ports: got %v, %v", names, err)
	}
	ovs.Pause()
	if got := codes(s.Check().Look(t.Context())); !slices.Equal(got, []string{"error switch-silent host/h1"}) {
		t.Errorf("a switch that is stopped: got %q", got)
	}
	late := *s
	late.Waits = func() bool { return true }
	if got := codes(late.Check().Look(t.Context())); !slices.Equal(got, []string{"error switch-upcall host/h1"}) {
		t.Errorf("a switch that waits for flows, and answers late: got %q", got)
	}
	ovs.Resume()
	ovs.PauseDB()
	if got := codes(s.Check().Look(t.Context())); !slices.Equal(got, []string{"error ovsdb-silent host/h1"}) {
		t.Errorf("a database that is stopped: got %q", got)
	}
	ovs.ResumeDB()
	away := &Switch{Host: "h1", OpenFlow: filepath.Join(ovs.Dir, "none.mgmt"), OVSDB: filepath.Join(ovs.Dir, "none.sock"), Missing: isMissing, Waits: func() bool { return true }}
	if got := codes(away.Check().Look(t.Context())); !slices.Equal(got, []string{"error switch-silent host/h1", "error ovsdb-silent host/h1"}) {
		t.Errorf("no switch: got %q", got)
	}
	missing = true
	if got := codes(away.Check().Look(t.Context())); !slices.Equal(got, []string{"error ovsdb-silent host/h1"}) {
		t.Errorf("a switch without the bridge: got %q", got)
	}
}

// A key left in the database keeps the switch from handling packets, even after a restart: the remedy names the key.
func TestSwitchWaits(t *testing.T) {
	ovs := ovstest.Start(t)
	ovs.Bridge("br0")
	ovs.Vsctl("set", "Open_vSwitch", ".", "other_config:flow-restore-wait=true")
	db := ovsdb.NewClient(ovs.DBSocket(), slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { _ = db.Run(ctx) })
	defer running.Wait()
	defer cancel()
	<-db.Ready()
	s := &Switch{Host: "h1", OpenFlow: ovs.Mgmt("br0"), OVSDB: ovs.DBSocket(), Missing: func() bool { return false },
		Waits: func() (waits bool) { db.View(func(t *ovsdb.Tables) { waits = t.Waits() }); return waits }}
	ovs.StopSwitch()
	ovs.StartSwitch()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); time.Since(begin) < 10*time.Second; <-tick.C { // until the bridge is there
		if c, err := net.Dial("unix", s.OpenFlow); err == nil {
			_ = c.Close()
			break
		}
	}
	if got := s.Check().Look(t.Context()); len(got) != 1 || got[0].Code != model.FindingSwitchUpcall || !strings.Contains(got[0].Remedy, "ovs-vsctl remove Open_vSwitch . other_config flow-restore-wait") {
		t.Errorf("want the key named, got %+v", got)
	}
	waits := s.Waits
	for after, want := range map[time.Duration]bool{9950 * time.Millisecond: true, time.Minute: false} { // as if the switch had another cause
		s.Waits, s.Started = func() bool { return false }, func() (time.Duration, error) { return after, nil }
		if got := s.Check().Look(t.Context()); len(got) != 1 || strings.Contains(got[0].Evidence, "it started 9.9 s after the boot") != want {
			t.Errorf("started %s after the boot: want this named: %t, got %+v", after, want, got)
		}
	}
	s.Waits = waits
	ovs.Vsctl("remove", "Open_vSwitch", ".", "other_config", "flow-restore-wait")
	if got := s.Check().Look(t.Context()); len(got) != 0 {
		t.Errorf("without the key: got %+v", got)
	}
}

func TestRouter(t *testing.T) {
	peer := func(state, reason string, restarting bool) (p bgp.PeerStatus) {
		p.Conf.NeighborAddress, p.Conf.PeerAS = "192.0.2.9", 65001
		p.State.SessionState, p.State.Reason, p.State.Restarting = state, reason, restarting
		return p
	}
	for _, row := range []struct {
		name   string
		status bgp.Status
		err    error
		want   []string
	}{
		{"no router", bgp.Status{}, bgp.ErrNoRouter, nil},
		{"a router that does not say", bgp.Status{}, errRead, []string{"unknown bgp-unknown bgp/h1"}},
		{"well", bgp.Status{Peers: []bgp.PeerStatus{peer("established", "", false)}, Hops: []bgp.HopStatus{{Address: "192.0.2.9", MAC: "02:00:00:00:00:01", Prefixes: 3}}}, nil, nil},
		{"down", bgp.Status{Peers: []bgp.PeerStatus{peer("active", "hold timer expired", false)}}, nil, []string{"error bgp-down bgp/h1"}},
		{"restarting", bgp.Status{Peers: []bgp.PeerStatus{peer("idle", "", true)}}, nil, []string{"warning bgp-restarting bgp/h1"}},
		{"a next hop that is not on the link", bgp.Status{Hops: []bgp.HopStatus{{Address: "192.0.2.8", Prefixes: 3}}}, nil, []string{"error bgp-nexthop bgp/h1"}},
		{"a router that did not start", bgp.Status{Error: "address in use"}, nil, []string{"error bgp-router bgp/h1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := &Router{Host: "h1", Status: func() (bgp.Status, error) { return row.status, row.err }}
			if got := codes(r.Check().Look(t.Context())); !slices.Equal(got, row.want) {
				t.Errorf("want %q, got %q", row.want, got)
			}
		})
	}
}

func TestRefusals(t *testing.T) {
	s := ofnettest.Parse(t, "self h1\nhost h1\ntenant blue id=1\nnetwork blue:n id=101 vxlan=5001 bridge proxy net=10.1.0.0/24\ngroup blue:db id=1 network=blue:n\n"+
		"rule ssh group=blue:db in deny priority=1 proto=tcp ports=22\n")
	rules := slices.Collect(s.AttachedRules())
	if len(rules) != 1 {
		t.Fatalf("want one rule, got %v", rules)
	}
	now, hits, failure := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), bridge.Hits{}, error(nil)
	r := &Refusals{Host: "h1", Now: func() time.Time { return now }, Rules: func() []ofnet.AttachedRule { return slices.Clone(rules) },
		Hits: func(context.Context) (map[uint64]bridge.Hits, error) {
			return map[uint64]bridge.Hits{flow.Owner(rules[0].Key()): hits}, failure
		}}
	look := r.Check().Look
	for _, row := range []struct {
		name  string
		after time.Duration
		hits  bridge.Hits
		want  []string
	}{
		{"what was counted before", 0, bridge.Hits{Packets: 7, Seconds: 100}, nil},
		{"nothing more", time.Second, bridge.Hits{Packets: 7, Seconds: 101}, nil},
		{"one more", time.Second, bridge.Hits{Packets: 8, Seconds: 102}, []string{"note rule-refuses rule/blue:db:ssh"}},
		{"lately", 30 * time.Second, bridge.Hits{Packets: 8, Seconds: 132}, []string{"note rule-refuses rule/blue:db:ssh"}},
		{"long ago", time.Minute, bridge.Hits{Packets: 8, Seconds: 192}, nil},
		{"recreated, as another rule", time.Minute, bridge.Hits{Packets: 3, Seconds: 5}, nil},
		{"an old rule", 25 * time.Hour, bridge.Hits{Packets: 300, Seconds: 25 * 3600}, nil},
		{"a new one", time.Second, bridge.Hits{Packets: 2, Seconds: 1}, []string{"note rule-refuses rule/blue:db:ssh"}},
	} {
		now, hits = now.Add(row.after), row.hits
		if got := codes(look(t.Context())); !slices.Equal(got, row.want) {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
	failure = errRead
	if got := codes(look(t.Context())); !slices.Equal(got, []string{"unknown refusals-unknown switch/contiv0"}) {
		t.Errorf("what cannot be read is not known, got %q", got)
	}
}

func TestPolicies(t *testing.T) {
	p := &Policies{Host: "h1", Crowded: func() []*ofnet.ClassPolicy {
		return []*ofnet.ClassPolicy{{Name: "many-3", Stage: ofnet.StageAdmin, Priority: 100}}
	}}
	if got := codes(p.Check().Look(t.Context())); !slices.Equal(got, []string{"error policy-crowded policy/many-3"}) {
		t.Errorf("got %q", got)
	}
}

func TestResources(t *testing.T) {
	for _, row := range []struct {
		used uint64
		want string
	}{{0, ""}, {799, ""}, {800, "warning resources-exhausted host/h1"}, {1000, "error resources-exhausted host/h1"}} {
		r := &Resources{Host: "h1", Now: func(context.Context) []model.Resource {
			return []model.Resource{{Name: "descriptors", Used: row.used, Max: 1000}}
		}}
		if got := strings.Join(codes(r.Check().Look(t.Context())), ","); got != row.want {
			t.Errorf("%d of 1000: want %q, got %q", row.used, row.want, got)
		}
	}
}

func TestPublished(t *testing.T) {
	p := &Published{Host: "h1", Unreached: func() map[string]string {
		return map[string]string{"default:vl:pub": "network default:vl is a bridged VLAN"}
	}, Kept: func() map[string]string {
		return map[string]string{"shop/web: tcp/443 at 192.0.2.1": "address already in use"}
	}}
	if got := codes(p.Check().Look(t.Context())); !slices.Equal(got, []string{"warning port-unpublished endpoint/default:vl:pub", "warning port-kept host/h1"}) {
		t.Errorf("got %q", got)
	}
}

func TestAttachments(t *testing.T) {
	a := &Attachments{Failures: func() []attach.Failure {
		return []attach.Failure{{Container: "pod/ns/web", Tries: 2, Reason: "no such network"}}
	}}
	if got := codes(a.Check().Look(t.Context())); !slices.Equal(got, []string{"warning attach-failed pod/ns/web"}) {
		t.Errorf("got %q", got)
	}
}
