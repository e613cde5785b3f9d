// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// attached adds an endpoint with a port of that number to the world and returns its identity.
func (w *world) attached(n record.Network, name string, number uint32) string {
	id := identity.Endpoint{Network: n.ID, Endpoint: name}
	a := netip.AddrFrom4([4]byte{10, 1, 0, byte(number)})
	w.endpoints[id.String()] = record.Endpoint{ID: id, Host: "h1", IP: a}
	w.ports["v"+name] = ovsdb.Port{Name: "v" + name, OFPort: number, ExternalIDs: map[string]string{ovsdb.IDEndpoint: id.String()}}
	return id.String()
}

// leads returns the published ports of the host and their targets as text.
func (w *world) leads() string {
	var out []string
	for _, p := range w.published.Ports {
		out = append(out, fmt.Sprintf("%d/%s>%s", p.Protocol, p.From, p.To))
	}
	return strings.Join(out, " ")
}

func mappings(t *testing.T, text string) []link.PortMapping {
	t.Helper()
	list, err := link.SplitPortMappings(text)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestPublish(t *testing.T) {
	n := network("a", "data", "vxlan", "10.1.0.0/24")
	w := newWorld("bridge", n)
	e := w.engine(t)
	web, db := w.attached(n, "web", 5), w.attached(n, "db", 6)
	want := func(what, leads string) {
		t.Helper()
		if got := w.leads(); got != leads {
			t.Errorf("%s: %q, want %q", what, got, leads)
		}
	}
	// The endpoint has no address of IPv6.
	if err := e.Publish(t.Context(), web, mappings(t, "tcp/0.0.0.0:8080=80,tcp/[::]:8080=80,udp/10.0.0.1:53=53")); err != nil {
		t.Fatal(err)
	}
	both := "6/0.0.0.0:8080>172.19.0.5:80 17/10.0.0.1:53>172.19.0.5:53"
	want("published", both)
	told := func(what string, lines ...string) {
		t.Helper()
		list, err := e.Published(web)
		var got []string
		for _, p := range list {
			got = append(got, p.String())
		}
		if err != nil || !slices.Equal(got, lines) {
			t.Errorf("%s: got %q, %v, want %q", what, got, err, lines)
		}
	}
	const noSix = "tcp [::]:8080 to 80, does not work: the container has no IPv6 address"
	told("published", "tcp 0.0.0.0:8080 to 80", noSix, "udp 10.0.0.1:53 to 53")
	// Another agent finds it in the switch, and restores the mappings that others removed.
	w.published = link.Translation{}
	e = w.engine(t)
	const notYet = ", does not work: the host does not translate it yet"
	told("before the first look", "tcp 0.0.0.0:8080 to 80"+notYet, noSix, "udp 10.0.0.1:53 to 53"+notYet)
	for range 2 {
		if err := e.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		want("after a restart", both)
	}
	if err := e.Publish(t.Context(), db, mappings(t, "tcp/0.0.0.0:5432=5432")); err != nil {
		t.Fatal(err)
	}
	// Ports that others have are refused, and nothing changes.
	w.bound = "0.0.0.0:22"
	for text, why := range map[string]string{
		"tcp/10.0.0.1:8080=1":                     "leads to endpoint " + web,
		"tcp/0.0.0.0:22=22":                       "a program of the host",
		"tcp/0.0.0.0:90=90,tcp/10.0.0.1:90=91":    "the same port",
		"tcp/0.0.0.0:5432=5432,udp/0.0.0.0:53=53": "leads to endpoint " + web,
	} {
		if err := e.Publish(t.Context(), db, mappings(t, text)); !errors.Is(err, ErrPublish) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
	}
	want("after refusals", "6/0.0.0.0:5432>172.19.0.6:5432 "+both)
	// The mappings are removed with the port of the switch.
	delete(w.ports, "vweb")
	if err := e.Sync(t.Context()); err != nil {
		t.Fatal(err)
	}
	want("without the container", "6/0.0.0.0:5432>172.19.0.6:5432")
	if list, err := e.Published(web); err == nil {
		t.Errorf("without the container: got %v, want an error", list)
	}
	if len(w.forgotten) != 2 {
		t.Errorf("forgotten are %v, want two", w.forgotten)
	}
	if err := e.Publish(t.Context(), web, mappings(t, "tcp/0.0.0.0:1=1")); err == nil {
		t.Error("a container that is not attached is published")
	}
	for _, id := range []string{db, web} {
		if err := e.Unpublish(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	want("unpublished", "")
	if list, err := e.Published(db); err != nil || len(list) != 0 {
		t.Errorf("unpublished: got %v, %v", list, err)
	}
	port := w.ports["vdb"]
	port.ExternalIDs[ovsdb.IDPublished] = "no mapping"
	if list, err := e.Published(db); err == nil || !strings.Contains(err.Error(), "no mapping") {
		t.Errorf("with an id that is no mapping: got %v, %v", list, err)
	}
}

func TestPublishOnBridgedVLAN(t *testing.T) {
	n := network("a", "data", "vlan", "10.1.0.0/24")
	w := newWorld("bridge", n)
	if err := w.engine(t).Publish(t.Context(), w.attached(n, "web", 5), mappings(t, "tcp/0.0.0.0:80=80")); !errors.Is(err, ErrPublish) || !strings.Contains(err.Error(), "bridged VLAN") {
		t.Errorf("on a bridged VLAN: %v", err)
	}
	e, web := w.engine(t), w.attached(n, "web", 5)
	if err := e.Accept(t.Context(), web, []link.PortWish{mappings(t, "tcp/0.0.0.0:80=80")[0].Wish()}); err != nil || w.leads() != "" {
		t.Errorf("accepted on a bridged VLAN: %v, leads %q", err, w.leads())
	}
	const why = "network default:a is a bridged VLAN, whose containers are not reached by way of their host"
	if list, err := e.Published(web); err != nil || len(list) != 1 || list[0].Why != why || e.Unreached()[web] != why {
		t.Errorf("accepted on a bridged VLAN: want it reported, got %v, %v, %v", list, err, e.Unreached())
	}
	w.global.FwdMode = record.FwdRouting
	if err := e.Sync(t.Context()); err != nil || w.leads() == "" || len(e.Unreached()) != 0 {
		t.Errorf("once the host reaches it: leads %q, unreached %v, %v", w.leads(), e.Unreached(), err)
	}
	if err := w.engine(t).Publish(t.Context(), w.attached(n, "web", 5), mappings(t, "tcp/0.0.0.0:80=80")); err != nil {
		t.Errorf("on a routed VLAN: %v", err)
	}
}

// TestChosenPorts: an unnamed port, or one of a range, gets a free number, which is the same in both families and stays the same.
func TestChosenPorts(t *testing.T) {
	n := network("a", "data", "vxlan", "10.1.0.0/24")
	w := newWorld("bridge", n)
	e := w.engine(t)
	web, db := w.attached(n, "web", 5), w.attached(n, "db", 6)
	wish := func(address string, first, last uint16) link.PortWish {
		m := link.PortMapping{Protocol: 6, Host: netip.AddrPortFrom(netip.MustParseAddr(address), first), Container: 80}
		return link.PortWish{PortMapping: m, Last: last}
	}
	accept := func(endpoint string, wishes ...link.PortWish) (hosts []netip.AddrPort) {
		t.Helper()
		if err := e.Accept(t.Context(), endpoint, wishes); err != nil {
			t.Fatal(err)
		}
		list, err := e.Published(endpoint)
		if err != nil || len(list) != len(wishes) {
			t.Fatalf("want %d ports, got %v, %v", len(wishes), list, err)
		}
		for _, p := range list {
			hosts = append(hosts, p.Host)
		}
		return hosts
	}
	any4, any6 := wish("0.0.0.0", 0, 0), wish("::", 0, 0)
	first := accept(web, any4, any6)
	if first[0].Port() < firstChosen || first[0].Port() != first[1].Port() {
		t.Errorf("want one dynamic port for both families, got %v", first)
	}
	if again := accept(web, any4, any6); !slices.Equal(again, first) {
		t.Errorf("asked again: want %v, got %v", first, again)
	}
	w.bound = "0.0.0.0:8000"
	if got := accept(db, wish("0.0.0.0", 8000, 8010)); got[0].Port() != 8001 {
		t.Errorf("of a range whose first port a program has: want 8001, got %v", got)
	}
	if got := accept(web, wish("0.0.0.0", 8000, 8010)); got[0].Port() != 8002 {
		t.Errorf("of a range whose second port another container has: want 8002, got %v", got)
	}
	if err := e.Accept(t.Context(), web, []link.PortWish{wish("0.0.0.0", 8000, 8001)}); !errors.Is(err, ErrPublish) || !strings.Contains(err.Error(), "8000 to 8001") {
		t.Errorf("none is free: got %v", err)
	}
}
