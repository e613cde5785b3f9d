// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/desired"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

func netOf(tenant, name string, third int) record.Network {
	return record.Network{ID: identity.Network{Tenant: tenant, Name: name}, Kind: record.DataNetwork, Encap: record.VLAN, PktTag: third, ExtPktTag: 10000 + third,
		Subnet: netip.MustParsePrefix(fmt.Sprintf("10.1.%d.0/24", third)), Gateway: netip.MustParseAddr(fmt.Sprintf("10.1.%d.254", third))}
}

func groupOf(tenant, name, network string) record.Group {
	return record.Group{ID: identity.Group{Tenant: tenant, Name: name}, Network: identity.Network{Tenant: tenant, Name: network}}
}

// DOC-02: a network with IPv6 has both subnets. DOC-03: a group has its own network. DOC-04: both drivers have the plugin's name.
func TestWanted(t *testing.T) {
	infra, none := netOf("default", "contivh1", 9), netOf("default", "none", 8)
	infra.Kind, none.Subnet = record.InfraNetwork, netip.Prefix{}
	six := netOf("blue", "six", 6)
	six.Encap, six.Gateway, six.Subnet6, six.Gateway6 = record.VXLAN, netip.Addr{}, netip.MustParsePrefix("fd06::/64"), netip.MustParseAddr("fd06::1")
	s := desired.Segments{Networks: []record.Network{infra, netOf("default", "net", 5), none, six},
		Groups: []record.Group{groupOf("blue", "web", "six"), groupOf("default", "lost", "gone"), groupOf("default", "net", "net"), groupOf("default", "of", "contivh1")}}
	got, clashes := wanted(&s, "netplugin")
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"net", "six/blue", "web/blue"}) {
		t.Errorf("networks: %q", names)
	}
	if len(clashes) != 1 || !strings.Contains(clashes["group default:net"], "network default:net") {
		t.Errorf("clashes: %v", clashes)
	}
	web := got["web/blue"]
	if text := fmt.Sprint(web); text != "{netplugin netplugin map[encap:vxlan group:web io.contiv.managed:true network:six pkt-tag:10006 tenant:blue] "+
		"map[group:web network:six tenant:blue] map[io.contiv.managed:true] true [{10.1.6.0/24 invalid IP} {fd06::/64 fd06::1}]}" {
		t.Errorf("group's network: %s", text)
	}
	if tag := got["net"].Options["pkt-tag"]; tag != "5" {
		t.Errorf("tag of a VLAN: %s", tag)
	}
	s.ACI = true
	got, _ = wanted(&s, "netplugin")
	if names := slices.Sorted(maps.Keys(got)); !slices.Equal(names, []string{"net", "web/blue"}) || got["net"].Options["group"] != "net" {
		t.Errorf("in ACI: %v", got)
	}
}

// names returns the names of the engine's networks, ordered.
func (f *fake) names() (out []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.networks {
		out = append(out, n.Name)
	}
	slices.Sort(out)
	return out
}

// keep starts a NetworkSyncer with short intervals.
func (f *fake) keep(w *Watcher, c *cluster) *NetworkSyncer {
	k := NewNetworkSyncer(w, c, "netplugin", slog.New(slog.DiscardHandler))
	k.debounce, k.first, k.maxWait = time.Millisecond, 5*time.Millisecond, 20*time.Millisecond
	f.background(k.Run)
	return k
}

// The engine has the cluster's networks after changes on either side, also after it was down and after it has lost them.
func TestKeeper(t *testing.T) {
	f, c := newFake(t), newCluster()
	c.segments.Networks = []record.Network{netOf("default", "net", 5)}
	k := f.keep(f.watch(), c)
	have := func(names ...string) func() bool {
		return func() bool {
			kept, problems := k.status()
			return slices.Equal(f.names(), names) && kept != nil && *kept == len(names) && len(problems) == 0
		}
	}
	until(t, "the network", have("net"))
	c.change(func() { c.segments.Groups = []record.Group{groupOf("default", "web", "net")} })
	until(t, "the group's too", have("net", "web"))
	made := f.called("POST /networks/create")
	c.change(func() {})
	f.stop()
	f.start()
	until(t, "both after the engine's restart", have("net", "web"))
	if got := f.called("POST /networks/create"); got != made {
		t.Errorf("nothing has changed: want nothing made, got %d networks", got-made)
	}
	f.stop()
	f.change("", func() { clear(f.networks) })
	c.change(func() { c.segments.Networks = append(c.segments.Networks, netOf("blue", "net", 6)) })
	until(t, "networks unknown", func() bool { kept, _ := k.status(); return kept == nil })
	f.start()
	until(t, "all after the engine has lost them", have("net", "net/blue", "web"))
	c.change(func() { c.segments = desired.Segments{Networks: []record.Network{netOf("default", "net", 7)}} })
	until(t, "the network recreated, the others gone", func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		for _, n := range f.networks {
			return len(f.networks) == 1 && strings.Contains(string(n.IPAM), "10.1.7.0/24")
		}
		return false
	})
}

// Networks that the agent has not created stay. A network that cannot be removed or created is reported, and retried.
func TestKeeperProblems(t *testing.T) {
	f, c := newFake(t), newCluster()
	f.change("", func() {
		f.networks["n1"] = &fakeNetwork{ID: "n1", Name: "bridge", Driver: "bridge"}
		f.networks["n2"] = &fakeNetwork{ID: "n2", Name: "db", Driver: "netplugin"}
		f.networks["n3"] = &fakeNetwork{ID: "n3", Name: "mine", Driver: "netplugin"}
	})
	c.segments.Networks = []record.Network{netOf("default", "db", 4), netOf("default", "net", 5)}
	k := f.keep(f.watch(), c)
	problem := func(network, says string) func() bool {
		return func() bool {
			_, problems := k.status()
			return len(problems) == 1 && problems[0].Network == network && strings.Contains(problems[0].Problem, says)
		}
	}
	until(t, "the operator's network reported", problem("db", "was not made by the agent"))
	f.run("c1", "web", nil, "net")
	c.change(func() { c.segments.Networks = []record.Network{netOf("default", "net", 6)} })
	until(t, "a changed network with a container reported", problem("net", "active endpoints"))
	c.change(func() { c.segments.Networks = nil })
	until(t, "a network to remove reported", problem("net", "no such network or group"))
	f.end("c1")
	until(t, "it gone, all others left", func() bool { return slices.Equal(f.names(), []string{"bridge", "db", "mine"}) })
	f.change("", func() { f.fail["POST /networks/create"] = http.StatusInternalServerError })
	c.change(func() { c.segments.Networks = []record.Network{netOf("default", "net", 6)} })
	until(t, "why it is not made", problem("net", "not made: Error response from daemon: it is broken"))
	f.change("", func() { clear(f.fail) })
	until(t, "it made", func() bool { return slices.Contains(f.names(), "net") })
	until(t, "no problem", func() bool { _, problems := k.status(); return len(problems) == 0 })
	f.change(`{"Type":"network","Action":"create","Actor":{"ID":"n4"}}`, func() {
		for _, n := range f.networks {
			if n.Name == "net" {
				again := *n
				again.ID, again.Created = "n4", n.Created.Add(time.Second)
				f.networks["n4"] = &again
				break
			}
		}
	})
	until(t, "one of two removed", func() bool { return slices.Equal(f.names(), []string{"bridge", "db", "mine", "net"}) })
}
