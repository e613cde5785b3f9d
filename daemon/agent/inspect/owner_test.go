// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
)

func TestOwnedBy(t *testing.T) {
	const rule = "blue:db:p1:2"
	owners := []ofnet.Key{{Kind: ofnet.KindRule, Name: rule}, {Kind: ofnet.KindRule, Name: "blue:web:p1:10"},
		{Kind: ofnet.KindRule, Name: "blue:db:p10:2"}, {Kind: ofnet.KindEndpoint, Name: "blue:net1:lab-d2"},
		{Kind: ofnet.KindSegment, Name: "blue:net1"}, {Kind: ofnet.KindGroup, Name: "blue:db"}, {Kind: ofnet.KindService, Name: "blue:shop"},
		{Kind: ofnet.KindTenant, Name: "blue"}, {Kind: ofnet.KindSwitch, Name: "h1"}, {}}
	for _, row := range []struct{ asked, want string }{
		{"", "0123456789"},
		{"rule/" + rule, "0"}, {"rule/blue:p1:2", "0"}, {"rule/blue:p1:1", ""}, {"rule/2", ""},
		{"policy/blue:p1", "01"}, {"policy/blue:p10", "2"}, {"policy/blue", ""}, {"policy/p1", ""},
		{"group/blue:db", "025"}, {"group/db:blue", ""}, {"group/blue:web", "1"},
		{"network/net1.blue", ""}, {"network/blue:net1", "4"}, {"network/net1", ""},
		{"service/blue:shop", "6"}, {"service/shop:blue", ""},
		{"endpoint/blue:net1:lab-d2", "3"}, {"endpoint/d2", "3"}, {"endpoint/lab-d2", "3"}, {"endpoint/2", ""},
		{"tenant/blue", "7"}, {"switch/h1", "8"}, {"switch/h2", ""},
	} {
		owned, err := ownedBy(row.asked)
		if err != nil {
			t.Errorf("%s: %v", row.asked, err)
			continue
		}
		got := ""
		for n, k := range owners {
			if owned(k) {
				got += string(rune('0' + n))
			}
		}
		if got != row.want {
			t.Errorf("%s: want owners %q, got %q", row.asked, row.want, got)
		}
	}
	for _, bad := range []string{"blue", "vlan/7", "rule/", "/x"} {
		if _, err := ownedBy(bad); err == nil || !strings.Contains(err.Error(), "KIND/NAME") || !strings.Contains(err.Error(), "endpoint") {
			t.Errorf("%q: want an error that names the form and the kinds, got %v", bad, err)
		}
	}
}

// Users can select flows by the owner as it is printed, and rules and policies have their user-visible names.
func TestCalled(t *testing.T) {
	for k, want := range map[ofnet.Key]string{
		{Kind: ofnet.KindRule, Name: "blue:db:p1:2"}:                    "rule/blue:p1:2",
		{Kind: ofnet.KindRule, Name: "of another form"}:                 "rule/of another form",
		{Kind: ofnet.KindEndpoint, Name: "blue:net1:lab-d2"}:            "endpoint/blue:net1:lab-d2",
		{Kind: ofnet.KindBackend, Name: "blue:shop/tcp/80/10.1.1.1/in"}: "backend/blue:shop/tcp/80/10.1.1.1/in",
		{Kind: ofnet.KindClassPolicy, Name: "shop:to-web"}:              "networkpolicy/shop/to-web",
		{Kind: ofnet.KindClassPolicy, Name: "no-db"}:                    "clusternetworkpolicy/no-db",
	} {
		got := Called(k)
		if got != want {
			t.Errorf("%s: want %q, got %q", k, want, got)
		}
		if owned, err := ownedBy(got); err != nil || !owned(k) {
			t.Errorf("%s: asking for %q does not find it (%v)", k, got, err)
		}
	}
}
