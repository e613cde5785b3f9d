// SPDX-License-Identifier: Apache-2.0

package endpoint_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

func rest(d time.Duration) *time.Duration { return &d }

// An address rests for the time of the global object, else for that of netmaster's flag, else for half a minute if a pod had it.
func TestHowLongAddressesRest(t *testing.T) {
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		name   string
		flag   *time.Duration
		global string
		pod    bool
		want   string // of the address, when its endpoint is gone
	}{
		{"a pod's", nil, "", true, "quarantine (released by a) until 2030-01-02T03:04:35Z"},
		{"another's", nil, "", false, "free"},
		{"netmaster's flag", rest(time.Minute), "", false, "quarantine (released by a) until 2030-01-02T03:05:05Z"},
		{"not at all", rest(0), "", true, "free"},
		{"as the global object says", rest(0), "2m", true, "quarantine (released by a) until 2030-01-02T03:06:05Z"},
		{"as the global object says, not at all", rest(time.Minute), "0s", true, "free"},
	} {
		t.Run(test.name, func(t *testing.T) {
			ctx := t.Context()
			m := mastertest.Start(t, mastertest.Options{Quarantine: test.flag, Now: func() time.Time { return now }})
			if _, err := m.Globals().Put(ctx, &model.Global{Name: "global", Vlans: "1-100", Vxlans: "1-100", PvtSubnet: "172.19.0.0/16", Quarantine: test.global}); err != nil {
				t.Fatal(err)
			}
			if _, err := m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.1.1.0/29"}); err != nil {
				t.Fatal(err)
			}
			q := model.CreateEndpointRequest{TenantName: "default", NetworkName: "n", ContainerID: "a", ConfigEP: model.EndpointConfigRequest{Container: "a", Host: "h1"}}
			if test.pod {
				q.Pod = &model.PodRequest{Namespace: "ns", Name: "a"}
			}
			if _, _, err := m.CreateEndpoint(ctx, q); err != nil {
				t.Fatal(err)
			}
			if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: "a"}); err != nil {
				t.Fatal(err)
			}
			list, err := m.Addresses(ctx, client.AddressQuery{Tenant: "default", Network: "n", Address: "10.1.1.1"})
			if err != nil || len(list) != 1 || list[0].Owner.String() != test.want {
				t.Errorf("want %s, got %v, %v", test.want, list, err)
			}
		})
	}
	m := mastertest.Start(t, mastertest.Options{})
	for _, wrong := range []string{"soon", "-1s", "25h"} {
		if _, err := m.Globals().Put(t.Context(), &model.Global{Name: "global", Vlans: "1-100", Vxlans: "1-100", PvtSubnet: "172.19.0.0/16", Quarantine: wrong}); err == nil || !strings.Contains(err.Error(), "quarantine") {
			t.Errorf("%s: want the field named, got %v", wrong, err)
		}
	}
}

// An endpoint's address rests after its release: it is not assigned until no other is free, the rest ends, or a request names the address.
func TestReleasedAddressesRest(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	m := mastertest.Start(t, mastertest.Options{Quarantine: rest(10 * time.Minute), Now: func() time.Time { return now }})
	if _, err := m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.1.1.0/29", Ipv6Subnet: "2001:db8::/126"}); err != nil {
		t.Fatal(err)
	}
	create := func(name, wanted, want string) {
		t.Helper()
		if e := m.Endpoint(t, "default", "n", "", name, wanted); e.IP.String() != want {
			t.Errorf("%s: want %s, got %s", name, want, e.IP)
		}
	}
	gone := func(name string) {
		t.Helper()
		if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: name}); err != nil {
			t.Fatal(err)
		}
	}
	state := func(address string) string {
		t.Helper()
		list, err := m.Addresses(ctx, client.AddressQuery{Tenant: "default", Network: "n", Address: address})
		if err != nil || len(list) != 1 {
			t.Fatalf("%s: %v, %v", address, list, err)
		}
		return list[0].Owner.String()
	}
	create("a", "", "10.1.1.1")
	gone("a")
	if got := state("10.1.1.1"); got != "quarantine (released by a) until 2030-01-02T03:14:05Z" {
		t.Errorf("after its release: got %s", got)
	}
	create("b", "", "10.1.1.2")
	create("c", "10.1.1.1", "10.1.1.1")
	gone("b")
	gone("c")
	now = now.Add(time.Minute)
	if err := m.ReleaseAddress(ctx, model.ReleaseAddressRequest{NetworkID: "n.default", IPv4Address: "10.1.1.1"}); err != nil {
		t.Fatal(err)
	}
	if got := state("10.1.1.1"); got == "free" {
		t.Error("Docker, which releases what its endpoint had, must not end the rest")
	}
	inspected, err := m.Networks().Inspect(ctx, "default", "n")
	if err != nil || inspected.Oper.QuarantinedIPAddresses != "10.1.1.1-10.1.1.2" || inspected.Oper.AvailableIPAddresses != "10.1.1.3-10.1.1.6" {
		t.Errorf("inspect: got %+v, %v", inspected.Oper, err)
	}
	now = now.Add(10 * time.Minute)
	if err := m.Service.ExpireNow(ctx); err != nil {
		t.Fatal(err)
	}
	if got := state("10.1.1.1"); got != "free" {
		t.Errorf("when the rest is over: got %s", got)
	}
}

