// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"net/netip"
	"slices"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

func addrs(list ...string) (out []netip.Addr) {
	for _, a := range list {
		out = append(out, netip.MustParseAddr(a))
	}
	return out
}

func shop(change func(*record.ServiceLB)) record.ServiceLB {
	v := record.ServiceLB{ID: identity.Service{Tenant: "blue", Name: "shop"}, Network: identity.Network{Tenant: "blue", Name: "net"},
		Ports: []string{"80:8080:TCP", "53:5353:UDP"}, Selectors: map[string]string{"tier": "web"}, IP: netip.MustParseAddr("10.1.1.100")}
	if change != nil {
		change(&v)
	}
	return v
}

func TestServicesAreTranslated(t *testing.T) {
	at := netip.MustParseAddr("10.1.0.2")
	port := func(protocol uint8, number, target uint16) ofnet.ServicePort {
		return ofnet.ServicePort{Protocol: protocol, Port: number, Backends: []ofnet.Backend{{Addr: at, Target: target}}}
	}
	ports := []ofnet.ServicePort{port(ofnet.ProtocolTCP, 80, 8080), port(ofnet.ProtocolUDP, 53, 5353)}
	client := ofnet.Affinity{Client: true}
	for _, row := range []struct {
		name   string
		change func(*record.ServiceLB)
		want   *ofnet.Service // nil: it cannot be read
	}{
		{"as masters write it", nil, &ofnet.Service{Ports: ports, Affinity: client}},
		{"without affinity", func(v *record.ServiceLB) { v.Affinity = record.AffinityNone }, &ofnet.Service{Ports: ports}},
		{"SCTP", func(v *record.ServiceLB) { v.Ports = []string{"7:9:sctp"} },
			&ofnet.Service{Ports: []ofnet.ServicePort{port(ofnet.ProtocolSCTP, 7, 9)}, Affinity: client}},
		{"no ports", func(v *record.ServiceLB) { v.Ports = nil }, &ofnet.Service{Affinity: client}},
		{"no address", func(v *record.ServiceLB) { v.IP = netip.Addr{} }, nil},
		{"a port twice", func(v *record.ServiceLB) { v.Ports = []string{"80:1:TCP", "80:2:tcp"} }, nil},
		{"a port too large", func(v *record.ServiceLB) { v.Ports = []string{"80:65536:TCP"} }, nil},
		{"port 0", func(v *record.ServiceLB) { v.Ports = []string{"0:1:TCP"} }, nil},
		{"half a port", func(v *record.ServiceLB) { v.Ports = []string{"80:TCP"} }, nil},
		{"another protocol", func(v *record.ServiceLB) { v.Ports = []string{"80:80:GRE"} }, nil},
	} {
		v := shop(row.change)
		got, err := serviceOf(&v, []netip.Addr{at})
		if (err == nil) != (row.want != nil) {
			t.Errorf("%s: want readable %v, got %v", row.name, row.want != nil, err)
			continue
		}
		if row.want != nil {
			row.want.Name, row.want.Tenant, row.want.External = "blue:shop", "blue", addrs("10.1.1.100")
			if !got.Equal(row.want) {
				t.Errorf("%s: want %+v, got %+v", row.name, row.want, got)
			}
		}
	}
}

// TestServicesInTheState: a service is there with the first member of its tenant, with the providers that are known, and a
// record that turns bad changes nothing.
func TestServicesInTheState(t *testing.T) {
	blue := network("net", "blue", 100)
	here := member(blue, "b1", "h1", 1)
	w := start(t, tenant("blue", 1), blue, shop(nil), member(blue, "b2", "h2", 2))
	backends := func(want ...string) func(*ofnet.State) bool {
		return func(s *ofnet.State) bool {
			v := s.Services.Get("blue:shop")
			return v != nil && slices.Equal(ofnettest.Backends(v), addrs(want...))
		}
	}
	w.reach("nothing: blue is not here", func(s *ofnet.State) bool { return s.Services.Len() == 0 })
	w.put(here)
	w.reach("the service, without backends", backends())
	list := record.Provider{ID: shop(nil).ID, Addresses: addrs("10.1.0.9", "10.1.0.2", "10.1.0.9", "fd00::1")}
	w.put(list)
	w.reach("its backends of its family, ordered and once each", backends("10.1.0.2", "10.1.0.9"))
	var bad store.Tx
	bad.Put(key(list), []byte(`{"id":"shop:blue","Providers":["nobody"]}`))
	if err := w.e.Bridge.Wait(t.Context(), w.commit(&bad)); err != nil {
		t.Fatal(err)
	}
	w.reach("what was known", backends("10.1.0.2", "10.1.0.9"))
	if got := w.e.Malformed(); !slices.Equal(got, []string{record.Providers + "blue:shop"}) {
		t.Errorf("malformed: want the list named, got %v", got)
	}
	list.Addresses = addrs("10.1.0.9")
	w.put(list)
	w.reach("one backend", backends("10.1.0.9"))
	if got := w.e.Services(); len(got) != 1 || got[0].Name != "blue:shop" || len(ofnettest.Backends(got[0])) != 1 {
		t.Errorf("services: want the one, got %+v", got)
	}
	w.del(shop(nil))
	w.reach("gone", func(s *ofnet.State) bool { return s.Services.Len() == 0 })
	w.put(shop(nil))
	w.reach("back", backends("10.1.0.9"))
	w.del(list)
	w.reach("without backends", backends())
	w.del(here)
	w.reach("gone with the last member", func(s *ofnet.State) bool { return s.Services.Len() == 0 })
}

