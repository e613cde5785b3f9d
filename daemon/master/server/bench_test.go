// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/store/embedded"
)

// BenchmarkCreateEndpoint creates endpoints through REST on a real etcd with fsync, many at a time.
func BenchmarkCreateEndpoint(b *testing.B) {
	db, err := embedded.Start(context.Background(), embedded.Config{Dir: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	m := mastertest.Start(b, mastertest.Options{Store: db})
	if _, err := m.Networks().Put(context.Background(), &model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.0.0.0/8"}); err != nil {
		b.Fatal(err)
	}
	var serial atomic.Int64
	b.SetParallelism(32)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			name := fmt.Sprintf("%064d", serial.Add(1))
			if _, _, err := m.CreateEndpoint(context.Background(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "n",
				ConfigEP: model.EndpointConfigRequest{Container: name, Host: "h1"}}); err != nil {
				b.Error(err)
				return
			}
		}
	})
}

// BenchmarkEndpointAlone is what netmaster itself does for an endpoint: no HTTP, and a store in memory.
func BenchmarkEndpointAlone(b *testing.B) {
	m := mastertest.Start(b, mastertest.Options{})
	if _, err := m.Networks().Put(b.Context(), &model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.0.0.0/8"}); err != nil {
		b.Fatal(err)
	}
	serial := 0
	b.ReportAllocs()
	for b.Loop() {
		serial++
		_, _, err := m.Service.Create(b.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "n",
			ConfigEP: model.EndpointConfigRequest{Container: fmt.Sprintf("%064d", serial), Host: "h1"}})
		if err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkNetworkAlone is what netmaster does for a network through REST, with the client of it: a store in memory.
func BenchmarkNetworkAlone(b *testing.B) {
	m := mastertest.Start(b, mastertest.Options{})
	serial := 0
	b.ReportAllocs()
	for b.Loop() {
		_, err := m.Networks().Put(b.Context(), &model.Network{TenantName: "default", NetworkName: fmt.Sprintf("net%05d", serial), Encap: "vxlan",
			Subnet: fmt.Sprintf("10.%d.%d.0/24", serial/256, serial%256)})
		if err != nil {
			b.Fatal(err)
		}
		serial++
	}
}

// BenchmarkRuleAlone is what netmaster does for a rule through REST, with the client of it: a store in memory. The policy is of one group.
func BenchmarkRuleAlone(b *testing.B) {
	m := mastertest.Start(b, mastertest.Options{})
	for _, o := range []model.Object{&model.Network{TenantName: "default", NetworkName: "n", Encap: "vxlan", Subnet: "10.1.0.0/16"}, &model.Policy{TenantName: "default", PolicyName: "p"},
		&model.EndpointGroup{TenantName: "default", NetworkName: "n", GroupName: "g", Policies: []string{"p"}}} {
		if _, err := m.Put(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
	serial := 0
	b.ReportAllocs()
	for b.Loop() {
		serial++
		_, err := m.Rules().Put(b.Context(), &model.Rule{TenantName: "default", PolicyName: "p", RuleId: fmt.Sprint(serial), Priority: 1, Direction: "in", Protocol: "tcp", Port: 1 + serial%60000, Action: "allow"})
		if err != nil {
			b.Fatal(err)
		}
	}
}
