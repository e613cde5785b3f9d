// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// large is a cluster with 50,000 endpoints.
func large(tb testing.TB, first *page.Page) *Model {
	m, _ := still(tb, mono(tb, false), first, 120, 40)
	s, _ := fixed()
	s.Endpoints = nil
	for i := range 50000 {
		id := fmt.Sprintf("web-%d", i)
		s.Endpoints = append(s.Endpoints, &feed.Endpoint{Key: "blue.acme-" + id, EndpointID: id, Network: "blue.acme", EndpointGroupKey: "web:acme",
			HomingHost: fmt.Sprintf("h%d", i%100), IpAddress: [2]string{fmt.Sprintf("10.%d.%d.%d", i>>16, i>>8&255, i&255), ""}, MacAddress: "02:02:0a:01:01:01"})
	}
	m.Update(s)
	return m
}

func BenchmarkFrameOf50000(b *testing.B) {
	for _, e := range []struct {
		name string
		make func() *page.Page
		keys []string
	}{
		{"table", func() *page.Page { return page.Table(model.KindEndpoint()) }, nil},
		{"filtered", func() *page.Page { return page.Table(model.KindEndpoint()) }, filter("web-4999")},
		{"topology", func() *page.Page { return page.Topology(nil, "") }, nil},
	} {
		b.Run(e.name, func(b *testing.B) {
			m := large(b, e.make())
			press(m, e.keys...)
			for b.Loop() {
				m.Frame()
			}
		})
	}
}

// wide is a cluster of 1,000 hosts, 1,000 networks and 50,000 endpoints, of which the first is in its so-many-th life.
func wide(life int, was *feed.Snapshot) *feed.Snapshot {
	s, _ := fixed()
	if was != nil {
		*s = *was
		s.Endpoints = slices.Clone(was.Endpoints)
	} else {
		s.Objects, s.Nodes, s.Endpoints = map[string][]model.Object{}, nil, make([]*feed.Endpoint, 50000)
		for i := range 1000 {
			s.Nodes = append(s.Nodes, model.Node{Name: fmt.Sprintf("h%03d", i), Role: model.RoleAgent, Ready: true})
		}
		for i := range 20 {
			s.Objects["tenant"] = append(s.Objects["tenant"], &model.Tenant{TenantName: fmt.Sprintf("t%02d", i)})
		}
		for i := range 1000 {
			tenant := fmt.Sprintf("t%02d", i/50)
			s.Objects["network"] = append(s.Objects["network"], &model.Network{TenantName: tenant, NetworkName: fmt.Sprintf("n%03d", i), Encap: "vxlan", Subnet: "10.1.1.0/24"})
			s.Objects["endpointGroup"] = append(s.Objects["endpointGroup"], &model.EndpointGroup{TenantName: tenant, NetworkName: fmt.Sprintf("n%03d", i), GroupName: fmt.Sprintf("g%03d", i)})
		}
	}
	for i := range s.Endpoints {
		if s.Endpoints[i] != nil && i != 0 {
			continue
		}
		n, tenant, id := i/50, fmt.Sprintf("t%02d", i/2500), fmt.Sprintf("web-%05d", i)
		s.Endpoints[i] = &feed.Endpoint{Key: fmt.Sprintf("%s:n%03d:%s", tenant, n, id), EndpointID: id, Network: fmt.Sprintf("n%03d.%s", n, tenant),
			EndpointGroupKey: fmt.Sprintf("g%03d:%s", n, tenant), HomingHost: fmt.Sprintf("h%03d", (i+life)%1000), IpAddress: [2]string{"10.1.1.1", ""}}
	}
	return s
}

// BenchmarkTopologyAfterChange draws the topology after one of 50,000 endpoints has moved, with the cursor on a tenant,
// a network, a group and an endpoint.
func BenchmarkTopologyAfterChange(b *testing.B) {
	for _, e := range []struct {
		name string
		keys []string
	}{{"tenant", nil}, {"network", []string{"j"}}, {"group", []string{"j", "j"}}, {"endpoint", []string{"j", "j", "space", "j"}}} {
		b.Run(e.name, func(b *testing.B) {
			m, _ := still(b, mono(b, false), page.Topology(nil, ""), 160, 50)
			s := wide(0, nil)
			m.Update(s)
			m.Frame()
			press(m, e.keys...)
			m.Frame()
			for i := 1; b.Loop(); i++ {
				s = wide(i, s)
				m.Update(s)
				m.Frame()
			}
		})
	}
}