func TestProfiles(t *testing.T) {
	for _, row := range []struct {
		group record.Group
		want  ofnet.Profile
		bad   bool
	}{
		{group: record.Group{}},
		{group: record.Group{Bandwidth: "10Mbps", Burst: 80, DSCP: 46}, want: ofnet.Profile{Rate: 10485, Burst: 80, DSCP: 46}},
		{group: record.Group{Bandwidth: "500 kb"}, want: ofnet.Profile{Rate: 512}},
		{group: record.Group{Bandwidth: "5g"}, want: ofnet.Profile{Rate: 5368709}},
		{group: record.Group{Bandwidth: "4294967295 Gbps"}, want: ofnet.Profile{Rate: 4294967295}},
		{group: record.Group{Bandwidth: "fast"}, bad: true},
		{group: record.Group{DSCP: 64}, bad: true},
		{group: record.Group{ReceiveRate: "10Mbps", ReceiveBurst: 80}, want: ofnet.Profile{ReceiveRate: 10485, ReceiveBurst: 80}},
		{group: record.Group{Bandwidth: "1Mbps", ReceiveRate: "ten"}, bad: true},
		{group: record.Group{Bandwidth: "1Mbps", ReceiveBurst: -1}, bad: true},
		{group: record.Group{Burst: -1}, bad: true},
	} {
		got, err := profile(&row.group)
		if got != row.want || (err != nil) != row.bad {
			t.Errorf("%+v: want %+v, bad %v, got %+v, %v", row.group, row.want, row.bad, got, err)
		}
	}
}

// NP-07: the switch's wish follows the group's record; limits that cannot be read are left out, and named.
func TestProfilesInTheState(t *testing.T) {
	blue := network("net", "blue", 100)
	g := group("web", "blue", 5)
	g.Bandwidth, g.DSCP, g.Burst = "5Mb", 3, 1500
	w := start(t, tenant("blue", 1), blue, g, member(blue, "b1", "h1", 1))
	profile := func(want ofnet.Profile) func(*ofnet.State) bool {
		return func(s *ofnet.State) bool {
			return s.Groups.Get(g.ID.String()) != nil && s.Groups.Get(g.ID.String()).Profile == want
		}
	}
	w.reach("the profile", profile(ofnet.Profile{Rate: 5242, Burst: 1500, DSCP: 3}))
	g.Bandwidth = "soon"
	w.put(g)
	w.reach("none", profile(ofnet.Profile{}))
	if got := w.e.Malformed(); !slices.Equal(got, []string{record.Groups + g.ID.String()}) {
		t.Errorf("malformed: want the group named, got %v", got)
	}
	g.Bandwidth, g.Burst, g.DSCP = "900Mb", 1650, 9
	w.put(g)
	w.reach("the new one", profile(ofnet.Profile{Rate: 943718, Burst: 1650, DSCP: 9}))
}

// FuzzServices compiles whatever comes of the two records of a service.
func FuzzServices(f *testing.F) {
	for _, v := range []record.ServiceLB{shop(nil), shop(func(v *record.ServiceLB) {
		v.IP, v.Ports = netip.MustParseAddr("fd00::9"), []string{"1:2:sctp", "3:2:SCTP"}
	})} {
		lb, _ := json.Marshal(v)
		list, _ := json.Marshal(record.Provider{ID: v.ID, Addresses: addrs("10.1.0.1", "fd00::1", "::ffff:10.1.0.1")})
		f.Add(v.ID.String(), lb, list)
	}
	f.Fuzz(func(t *testing.T, id string, lb, list []byte) {
		r := newRecords("h1")
		_ = r.put(channel.Item{Key: record.ServiceLBs + id, Value: lb})
		_ = r.put(channel.Item{Key: record.Providers + id, Value: list})
		s := ofnet.NewState("h1")
		for name, v := range r.services.All() {
			tenant := v.ID.Tenant
			r.endpoints.Set("e", &record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: tenant}}, Host: "h1"})
			s.Tenants.Set(tenant, &ofnet.Tenant{Name: tenant, ID: 1})
			s.Segments.Set("n", &ofnet.Segment{Name: "n", Tenant: tenant, Encap: ofnet.VXLAN, ID: 9})
			s.Hosts.Set("h1", &ofnet.Host{Label: "h1"})
			s.SetService(r.wantService(name))
			for i, a := range ofnettest.Backends(s.Services.Get(name)) {
				s.Endpoints.Set(a.String(), &ofnet.Endpoint{ID: a.String(), Segment: "n", Host: "h1", Port: uint32(i + 1), IP4: a})
			}
			set := pipeline.Default().Compile(s, ofnet.Key{Kind: ofnet.KindService, Name: name})
			if err := set.Check(); err != nil {
				t.Errorf("flows of %+v: want what a switch takes, got %v", s.Services.Get(name), err)
			}
		}
	})
}
