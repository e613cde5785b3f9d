// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/hostinit"
)

func TestTable(t *testing.T) {
	list := listing{
		Hosts: []hostRow{
			{Name: "h1", IP: "10.254.1.1", VTEP: "192.168.251.1", Parts: []hostinit.Part{{Name: "ovs", PID: 5}, {Name: "agent", Outcome: "killed"}}},
			{Name: "h2", IP: "10.254.1.2", VTEP: "192.168.251.2", Error: "the host's process 1 does not answer"},
		},
		Containers: []lab.Container{
			{Name: "web", Host: "h1", Network: "blue", Tenant: "default", Group: "front",
				IPs: []netip.Addr{netip.MustParseAddr("10.1.1.1"), netip.MustParseAddr("2001:db8::1")}},
		},
	}
	want := `HOST  IP          VTEP           PARTS
h1    10.254.1.1  192.168.251.1  ovs, agent (killed)
h2    10.254.1.2  192.168.251.2  the host's process 1 does not answer

CONTAINER  HOST  NETWORK               ADDRESSES
web        h1    default:blue (front)  10.1.1.1, 2001:db8::1
`
	var out strings.Builder
	if err := list.table(&out); err != nil {
		t.Fatal(err)
	}
	if out.String() != want {
		t.Errorf("want\n%s\ngot\n%s", want, out.String())
	}
}
