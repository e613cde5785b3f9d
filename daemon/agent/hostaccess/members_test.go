// SPDX-License-Identifier: Apache-2.0

package hostaccess

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
)

// Closed to containers are all hosts, netmasters, and the stores that these name, by addresses or by names.
func TestMembers(t *testing.T) {
	lookup := func(_ context.Context, network, host string) ([]netip.Addr, error) {
		if network != "ip" || host != "etcd.example" {
			return nil, errors.New("no such host")
		}
		return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")}, nil
	}
	machines := []*record.Host{{Label: "h1", VTEP: netip.MustParseAddr("10.9.0.1"), Control: netip.MustParseAddrPort("10.8.0.1:9090")},
		{Label: "h2", VTEP: netip.MustParseAddr("10.9.0.2")}}
	at := places([]record.Service{{HostAddr: "10.0.0.1", Port: 9999, Store: "http://10.0.0.1:2379,https://[fd00::2]:2379,http://etcd.example:2379"},
		{HostAddr: "gone.example", Port: 9999, Store: "http://bad url,,x"}})
	shown := func(named map[string][]netip.Addr) string {
		var out []string
		for _, m := range members(machines, at, named) {
			out = append(out, fmt.Sprint(m.Addr, "/", m.Port, "/", m.Host))
		}
		slices.Sort(out)
		return strings.Join(out, " ")
	}
	const literal = "10.0.0.1/2379/ 10.0.0.1/9999/ 10.8.0.1/9090/h1 10.9.0.1/0/h1 10.9.0.2/0/h2"
	if got, want := shown(nil), literal+" fd00::2/2379/"; got != want {
		t.Errorf("before names are looked up: want %s, got %s", want, got)
	}
	named := resolve(t.Context(), at, map[string][]netip.Addr{"etcd.example": {netip.MustParseAddr("192.0.2.7")}}, lookup)
	if got, want := shown(named), "10.0.0.1/2379/ 10.0.0.1/9999/ 10.8.0.1/9090/h1 10.9.0.1/0/h1 10.9.0.2/0/h2 192.0.2.1/2379/ 192.0.2.7/2379/ 2001:db8::1/2379/ fd00::2/2379/"; got != want {
		t.Errorf("with what was and is found: want %s, got %s", want, got)
	}
}
