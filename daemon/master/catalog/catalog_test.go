// SPDX-License-Identifier: Apache-2.0

package catalog_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

var quiet = slog.New(slog.DiscardHandler)

// inUse counts the addresses of 10.1.1.0/24 that are taken.
func inUse(n *catalog.Network) (count int) {
	for i := range 256 {
		if errors.Is(n.Check(identity.Group{}, netip.AddrFrom4([4]byte{10, 1, 1, byte(i)})), ipam.ErrInUse) {
			count++
		}
	}
	return count
}

// describe prints all that follows from the records: pools, numbers, links.
func describe(c *catalog.Catalog) (out string) {
	c.View(func(v *catalog.View) {
		n := v.Numbers()
		out = fmt.Sprintf("vlans %s, vxlans %s, local %s, groups %s, vrfs %s\n", n.VLANs, n.VXLANs, n.LocalVLANs, n.Groups, n.VRFs)
		for _, network := range v.Networks("") {
			pool, _ := network.Pool4()
			out += fmt.Sprintf("%s: %s | %s | %d endpoints, %d addresses\n", network.Record.ID,
				pool.AllocatedText(), pool.AvailableText(), network.Endpoints(), network.Allocated())
			own := network.Record.Spec()
			if found := v.Overlapping(network.Record.ID.Tenant, own.Range()); found == nil || found.Record != network.Record {
				out += fmt.Sprintf("WRONG: %v has the addresses of %s\n", found, network.Record.ID)
			}
		}
		for i := range 4 {
			r := ipam.RangeOf(netip.PrefixFrom(netip.AddrFrom4([4]byte{10, 1, byte(i), 0}), 24))
			if taken := v.Overlapping("default", r) != nil; taken != (v.Network(identity.Network{Tenant: "default", Name: fmt.Sprintf("net%d", i)}) != nil) {
				out += fmt.Sprintf("WRONG: %s is taken: %v\n", r, taken)
			}
		}
		for _, g := range v.Groups("") {
			out += fmt.Sprintf("group %s: %d\n", g.ID, v.CountIn(g.ID))
			if pool, ok := v.Network(g.Network).Block(g.ID); ok {
				out += "  pool " + pool.AllocatedText() + "\n"
			}
		}
		for _, s := range v.ServiceLBs("default") {
			out += fmt.Sprintf("%+v %+v\n", *s, *v.Provider(s.ID))
			want := 0
			for range v.ProvidersOf(s) {
				want++
			}
			if got := len(v.Provider(s.ID).Addresses); got != want {
				out += fmt.Sprintf("WRONG: %d providers listed, %d are\n", got, want)
			}
		}
		out += rulesOf(v)
		for _, k := range model.Kinds() {
			if k.InspectOnly {
				continue
			}
			if list := slices.Collect(v.KeysAfter(k, "")); len(list) != v.Count(k) || !slices.Equal(list, v.Keys(k)) {
				out += fmt.Sprintf("WRONG: %d of %d %s listed\n", len(list), v.Count(k), k.Plural)
			}
			for _, o := range v.Objects(k) {
				out += fmt.Sprintf("%+v\n", o)
				anew, _ := json.Marshal(o)
				if kept, err := v.Text(k, o.ObjectKey()); err != nil || string(kept) != string(anew) {
					out += fmt.Sprintf("WRONG: kept as %s, which is %s, %v\n", kept, anew, err)
				}
			}
		}
	})
	return out
}

