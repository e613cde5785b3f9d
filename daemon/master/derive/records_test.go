package derive_test

import (
	"context"
	"encoding/json"
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
	expect(t, w, "group1/p1:1:inRx any > group 1 10.1.1.15 port 80 protocol 6 allow 1", "group1/p1:1:inTx group 1 10.1.1.15 port 80 > any protocol 6 allow 1")
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
	expect(t, w, "group6/p1:1:inRx fd07::/64 > group 3 protocol 17 deny 1",
		"group6/p1:2:outRx fd08::5 port 80 > group 3 protocol 6 allow 1", "group6/p1:2:outTx group 3 > fd08::5 port 80 protocol 6 allow 1",
		"group6/p1:3:inRx 10.1.1.9 > group 3 "+own+" allow 1")
	refused(t, w, "rule p1:4 direction=in action=allow toIpAddress=fd06::77", "invalid toIpAddress: ")
}

// POL-14, EPG-04, EPG-05: what agents get follows attaching, detaching, rules and groups, and nothing is left behind.
func TestPOL_14_Records(t *testing.T) {
	w := world(t)
	w.Must(t, "rule p1:1 direction=in action=deny protocol=tcp", "rule p1:2 direction=out action=allow toEndpointGroup=group2 protocol=udp port=53 priority=10",
		"rule p1:3 direction=out action=deny toNetwork=net1 protocol=icmp")
	expect(t, w)
	w.Must(t, "group group1 policies=p1")
	const one = "group1/p1:1:inRx any > group 1 protocol 6 syn,!ack deny 1"
	two := []string{"group1/p1:2:outRx group 2 port 53 > group 1 protocol 17 allow 10", "group1/p1:2:outTx group 1 > group 2 port 53 protocol 17 allow 10"}
	const three = "group1/p1:3:outTx group 1 > 10.1.1.0/24 protocol 1 deny 1"
	expect(t, w, one, two[0], two[1], three)
	attached := attachedPolicies(t, w)
	if want := (record.AttachedPolicy{ID: "default:group1:default:p1", EpgPolicyKey: "default:group1:default:p1", EndpointGroupID: 1}); !slices.Equal(attached, []record.AttachedPolicy{want}) {
		t.Errorf("attached policies: want %+v, got %+v", want, attached)
	}

	t.Run("exactly the rule's records", func(t *testing.T) {
		before := revisions(t, w)
		w.Must(t, "rule p1:4 direction=in action=allow protocol=89")
		expect(t, w, one, two[0], two[1], three, "group1/p1:4:inRx any > group 1 protocol 89 allow 1")
		w.Must(t, "rm rule p1:4")
		if after := revisions(t, w); !slices.Equal(before, after) {
			t.Errorf("other records were written again: %v, %v", before, after)
		}
	})
	t.Run("a group named by a rule goes and comes back", func(t *testing.T) {
		w.Must(t, "rm group group2")
		expect(t, w, one, three)
		w.Must(t, "group other networkName=net1") // takes the number
		expect(t, w, one, three)
		w.Must(t, "group group2 networkName=net1")
		expect(t, w, one, "group1/p1:2:outRx group 3 port 53 > group 1 protocol 17 allow 10", "group1/p1:2:outTx group 1 > group 3 port 53 protocol 17 allow 10", three)
	})
	t.Run("another policy", func(t *testing.T) {
		w.Must(t, "policy p2", "rule p2:1 direction=in action=allow", "group group1 policies=p2")
		expect(t, w, "group1/p2:1:inRx any > group 1 allow 1")
	})
	t.Run("POL-15 delete", func(t *testing.T) {
		refused(t, w, "rm policy p2", "in-use: Policy is being used")
		w.Must(t, "rm group group1")
		expect(t, w)
		if left := attachedPolicies(t, w); len(left) != 0 {
			t.Errorf("no attached policy may be left, got %v", left)
		}
		w.Must(t, "rm policy p1", "rm policy p2")
		w.Catalog.View(func(v *catalog.View) {
			if n := v.Count(model.KindRule()); n != 0 {
				t.Errorf("the rules must go with their policies, got %d", n)
			}
		})
	})
}

// revisions are the revisions of the rules' records.
func revisions(t *testing.T, w *enginetest.World) (out []uint64) {
	t.Helper()
	items, _, err := w.Store.List(context.Background(), record.PolicyRules)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		out = append(out, uint64(it.Revision))
	}
	return out
}

func attachedPolicies(t *testing.T, w *enginetest.World) (out []record.AttachedPolicy) {
	t.Helper()
	items, _, err := w.Store.List(context.Background(), record.AttachedPolicies)
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range items {
		var p record.AttachedPolicy
		if err := json.Unmarshal(it.Value, &p); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}
