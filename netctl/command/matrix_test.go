// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strconv"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The matrix of an earlier moment is that of the policies of then.
func TestMatrixAt(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	put := func(o model.Object) string {
		rev, err := m.Client.Put(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatUint(uint64(rev), 10)
	}
	put(&model.Network{TenantName: "default", NetworkName: "blue", Subnet: "10.1.1.0/24", Encap: "vxlan"})
	put(&model.Policy{TenantName: "default", PolicyName: "db-in"})
	put(&model.EndpointGroup{TenantName: "default", NetworkName: "blue", GroupName: "web"})
	open := put(&model.EndpointGroup{TenantName: "default", NetworkName: "blue", GroupName: "db", Policies: []string{"db-in"}})
	closed := put(&model.Rule{TenantName: "default", PolicyName: "db-in", RuleId: "base", Direction: "in", Action: "deny", Priority: 1})
	put(&model.Rule{TenantName: "default", PolicyName: "db-in", RuleId: "pg", Direction: "in", Protocol: "tcp", Port: 5432, Action: "allow", Priority: 10})
	for _, row := range []struct {
		line string
		code int
		want string
	}{
		{"matrix web db", 0, "tcp 5432  allowed"},
		{"matrix web db --at " + open, 0, "allowed"},
		{"matrix --at " + open, 0, "web        all  all  all"},
		{"matrix --at " + closed, 0, "web        none  all  all"},
		{"matrix --at " + closed + " -t absent", 3, "absent"},
		{"matrix --at " + closed + " -n shop", 1, "got --namespace and --at, want one of them"},
		{"matrix --at then", 1, "--at"},
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(row.line)...)
		if !strings.Contains(got.out+got.err, row.want) || got.code != row.code {
			t.Errorf("%s: got code %d and\n%s%swant %d and %s", row.line, got.code, got.out, got.err, row.code, row.want)
		}
	}
}

// In a table of many groups equal rows and columns are one; -o wide, csv and json have each group.
func TestMatrixFolds(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	put := func(o model.Object) {
		if _, err := m.Client.Put(t.Context(), o); err != nil {
			t.Fatal(err)
		}
	}
	put(&model.Network{TenantName: "default", NetworkName: "blue", Subnet: "10.1.1.0/24", Encap: "vxlan"})
	put(&model.Policy{TenantName: "default", PolicyName: "db-in"})
	put(&model.Rule{TenantName: "default", PolicyName: "db-in", RuleId: "base", Direction: "in", Action: "deny", Priority: 1})
	for i := range 12 {
		g := &model.EndpointGroup{TenantName: "default", NetworkName: "blue", GroupName: "g" + strconv.Itoa(10+i)}
		if i == 0 {
			g.Policies = []string{"db-in"}
		}
		put(g)
	}
	for _, row := range []struct {
		line string
		want []string
	}{
		{"matrix", []string{"From \\ To      g10   g11..g21 (11)  outside\n", "g10..g21 (12)  none  all            all\n", "outside        none  all            not judged\n"}},
		{"matrix -o wide", []string{"g10        none  all  all", "g17        none  all  all"}},
		{"matrix -o csv", []string{"g17,none,all,all"}},
		{"matrix -o jsonpath={[?(@.from=='g17')].to}", []string{"g10 g11 g12 g13 g14 g15 g16 g17 g18 g19 g20 g21 outside\n"}},
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(row.line)...)
		for _, want := range row.want {
			if !strings.Contains(got.out, want) || got.code != 0 {
				t.Errorf("%s: got code %d and\n%s%swant %s", row.line, got.code, got.out, got.err, want)
			}
		}
	}
}