// rulesOf prints the records of rules and of who has them, and complains of one that is missing or stale.
func rulesOf(v *catalog.View) (out string) {
	wanted := map[string]struct{}{}
	for _, r := range v.Objects(model.KindRule()) {
		wanted[record.Rules+r.ObjectKey()] = struct{}{}
	}
	for _, g := range v.Objects(model.KindEndpointGroup()) {
		for _, policy := range g.(*model.EndpointGroup).Policies {
			wanted[record.Attachments+g.ObjectKey()+":"+policy] = struct{}{}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(wanted)) {
		out += string(v.Value(key)) + "\n"
		if v.Value(key) == nil {
			out += "WRONG: " + key + " is missing\n"
		}
	}
	for key := range v.Values() {
		if _, ok := wanted[key]; !ok && (strings.HasPrefix(key, record.Rules) || strings.HasPrefix(key, record.Attachments)) {
			out += "WRONG: " + key + " is left\n"
		}
	}
	return out
}

// Whatever is done to a cluster, a master that starts again from the store knows exactly what the running one knows:
// nothing leaks, nothing is forgotten.
func TestNewMasterKnowsTheSame(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	rapid.Check(t, func(rt *rapid.T) {
		name := func(kind string, n int) string {
			return fmt.Sprintf("%s%d", kind, rapid.IntRange(1, n).Draw(rt, kind))
		}
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			network, group, container := name("net", 3), name("group", 2), name("c", 6)
			var err error
			switch rapid.SampledFrom([]string{"network", "group", "endpoint", "hold", "rm network", "rm group", "rm endpoint", "release",
				"service", "rm service", "policy", "rule", "rm rule", "rm policy", "profile"}).Draw(rt, "verb") {
			case "network":
				_, err = m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: network,
					Encap: rapid.SampledFrom([]string{"vlan", "vxlan"}).Draw(rt, "encap"), Subnet: "10.1." + network[3:] + ".0/28"})
			case "group":
				_, err = m.EndpointGroups().Put(ctx, &model.EndpointGroup{TenantName: "default", NetworkName: network, GroupName: group,
					IpPool:     rapid.SampledFrom([]string{"", "10.1." + network[3:] + ".8-10.1." + network[3:] + ".9"}).Draw(rt, "pool"),
					Policies:   rapid.SampledFrom([][]string{nil, {"p"}}).Draw(rt, "policies"),
					NetProfile: rapid.SampledFrom([]string{"", "np"}).Draw(rt, "profile")})
			case "endpoint":
				in := rapid.SampledFrom([]string{"", group}).Draw(rt, "in")
				_, _, err = m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: network, ServiceName: in,
					ConfigEP: model.EndpointConfigRequest{Container: container, Host: "h1", ServiceName: in}, Labels: map[string]string{"app": container}})
			case "hold":
				_, err = m.AllocAddress(ctx, model.AllocAddressRequest{NetworkID: network + ".default"})
			case "service":
				_, err = m.ServiceLBs().Put(ctx, &model.ServiceLB{TenantName: "default", NetworkName: network, ServiceName: group,
					Selectors: []string{"app=" + container}, Ports: []string{"80:80:TCP"}})
			case "rm service":
				_, err = m.ServiceLBs().Delete(ctx, "default", group)
			case "policy":
				_, err = m.Policys().Put(ctx, &model.Policy{TenantName: "default", PolicyName: "p"})
			case "rule":
				_, err = m.Rules().Put(ctx, &model.Rule{TenantName: "default", PolicyName: "p", RuleId: container, Direction: "in",
					Action: "deny", FromEndpointGroup: group})
			case "rm rule":
				_, err = m.Rules().Delete(ctx, "default", "p", container)
			case "rm policy":
				_, err = m.Policys().Delete(ctx, "default", "p")
			case "profile":
				_, err = m.Netprofiles().Put(ctx, &model.Netprofile{TenantName: "default", ProfileName: "np",
					DSCP: rapid.IntRange(0, 63).Draw(rt, "dscp")})
			case "rm network":
				_, err = m.Networks().Delete(ctx, "default", network)
			case "rm group":
				_, err = m.EndpointGroups().Delete(ctx, "default", group)
			case "rm endpoint":
				err = m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: network, EndpointID: container})
			case "release":
				err = m.ReleaseAddress(ctx, model.ReleaseAddressRequest{NetworkID: network + ".default", IPv4Address: "10.1." + network[3:] + ".1"})
			}
			if client.IsCode(err, model.CodeInternal) || client.IsCode(err, model.CodeUnavailable) {
				rt.Fatalf("a step failed other than by refusal: %v", err)
			}
		}
		fresh := catalog.New()
		if err := fresh.Load(ctx, m.Store, quiet); err != nil {
			rt.Fatal(err)
		}
		want, got := describe(fresh), describe(m.Catalog)
		if strings.Contains(got, "WRONG") {
			rt.Fatal(got)
		}
		if got != want {
			rt.Fatalf("a new master would know\n%s\nthe running one knows\n%s", want, got)
		}
	})
}