// An exhausted pool assigns resting addresses, but none that an operator has reserved.
func TestExhaustionWakesTheRested(t *testing.T) {
	ctx := context.Background()
	now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	m := mastertest.Start(t, mastertest.Options{Quarantine: rest(time.Hour), Now: func() time.Time { return now }})
	if _, err := m.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.1.1.0/29"}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := m.Quarantine(ctx, model.QuarantineRequest{Network: "n.default", Address: "10.1.1.1", Reason: "printer"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		m.Endpoint(t, "default", "n", "", name, "")
	}
	for _, name := range []string{"c", "b"} { // 10.1.1.4 has rested longer than 10.1.1.3
		now = now.Add(time.Second)
		if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"10.1.1.4", "10.1.1.3"} {
		if e := m.Endpoint(t, "default", "n", "", "again"+want, ""); e.IP.String() != want {
			t.Errorf("want %s, got %s", want, e.IP)
		}
	}
	for _, wanted := range []string{"", "10.1.1.1"} {
		if _, _, err := m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "n",
			ConfigEP: model.EndpointConfigRequest{Container: "x", Host: "h1", IPAddress: wanted}}); err == nil {
			t.Errorf("asking for %q: what an operator keeps must not be given", wanted)
		}
	}
	if _, err := m.AllocAddress(ctx, model.AllocAddressRequest{NetworkID: "n.default", PreferredIPv4Address: "10.1.1.1"}); err == nil {
		t.Error("nor may it be held")
	}
	if free, _, err := m.FreeAddress(ctx, model.ReleaseRequest{Network: "n.default", Address: "10.1.1.1"}); err != nil || !free {
		t.Errorf("release: got %v, %v", free, err)
	}
	if e := m.Endpoint(t, "default", "n", "", "x", ""); e.IP.String() != "10.1.1.1" {
		t.Errorf("after its release: got %s", e.IP)
	}
}

// A pool may be created over resting addresses, and can be deleted while its addresses rest.
func TestRestAndPools(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{Quarantine: rest(time.Hour)})
	put := func(o model.Object) {
		t.Helper()
		if _, err := m.Put(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	put(&model.Network{TenantName: "default", NetworkName: "n", Encap: "vlan", Subnet: "10.1.1.0/28"})
	m.Endpoint(t, "default", "n", "", "a", "10.1.1.8")
	gone := func(name string) {
		t.Helper()
		if err := m.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: name}); err != nil {
			t.Fatal(err)
		}
	}
	gone("a")
	put(&model.EndpointGroup{TenantName: "default", NetworkName: "n", GroupName: "g", IpPool: "10.1.1.8-10.1.1.9"})
	if e := m.Endpoint(t, "default", "n", "g", "b", ""); e.IP.String() != "10.1.1.8" {
		t.Errorf("the pool's first address: got %s", e.IP)
	}
	gone("b")
	if e := m.Endpoint(t, "default", "n", "g", "c", ""); e.IP.String() != "10.1.1.9" {
		t.Errorf("while the first rests: got %s", e.IP)
	}
	gone("c")
	if _, err := m.EndpointGroups().Delete(ctx, "default", "g"); err != nil {
		t.Fatal(err)
	}
	n, err := m.Networks().Inspect(ctx, "default", "n")
	if err != nil || n.Oper.AvailableIPAddresses != "10.1.1.1-10.1.1.14" || n.Oper.QuarantinedIPAddresses != "" {
		t.Errorf("without the pool everything is free: got %+v, %v", n.Oper, err)
	}
}
