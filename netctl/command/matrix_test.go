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
