package desired

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

func prefix(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

// rule makes the record of a rule of policy p for group web of tenant blue.
func rule(name string, tag record.PolicyTag, change func(*record.PolicyRule)) record.PolicyRule {
	id := record.PolicyRuleID("blue", "web", "p", name, tag)
	r := record.PolicyRule{ID: id, RuleID: id, Priority: 10, Action: "allow"}
	if tag == record.InRx || tag == record.OutRx {
		r.DstEndpointGroup = 5
	} else {
		r.SrcEndpointGroup = 5
	}
	change(&r)
	return r
}

func TestRulesAreTranslated(t *testing.T) {
	base := ofnet.Rule{Tenant: "blue", Group: "web:blue", Direction: ofnet.In, Priority: 10}
	rows := []struct {
		name string
		in   record.PolicyRule
		want func(*ofnet.Rule) // nil: no rule
	}{
		{"a port", rule("1", record.InRx, func(r *record.PolicyRule) { r.IPProtocol, r.DstPort = 6, 80 }),
			func(r *ofnet.Rule) { r.Protocol, r.Ports = 6, []ofnet.PortRange{{First: 80, Last: 80}} }},
		{"answers to a port", rule("1", record.InTx, func(r *record.PolicyRule) { r.IPProtocol, r.SrcPort = 6, 80 }), nil},
		{"answers to an outgoing port", rule("1", record.OutRx, func(r *record.PolicyRule) { r.IPProtocol, r.SrcPort = 6, 80 }), nil},
		{"TCP at large", rule("1", record.InRx, func(r *record.PolicyRule) { r.IPProtocol, r.TCPFlags, r.Action = 6, "syn,!ack", "deny" }),
			func(r *ofnet.Rule) { r.Protocol, r.Openings, r.Deny = 6, true, true }},
		{"from a group", rule("1", record.InRx, func(r *record.PolicyRule) { r.SrcEndpointGroup = 9 }), func(r *ofnet.Rule) { r.PeerGroup = 9 }},
		{"to a group", rule("1", record.OutTx, func(r *record.PolicyRule) { r.DstEndpointGroup = 9 }),
			func(r *ofnet.Rule) { r.PeerGroup, r.Direction = 9, ofnet.Out }},
		{"from an address to its own", rule("1", record.InRx, func(r *record.PolicyRule) { r.SrcIPAddr, r.DstIPAddr = "10.1.1.1", "10.2.2.2" }),
			func(r *ofnet.Rule) { r.Peers, r.Own = prefix("10.1.1.1/32"), prefix("10.2.2.2/32") }},
		{"from an unmasked subnet", rule("1", record.InRx, func(r *record.PolicyRule) { r.SrcIPAddr = "10.1.1.1/24" }),
			func(r *ofnet.Rule) { r.Peers = prefix("10.1.1.0/24") }},
		{"to a network with IPv6", rule("1", record.OutTx, func(r *record.PolicyRule) { r.DstIPAddr, r.DstIPv6Addr = "10.1.1.0/24", "fd01::/64" }),
			func(r *ofnet.Rule) { r.Peers, r.Direction = prefix("10.1.1.0/24", "fd01::/64"), ofnet.Out }},
		{"from an IPv6 subnet to its own address", rule("1", record.InRx, func(r *record.PolicyRule) { r.SrcIPv6Addr, r.DstIPv6Addr = "fd01::7/64", "fd02::1" }),
			func(r *ofnet.Rule) { r.Peers, r.Own = prefix("fd01::/64"), prefix("fd02::1/128") }},
		{"from the range of a network", rule("1", record.InRx, func(r *record.PolicyRule) { r.SrcIPAddr = "10.1.1.10-10.1.1.17/24" }),
			func(r *ofnet.Rule) { r.Peers = prefix("10.1.1.10/31", "10.1.1.12/30", "10.1.1.16/31") }},
		{"from a short range", rule("1", record.InRx, func(r *record.PolicyRule) { r.SrcIPAddr = "10.1.1.8-15" }),
			func(r *ofnet.Rule) { r.Peers = prefix("10.1.1.8/29") }},
		{"a protocol by number", rule("1", record.InRx, func(r *record.PolicyRule) { r.IPProtocol = 47 }), func(r *ofnet.Rule) { r.Protocol = 47 }},
	}
	for _, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			r := newRecords("h1")
			value, _ := json.Marshal(row.in)
			if err := r.put(store.Item{Key: record.PolicyRules + row.in.ID, Value: value}); err != nil {
				t.Fatal(err)
			}
			got := r.rules.Get(row.in.ID)
			if row.want == nil {
				if got != nil {
					t.Errorf("want no rule, got %+v", got)
				}
				return
			}
			want := base
			want.ID = row.in.ID
			row.want(&want)
			if got == nil || !got.Equal(&want) {
				t.Errorf("want %+v\ngot  %+v", want, got)
			}
		})
	}
}

