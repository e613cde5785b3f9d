// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"encoding/json"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/pipeline"
)

func prefix(texts ...string) (out []netip.Prefix) {
	for _, t := range texts {
		out = append(out, netip.MustParsePrefix(t))
	}
	return out
}

// ruleID names a rule of policy p of tenant blue.
func ruleID(name string) identity.Rule {
	return identity.Rule{Policy: identity.Policy{Tenant: "blue", Name: "p"}, Rule: name}
}

// rule makes the record of a rule of policy p of tenant blue.
func rule(name string, change func(*record.Rule)) record.Rule {
	r := record.Rule{ID: ruleID(name), Direction: "in", Priority: 10, Action: "allow"}
	change(&r)
	return r
}

// webHasP says that group web of tenant blue has policy p.
var webHasP = record.Attachment{ID: identity.Attachment{Group: identity.Group{Tenant: "blue", Name: "web"}, Policy: "p"}}

func TestRulesAreTranslated(t *testing.T) {
	for _, row := range []struct {
		name string
		in   record.Rule
		want ofnet.Rule // without an ID; priority 10
	}{
		{"a port", rule("1", func(r *record.Rule) { r.Protocol, r.Port = 6, 80 }),
			ofnet.Rule{Direction: ofnet.In, Protocol: 6, Ports: []ofnet.PortRange{{First: 80, Last: 80}}}},
		{"TCP at large", rule("1", func(r *record.Rule) { r.Protocol, r.Openings, r.Action = 6, true, "deny" }),
			ofnet.Rule{Direction: ofnet.In, Protocol: 6, Openings: true, Deny: true}},
		{"from a group", rule("1", func(r *record.Rule) { r.Group = "db" }), ofnet.Rule{Direction: ofnet.In, PeerGroup: "blue:db"}},
		{"to a group", rule("1", func(r *record.Rule) { r.Direction, r.Group = "out", "db" }), ofnet.Rule{Direction: ofnet.Out, PeerGroup: "blue:db"}},
		{"to a network", rule("1", func(r *record.Rule) { r.Direction, r.Network = "out", "n" }), ofnet.Rule{Direction: ofnet.Out, PeerNetwork: "blue:n"}},
		{"from addresses to its own", rule("1", func(r *record.Rule) { r.Peers, r.Own = prefix("10.1.1.1/32", "fd01::/64"), prefix("10.2.2.2/32") }),
			ofnet.Rule{Direction: ofnet.In, Peers: prefix("10.1.1.1/32", "fd01::/64"), Own: prefix("10.2.2.2/32")}},
		{"a protocol by number", rule("1", func(r *record.Rule) { r.Protocol = 47 }), ofnet.Rule{Direction: ofnet.In, Protocol: 47}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r := newRecords("h1")
			value, _ := json.Marshal(row.in)
			if err := r.put(channel.Item{Key: record.Rules + row.in.ID.String(), Value: value}); err != nil {
				t.Fatal(err)
			}
			row.want.ID, row.want.Priority = row.in.ID, 10
			if got := r.rules.Get(row.in.ID); got == nil || !got.Equal(&row.want) {
				t.Errorf("want %+v\ngot  %+v", row.want, got)
			}
		})
	}
}

func TestRulesThatCannotBeCarriedOutDeny(t *testing.T) {
	for name, spoil := range map[string]func(*record.Rule){
		"disguised IPv4": func(r *record.Rule) { r.Peers = prefix("::ffff:10.1.1.0/120") },
		"no prefix":      func(r *record.Rule) { r.Own = []netip.Prefix{{}} },
		"priority":       func(r *record.Rule) { r.Priority = 0 },
		"high priority":  func(r *record.Rule) { r.Priority = 300 },
		"openings":       func(r *record.Rule) { r.Protocol, r.Openings = 17, true },
		"port of ICMP":   func(r *record.Rule) { r.Protocol, r.Port = 1, 80 },
		"another's name": func(r *record.Rule) { r.ID.Rule = "2" },
		"direction":      func(r *record.Rule) { r.Direction = "" },
	} {
		for _, action := range []string{record.ActionAllow, record.ActionDeny, "reject", ""} {
			t.Run(name+", "+action, func(t *testing.T) {
				id := ruleID("1")
				v := rule("1", func(r *record.Rule) { r.Action = action; spoil(r) })
				r := newRecords("h1")
				value, _ := json.Marshal(v)
				err := r.put(channel.Item{Key: record.Rules + id.String(), Value: value})
				if err == nil || !strings.Contains(err.Error(), id.String()) {
					t.Errorf("error: want one that names %s, got %v", id, err)
				}
				closed := &ofnet.Rule{ID: id, Direction: ofnet.In, Priority: ofnet.PriorityClosed, Deny: true}
				if v.Direction == "" {
					closed.Direction = ofnet.Both
				}
				switch got := r.rules.Get(id); {
				case action == record.ActionAllow && got != nil:
					t.Errorf("a spoilt permission: want no rule, got %+v", got)
				case action != record.ActionAllow && (got == nil || !got.Equal(closed)):
					t.Errorf("a spoilt denial: want %+v, got %+v", closed, got)
				}
			})
		}
	}
	r, id := newRecords("h1"), ruleID("1")
	if err := r.put(channel.Item{Key: record.Rules + id.String(), Value: []byte("{")}); err == nil || r.rules.Get(id) == nil || r.rules.Get(id).Direction != ofnet.Both {
		t.Errorf("what is no JSON: want both directions closed and an error, got %+v, %v", r.rules.Get(id), err)
	}
	if err := r.put(channel.Item{Key: record.Rules + "blue", Value: []byte("{}")}); err == nil {
		t.Error("a key that is no rule's: want an error")
	}
}