// The watch reports the leader's own commits late, which must change nothing.
func TestLateEvents(t *testing.T) {
	c := catalog.New()
	net := []byte(`{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":7,"subnetIP":"10.1.1.0","subnetLen":24,"ipAddrRange":"10.1.1.0-10.1.1.255"}`)
	ep := []byte(`{"id":"n.default-c","netID":"n.default","endpointID":"c","ipAddress":"10.1.1.1"}`)
	netKey, epKey := record.Networks+"default:n", record.Endpoints+"default:n:c"
	c.Apply(store.Update{Full: true, Items: []store.Item{{Key: netKey, Value: net, Revision: 2}}, Revision: 2}, quiet)
	c.Committed(nil, []store.Op{{Key: epKey, Value: ep}}, 3, quiet)
	c.Committed(nil, []store.Op{{Key: epKey, Delete: true}}, 5, quiet)
	steps := []struct {
		name   string
		update store.Update
		want   int // endpoints
	}{
		{"the put, after we deleted", store.Update{Items: []store.Item{{Key: epKey, Value: ep, Revision: 3}}, Revision: 4}, 0},
		{"a list from before the deletion", store.Update{Full: true, Revision: 4,
			Items: []store.Item{{Key: netKey, Value: net, Revision: 2}, {Key: epKey, Value: ep, Revision: 3}}}, 0},
		{"the deletion", store.Update{Gone: []string{epKey}, Revision: 5}, 0},
		{"somebody puts it again", store.Update{Items: []store.Item{{Key: epKey, Value: ep, Revision: 6}}, Revision: 6}, 1},
		{"a late deletion", store.Update{Gone: []string{epKey}, Revision: 5}, 1},
		{"a record that cannot be read", store.Update{Items: []store.Item{{Key: record.Networks + "default:bad", Value: []byte("{"), Revision: 7}}, Revision: 7}, 1},
		{"a list without it", store.Update{Full: true, Items: []store.Item{{Key: netKey, Value: net, Revision: 2}}, Revision: 8}, 0},
	}
	for _, s := range steps {
		c.Apply(s.update, quiet)
		c.View(func(v *catalog.View) {
			n := v.Network(network)
			if len(v.Endpoints()) != s.want || n.Endpoints() != s.want || inUse(n) != s.want {
				t.Errorf("after %s: want %d endpoints and addresses, got %d, %d, %d", s.name, s.want, len(v.Endpoints()), n.Endpoints(), inUse(n))
			}
		})
	}
}

// Whatever a record says, in a cluster that has a network, a group and a container: with it gone, and what it was put in place of there
// again, all that follows from the records is as before.
func FuzzApply(f *testing.F) {
	for _, key := range []string{record.Networks + "default:n", record.Networks + "default:other", record.Endpoints + "default:n:c1", record.Endpoints + "x:y:z", record.Endpoints + "x",
		record.Groups + "default:g", record.Tenants + "default", record.Objects + "network/default:n", record.GlobalKey, record.Services + "netmaster/a:1"} {
		f.Add(key, []byte(`{"id":"x","subnetIP":"10.1.1.0","subnetLen":24,"vlans":"1-5","ipAddress":"::"}`))
	}
	f.Add(record.Endpoints+"default:n:c2", []byte(`{"id":"n.default-c2","netID":"n.default","endpointID":"c2","endpointGroupKey":"g:default","ipAddress":"10.1.0.1","homingHost":"h1"}`))
	f.Add(record.Endpoints+"default:n:c1", []byte(`{"id":"n.default-c1","netID":"n.default","endpointID":"c1","ipAddress":"10.1.0.9","homingHost":"h2"}`))
	f.Add(record.Networks+"default:n", []byte(`{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":3,"subnetIP":"10.1.0.0","subnetLen":24,"ipAddrRange":"10.1.0.5-10.1.0.9"}`))
	world := []store.Item{
		{Key: record.Tenants + "default", Value: []byte(`{"id":"default","tenant":"default","vrf":1}`)},
		{Key: record.Networks + "default:n", Value: []byte(`{"id":"n.default","tenant":"default","networkName":"n","pktTagType":"vlan","pktTag":2,"subnetIP":"10.1.0.0","subnetLen":24,"ipAddrRange":"10.1.0.1-10.1.0.254"}`)},
		{Key: record.Groups + "default:g", Value: []byte(`{"id":"g:default","groupName":"g","tenantName":"default","networkName":"n","endpointGroupId":1,"IPPool":"10.1.0.1-10.1.0.4"}`)},
		{Key: record.Endpoints + "default:n:c1", Value: []byte(`{"id":"n.default-c1","netID":"n.default","endpointID":"c1","endpointGroupKey":"g:default","endpointGroupId":1,"ipAddress":"10.1.0.1","macAddress":"02:02:0a:01:00:01","homingHost":"h1"}`)},
	}
	f.Fuzz(func(t *testing.T, key string, value []byte) {
		if key == record.GlobalKey {
			return // the settings cannot be withdrawn
		}
		c, rev := catalog.New(), store.Revision(0)
		settle := func(gone ...string) {
			rev++
			u := store.Update{Full: rev == 1, Gone: gone, Revision: rev}
			for _, it := range world {
				it.Revision = rev
				u.Items = append(u.Items, it)
			}
			c.Apply(u, quiet)
		}
		settle()
		before := describe(c)
		if !strings.Contains(before, "1 endpoints, 1 addresses") {
			t.Fatalf("want a container that has its address, got\n%s", before)
		}
		rev++
		c.Apply(store.Update{Items: []store.Item{{Key: key, Value: value, Revision: rev}}, Revision: rev}, quiet)
		rev++
		c.Apply(store.Update{Gone: []string{key}, Revision: rev}, quiet)
		settle()
		if after := describe(c); after != before {
			t.Errorf("want\n%s\ngot\n%s", before, after)
		}
	})
}