func TestRulesThatCannotBeCarriedOutDeny(t *testing.T) {
	for name, spoil := range map[string]func(*record.PolicyRule){
		"address":          func(r *record.PolicyRule) { r.SrcIPAddr = "10.1.1" },
		"backward range":   func(r *record.PolicyRule) { r.SrcIPAddr = "10.1.1.9-10.1.1.3" },
		"mixed range":      func(r *record.PolicyRule) { r.SrcIPAddr = "10.1.1.9-fd01::3" },
		"disguised IPv4":   func(r *record.PolicyRule) { r.SrcIPAddr = "::ffff:10.1.1.0/120" },
		"priority":         func(r *record.PolicyRule) { r.Priority = 0 },
		"high priority":    func(r *record.PolicyRule) { r.Priority = 300 },
		"flags":            func(r *record.PolicyRule) { r.IPProtocol, r.TCPFlags = 6, "fin" },
		"flags of UDP":     func(r *record.PolicyRule) { r.IPProtocol, r.TCPFlags = 17, openings },
		"port of ICMP":     func(r *record.PolicyRule) { r.IPProtocol, r.DstPort = 1, 80 },
		"source port":      func(r *record.PolicyRule) { r.IPProtocol, r.SrcPort = 6, 80 },
		"no group":         func(r *record.PolicyRule) { r.DstEndpointGroup = 0 },
		"no group of peer": func(r *record.PolicyRule) { r.SrcEndpointGroup = -1 },
	} {
		for _, action := range []string{actionAllow, actionDeny, "reject", ""} {
			t.Run(name+", "+action, func(t *testing.T) {
				v := rule("1", record.InRx, func(r *record.PolicyRule) { r.Action = action; spoil(r) })
				r := newRecords("h1")
				value, _ := json.Marshal(v)
				err := r.put(store.Item{Key: record.PolicyRules + v.ID, Value: value})
				if err == nil || !strings.Contains(err.Error(), v.ID) {
					t.Errorf("error: want one that names %s, got %v", v.ID, err)
				}
				closed := &ofnet.Rule{ID: v.ID, Tenant: "blue", Group: "web:blue", Direction: ofnet.In, Priority: ofnet.PriorityClosed, Deny: true}
				switch got := r.rules.Get(v.ID); {
				case action == actionAllow && got != nil:
					t.Errorf("a spoilt permission: want no rule, got %+v", got)
				case action != actionAllow && (got == nil || !got.Equal(closed)):
					t.Errorf("a spoilt denial: want %+v, got %+v", closed, got)
				}
			})
		}
	}
}

// TestRulesInTheState shows that rules come with the first member of their tenant, and that a record which turns bad
// closes its group and says so, until it is good again.
func TestRulesInTheState(t *testing.T) {
	blue := network("net", "blue", 100)
	here := member(blue, "b1", "h1", 1)
	ssh := rule("ssh", record.InRx, func(r *record.PolicyRule) { r.IPProtocol, r.DstPort, r.Action = 6, 22, "deny" })
	w := start(t, tenant("blue", 1), blue, group("web", "blue", 5), ssh,
		member(blue, "b2", "h2", 2))
	w.reach("nothing: blue is not here", func(s *ofnet.State) bool { return s.Rules.Len() == 0 && s.Endpoints.Len() == 0 })
	w.put(here)
	w.reach("the rule", func(s *ofnet.State) bool { return s.Rules.Get(ssh.ID) != nil && s.Rules.Get(ssh.ID).Priority == 10 })
	bad := ssh
	bad.SrcIPAddr = "nowhere"
	w.put(bad)
	w.reach("a closed group", func(s *ofnet.State) bool { return s.Rules.Get(ssh.ID).Priority == ofnet.PriorityClosed })
	if got := w.e.Malformed(); !slices.Equal(got, []string{record.PolicyRules + ssh.ID}) {
		t.Errorf("malformed: want the rule named, got %v", got)
	}
	w.put(ssh)
	w.reach("an open group", func(s *ofnet.State) bool { return s.Rules.Get(ssh.ID).Priority == 10 })
	w.del(ssh)
	w.reach("no rule", func(s *ofnet.State) bool { return s.Rules.Len() == 0 })
	w.put(ssh)
	w.reach("the rule again", func(s *ofnet.State) bool { return s.Rules.Len() == 1 })
	w.del(here)
	w.reach("gone with the last member", func(s *ofnet.State) bool { return s.Rules.Len() == 0 })
}

// FuzzRules compiles whatever comes of a record: nothing in the store may bring the agent down.
func FuzzRules(f *testing.F) {
	for _, r := range []record.PolicyRule{
		rule("1", record.InRx, func(r *record.PolicyRule) { r.IPProtocol, r.DstPort, r.SrcIPAddr = 6, 80, "10.0.0.1-10.0.3.9/16" }),
		rule("2", record.OutTx, func(r *record.PolicyRule) { r.IPProtocol, r.DstIPv6Addr, r.SrcIPAddr = 1, "::/0", "::ffff:1.2.3.4" }),
		rule("3", record.InRx, func(r *record.PolicyRule) {
			r.TCPFlags, r.SrcIPAddr, r.DstIPAddr = openings, "0.0.0.0-255", "fe80::1%x"
		}),
	} {
		value, _ := json.Marshal(r)
		f.Add(r.ID, value)
	}
	f.Fuzz(func(t *testing.T, id string, value []byte) {
		r := newRecords("h1")
		before := r.clone()
		_ = r.put(store.Item{Key: record.PolicyRules + id, Value: value})
		if objects := affected(before, r); len(objects) != r.rules.Len() {
			t.Fatalf("objects: want the rule, got %v", objects)
		}
		s := ofnet.NewState("h1")
		for rule := range r.rules.Values() {
			s.Rules.Set(rule.ID, rule)
			s.Groups.Set(rule.Group, &ofnet.Group{Name: rule.Group, Tenant: rule.Tenant, ID: 5})
			s.Endpoints.Set("e", &ofnet.Endpoint{ID: "e", Group: rule.Group, Host: "h1"})
			set := pipeline.Default().Compile(s, rule.Tier().Key())
			if err := set.Check(); err != nil {
				t.Errorf("flows of %+v: want what a switch takes, got %v", rule, err)
			}
		}
	})
}