// A malformed attachment holds nevertheless, and is reported.
func TestAttachmentThatCannotBeRead(t *testing.T) {
	r := newRecords("h1")
	for _, value := range []string{"{", `{"id":"blue:db:p"}`, `{"id":"a:b"}`} {
		err := r.put(channel.Item{Key: record.Attachments + webHasP.ID.String(), Value: []byte(value)})
		if err == nil || !strings.Contains(err.Error(), "nevertheless has policy") || r.attachments.Get(webHasP.ID) == nil {
			t.Errorf("%s: want it held and an error, got %v", value, err)
		}
	}
	if err := r.put(channel.Item{Key: record.Attachments + "blue:web", Value: []byte("{}")}); err == nil || r.attachments.Len() != 1 {
		t.Errorf("a key that is no attachment's: got %v", err)
	}
}

// TestRulesInTheState shows that rules come with the first member of their tenant, and that a record which turns bad
// closes its groups and says so, until it is good again.
func TestRulesInTheState(t *testing.T) {
	blue := network("net", "blue", 100)
	here := member(blue, "b1", "h1", 1)
	ssh := rule("ssh", func(r *record.Rule) { r.Protocol, r.Port, r.Action = 6, 22, "deny" })
	w := start(t, tenant("blue", 1), blue, group("web", "blue", 5), ssh, webHasP,
		member(blue, "b2", "h2", 2))
	has := func(priority uint8) func(s *ofnet.State) bool {
		return func(s *ofnet.State) bool {
			return s.Rules.Get(ssh.ID) != nil && s.Rules.Get(ssh.ID).Priority == priority && s.Attachments.Len() == 1
		}
	}
	w.reach("nothing: blue is not here", func(s *ofnet.State) bool { return s.Rules.Len()+s.Attachments.Len()+s.Endpoints.Len() == 0 })
	w.put(here)
	w.reach("the rule", has(10))
	bad := ssh
	bad.Priority = 0
	w.put(bad)
	w.reach("a closed group", has(ofnet.PriorityClosed))
	if got := w.e.Malformed(); !slices.Equal(got, []string{record.Rules + ssh.ID.String()}) {
		t.Errorf("malformed: want the rule named, got %v", got)
	}
	w.put(ssh)
	w.reach("an open group", has(10))
	w.put(record.Global{InfraType: "aci"})
	w.reach("no one has it in a fabric", func(s *ofnet.State) bool { return s.Attachments.Len() == 0 })
	w.put(record.Global{})
	w.reach("the rule out of the fabric", has(10))
	w.del(webHasP)
	w.reach("no one has it", func(s *ofnet.State) bool { return s.Attachments.Len() == 0 && s.Rules.Len() == 1 })
	w.put(webHasP)
	w.del(ssh)
	w.reach("no rule", func(s *ofnet.State) bool { return s.Rules.Len() == 0 })
	w.put(ssh)
	w.reach("the rule again", has(10))
	w.del(here)
	w.reach("gone with the last member", func(s *ofnet.State) bool { return s.Rules.Len()+s.Attachments.Len() == 0 })
}

// compiles checks what a switch gets of the rules in r, for group web.
func compiles(t *testing.T, r *records) {
	t.Helper()
	s := ofnet.NewState("h1")
	s.Endpoints.Set("e", &ofnet.Endpoint{ID: "e", Group: "blue:web", Host: "h1"})
	s.Groups.Set("blue:web", &ofnet.Group{Name: "blue:web", Tenant: "blue", ID: 5})
	for rule := range r.rules.Values() {
		s.Rules.Set(rule.ID, rule)
	}
	for rule := range s.Rules.Values() {
		s.Attach(identity.Attachment{Group: identity.Group{Tenant: "blue", Name: "web"}, Policy: rule.ID.Name})
		for _, tier := range s.TiersWith(rule) {
			set := pipeline.Default().Compile(s, tier.Key())
			if err := set.Check(); err != nil {
				t.Errorf("flows of %+v: want what a switch takes, got %v", rule, err)
			}
		}
	}
}

// FuzzRules compiles whatever comes of a record: nothing in the store may bring the agent down.
func FuzzRules(f *testing.F) {
	for _, r := range []record.Rule{
		rule("1", func(r *record.Rule) { r.Protocol, r.Port, r.Peers = 6, 80, prefix("10.0.0.1/16", "10.0.3.9/32") }),
		rule("2", func(r *record.Rule) { r.Direction, r.Protocol, r.Peers, r.Group = "out", 1, prefix("::/0"), "web" }),
		rule("3", func(r *record.Rule) { r.Openings, r.Own, r.Network = true, prefix("0.0.0.0/0"), "n" }),
	} {
		value, _ := json.Marshal(r)
		f.Add(r.ID.String(), value)
	}
	f.Fuzz(func(t *testing.T, id string, value []byte) {
		r := newRecords("h1")
		before := r.clone()
		_ = r.put(channel.Item{Key: record.Rules + id, Value: value})
		if objects := affected(before, r); len(objects) != r.rules.Len() {
			t.Fatalf("objects: want the rule, got %v", objects)
		}
		compiles(t, r)
	})
}
