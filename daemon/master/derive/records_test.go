// SPDX-License-Identifier: Apache-2.0

package derive_test

import (
	"context"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
)

// world has network net1, groups group1 (number 1) and group2 (number 2) without policies, and policy p1.
func world(t *testing.T) *enginetest.World {
	t.Helper()
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24", "group group1 networkName=net1", "group group2 networkName=net1", "policy p1")
	return w
}

// expect fails the test unless agents get just these rules.
func expect(t *testing.T, w *enginetest.World, want ...string) {
	t.Helper()
	if got := w.AgentRules(t); !slices.Equal(got, want) {
		t.Errorf("rules for agents:\nwant %s\ngot  %s", strings.Join(want, "\n     "), strings.Join(got, "\n     "))
	}
}

// refused fails the test unless a line is refused with text.
func refused(t *testing.T, w *enginetest.World, line, text string) {
	t.Helper()
	if _, err := w.Do(line); !strings.HasPrefix(enginetest.Say(err), text) {
		t.Errorf("%s: want a refusal that begins with %q, got %q", line, text, enginetest.Say(err))
	}
}

func TestPOL_13_OwnAddress(t *testing.T) {
	w := world(t)
	w.Must(t, "group group1 policies=p1", "attach net1 c1 group=group1 address=10.1.1.15")
	const to = " direction=in action=allow protocol=tcp port=80 toIpAddress="
	refused(t, w, "rule p1:1"+to+"10.1.1.19", "invalid toIpAddress: ")
	w.Must(t, "rule p1:1"+to+"10.1.1.15")
	expect(t, w, "group1/p1:1 in own 10.1.1.15/32 protocol 6 port 80 allow 1")
	w.Must(t, "group group2 policies=p1")
	refused(t, w, "rule p1:2"+to+"10.1.1.15", "invalid toIpAddress: ")
}

// Addresses of rules may be IPv6, also that of one container, in any spelling; agents get them beside those of IPv4.
func TestRulesOfIPv6(t *testing.T) {
	w := world(t)
	w.Must(t, "network net6 encap=vlan subnet=10.6.1.0/24 ipv6Subnet=fd06::/64", "group group6 networkName=net6 policies=p1")
	addresses, err := w.Do("attach net6 c6 group=group6")
	if err != nil {
		t.Fatal(err)
	}
	own := netip.MustParseAddr(strings.Fields(addresses)[1]).StringExpanded()
	w.Must(t, "rule p1:1 direction=in action=deny fromIpAddress=fd07::/64 protocol=udp", "rule p1:2 direction=out action=allow toIpAddress=fd08::5 protocol=tcp port=80",
		"rule p1:3 direction=in action=allow fromIpAddress=10.1.1.9 toIpAddress="+own)
	expect(t, w, "group6/p1:1 in fd07::/64 protocol 17 deny 1", "group6/p1:2 out fd08::5/128 protocol 6 port 80 allow 1",
		"group6/p1:3 in 10.1.1.9/32 own "+netip.MustParseAddr(own).String()+"/128 allow 1")
	refused(t, w, "rule p1:4 direction=in action=allow toIpAddress=fd06::77", "invalid toIpAddress: ")
}

// POL-14, EPG-04, EPG-05: what agents get follows attaching, detaching, rules and groups, and nothing is left behind.
func TestPOL_14_Records(t *testing.T) {
	w := world(t)
	w.Must(t, "rule p1:1 direction=in action=deny protocol=tcp", "rule p1:2 direction=out action=allow toEndpointGroup=group2 protocol=udp port=53 priority=10",
		"rule p1:3 direction=out action=deny toNetwork=net1 protocol=icmp")
	const one, two, three = "p1:1 in protocol 6 openings deny 1", "p1:2 out group group2 protocol 17 port 53 allow 10", "p1:3 out network net1 protocol 1 deny 1"
	expect(t, w)
	at := func(group string) []string { return []string{group + one, group + two, group + three} }
	before := revisions(t, w, record.Rules)
	w.Must(t, "group group1 policies=p1")
	expect(t, w, at("group1/")...)

	t.Run("exactly the rule's record", func(t *testing.T) {
		w.Must(t, "rule p1:4 direction=in action=allow protocol=89")
		expect(t, w, append(at("group1/"), "group1/p1:4 in protocol 89 allow 1")...)
		w.Must(t, "rm rule p1:4")
	})
	t.Run("a group named by a rule goes and comes back", func(t *testing.T) {
		w.Must(t, "rm group group2", "group other networkName=net1", "group group2 networkName=net1")
		expect(t, w, at("group1/")...)
	})
	t.Run("another policy", func(t *testing.T) {
		w.Must(t, "policy p2", "rule p2:1 direction=in action=allow", "group group1 policies=p2")
		expect(t, w, "group1/p2:1 in allow 1")
		w.Must(t, "rm rule p2:1")
	})
	if after := revisions(t, w, record.Rules); !slices.Equal(before, after) {
		t.Errorf("records of rules were written again: %v, %v", before, after)
	}
	t.Run("POL-15 delete", func(t *testing.T) {
		refused(t, w, "rm policy p2", "in-use: Policy is being used")
		w.Must(t, "rm group group1")
		if left := revisions(t, w, record.Attachments); len(left) != 0 {
			t.Errorf("no attachment may be left, got %v", left)
		}
		w.Must(t, "rm policy p1", "rm policy p2")
		if left := revisions(t, w, record.Rules); len(left) != 0 {
			t.Errorf("no record of a rule may be left, got %v", left)
		}
		w.Catalog.View(func(v *catalog.View) {
			if n := v.Count(model.KindRule()); n != 0 {
				t.Errorf("the rules must go with their policies, got %d", n)
			}
		})
	})
}

// revisions are the revisions of the records below a prefix.
func revisions(t *testing.T, w *enginetest.World, prefix string) (out []uint64) {
	t.Helper()
	items, _, err := w.Store.List(context.Background(), prefix)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		out = append(out, uint64(it.Revision))
	}
	return out
}
