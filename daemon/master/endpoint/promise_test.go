// SPDX-License-Identifier: Apache-2.0

package endpoint_test

import (
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/enginetest"
)

// alloc asks for an address on the network "blue".
func alloc(t *testing.T, w *enginetest.World, q model.AllocAddressRequest) (string, error) {
	t.Helper()
	q.NetworkID = "default:blue:|10.1.1.0/24"
	if strings.Contains(q.PreferredIPv4Address, ":") {
		q.NetworkID = "default:blue:|fd01::/64"
	}
	out, err := w.Service.Allocate(t.Context(), q)
	return out.IPv4Address, err
}

// An address that is held is for who asked for it, until the time is over; who has asked on the same host may ask again.
func TestPromises(t *testing.T) {
	for _, address := range []string{"10.1.1.7", "fd01::7"} {
		t.Run(address, func(t *testing.T) {
			now := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
			w := enginetest.Start(t, enginetest.Options{Now: func() time.Time { return now }})
			w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 ipv6Subnet=fd01::/64")
			ask := func(by, token, want string) {
				t.Helper()
				got, err := alloc(t, w, model.AllocAddressRequest{PreferredIPv4Address: address, By: by, Token: token, Seconds: 30})
				if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) || err == nil && !strings.HasPrefix(got, address+"/") {
					t.Errorf("%s asks for %s: want %q, got %q, %v", by, address, want, got, err)
				}
			}
			create := func(host, want string, tokens ...string) {
				t.Helper()
				q := model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: host,
					ConfigEP: model.EndpointConfigRequest{Container: host, Host: host, Tokens: tokens}}
				if strings.Contains(address, ":") {
					q.ConfigEP.IPv6Address = address
				} else {
					q.ConfigEP.IPAddress = address
				}
				if _, _, err := w.Service.Create(t.Context(), q); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("endpoint of %s with %v: want %q, got %v", host, tokens, want, err)
				}
			}
			release := func(token string) {
				t.Helper()
				if err := w.Service.Release(t.Context(), model.ReleaseAddressRequest{NetworkID: "default:blue:|10.1.1.0/24", IPv4Address: address, Token: token}); err != nil {
					t.Error(err)
				}
			}
			ask("h1", "a", "")
			ask("h2", "b", "not available")
			release("")
			release("b")
			ask("h1", "c", "") // what it was for has failed there
			release("a")
			create("h2", "not available")
			create("h2", "not available", "a", "-")
			create("h1", "", "c")
			ask("h1", "d", "not available")
			w.Must(t, "detach blue h1")
			ask("h2", "e", "")
			now = now.Add(30 * time.Second)
			if err := w.Service.ExpireNow(t.Context()); err != nil {
				t.Fatal(err)
			}
			ask("h1", "f", "")
			create("h1", "") // its agent has died since
		})
	}
}

// A wanted MAC address is given unless it is another's, or would become another's.
func TestWantedMAC(t *testing.T) {
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	for i, row := range []struct{ wanted, mac, refused string }{
		{"", "02:02:0a:01:01:01", ""},
		{"0a:58:0a:01:01:4d", "0a:58:0a:01:01:4d", ""},
		{"0a:58:0a:01:01:4d", "", "endpoint default:blue:b has MAC address 0a:58:0a:01:01:4d"},
		{"02:02:0a:01:01:03", "02:02:0a:01:01:03", ""}, // its own
		{"02:02:0a:01:01:63", "", "belongs to IPv4 address 10.1.1.99"},
		{"01:00:5e:00:00:01", "", "is not the MAC address of one interface"},
		{"x", "", "is not the MAC address of one interface"},
	} {
		name := string(rune('a' + i))
		e, _, err := w.Service.Create(t.Context(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: name,
			ConfigEP: model.EndpointConfigRequest{Container: name, Host: "h1", MacAddress: row.wanted}})
		if (err == nil) != (row.refused == "") || err != nil && !strings.Contains(err.Error(), row.refused) || err == nil && e.MAC.String() != row.mac {
			t.Errorf("%q: want %s %q, got %s, %v", row.wanted, row.mac, row.refused, e.MAC, err)
		}
	}
}
