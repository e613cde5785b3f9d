package desired

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ofnet"
)

// legacyID1 is the id of an earlier build's record of rule 1 for a group of tenant blue, whose number is 5.
func legacyID1(group, tag string) string { return "blue:" + group + ":blue:p:blue:p:1:" + tag }

// old makes the record of an earlier build: of an incoming rule when the group's number is where traffic goes.
func old(id string, change func(*legacyRule)) []byte {
	r := legacyRule{ID: id, Priority: 10, Action: "allow"}
	if strings.HasSuffix(id, "Rx") {
		r.DstEndpointGroup = 5
	} else {
		r.SrcEndpointGroup = 5
	}
	change(&r)
	value, _ := json.Marshal(r)
	return value
}

// TestLegacyRules reads what the build before wrote.
func TestLegacyRules(t *testing.T) {
	for _, row := range []struct {
		name, tag string
		change    func(*legacyRule)
		want      *ofnet.Rule // without an ID; priority 10. nil: none
	}{
		{"a port", "inRx", func(r *legacyRule) { r.IPProtocol, r.DstPort = 6, 80 },
			&ofnet.Rule{Direction: ofnet.In, Protocol: 6, Ports: []ofnet.PortRange{{First: 80, Last: 80}}}},
		{"answers to a port", "inTx", func(r *legacyRule) { r.IPProtocol, r.SrcPort = 6, 80 }, nil},
		{"answers to an outgoing port", "outRx", func(r *legacyRule) { r.IPProtocol, r.SrcPort = 6, 80 }, nil},
		{"TCP at large", "inRx", func(r *legacyRule) { r.IPProtocol, r.TCPFlags, r.Action = 6, openings, "deny" },
			&ofnet.Rule{Direction: ofnet.In, Protocol: 6, Openings: true, Deny: true}},
		{"from a group", "inRx", func(r *legacyRule) { r.SrcEndpointGroup = 9 }, &ofnet.Rule{Direction: ofnet.In, PeerGroup: "blue:db"}},
		{"to a group", "outTx", func(r *legacyRule) { r.DstEndpointGroup = 9 }, &ofnet.Rule{Direction: ofnet.Out, PeerGroup: "blue:db"}},
		{"from a group that is not there", "inRx", func(r *legacyRule) { r.SrcEndpointGroup = 8 }, &ofnet.Rule{Direction: ofnet.In, PeerGroup: "number 8"}},
		{"from an address to its own", "inRx", func(r *legacyRule) { r.SrcIPAddr, r.DstIPAddr = "10.1.1.1", "10.2.2.2" },
			&ofnet.Rule{Direction: ofnet.In, Peers: prefix("10.1.1.1/32"), Own: prefix("10.2.2.2/32")}},
		{"to a network with IPv6", "outTx", func(r *legacyRule) { r.DstIPAddr, r.DstIPv6Addr = "10.1.1.0/24", "fd01::/64" },
			&ofnet.Rule{Direction: ofnet.Out, Peers: prefix("10.1.1.0/24", "fd01::/64")}},
		{"from an IPv6 subnet to its own address", "inRx", func(r *legacyRule) { r.SrcIPv6Addr, r.DstIPv6Addr = "fd01::7/64", "fd02::1" },
			&ofnet.Rule{Direction: ofnet.In, Peers: prefix("fd01::/64"), Own: prefix("fd02::1/128")}},
		{"from the range of a network", "inRx", func(r *legacyRule) { r.SrcIPAddr = "10.1.1.10-10.1.1.17/24" },
			&ofnet.Rule{Direction: ofnet.In, Peers: prefix("10.1.1.10/31", "10.1.1.12/30", "10.1.1.16/31")}},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, id := newRecords("h1"), legacyID1("web", row.tag)
			db := group("db", "blue", 9)
			r.groups.Set(db.ID.String(), &db)
			here(r)
			if err := r.put(store.Item{Key: record.LegacyRules + id, Value: old(id, row.change)}); err != nil {
				t.Fatal(err)
			}
			got := r.wantRule(ruleID("1"))
			if row.want == nil {
				if got != nil {
					t.Errorf("want no rule, got %+v", got)
				}
				return
			}
			row.want.ID, row.want.Priority = ruleID("1"), 10
			if got == nil || !got.Equal(row.want) {
				t.Errorf("want %+v\ngot  %+v", row.want, got)
			}
		})
	}
}

func TestLegacyRulesThatCannotBeCarriedOutDeny(t *testing.T) {
	for name, spoil := range map[string]func(*legacyRule){
		"address":              func(r *legacyRule) { r.SrcIPAddr = "10.1.1" },
		"backward range":       func(r *legacyRule) { r.SrcIPAddr = "10.1.1.9-10.1.1.3" },
		"mixed range":          func(r *legacyRule) { r.SrcIPAddr = "10.1.1.9-fd01::3" },
		"disguised IPv4":       func(r *legacyRule) { r.SrcIPAddr = "::ffff:10.1.1.0/120" },
		"priority":             func(r *legacyRule) { r.Priority = 0 },
		"priority, of a group": func(r *legacyRule) { r.Priority, r.SrcEndpointGroup = 0, 9 },
		"flags":                func(r *legacyRule) { r.IPProtocol, r.TCPFlags = 6, "fin" },
		"flags of UDP":         func(r *legacyRule) { r.IPProtocol, r.TCPFlags = 17, openings },
		"port of ICMP":         func(r *legacyRule) { r.IPProtocol, r.DstPort = 1, 80 },
		"source port":          func(r *legacyRule) { r.IPProtocol, r.SrcPort = 6, 80 },
		"no group":             func(r *legacyRule) { r.DstEndpointGroup = 0 },
		"no group of peer":     func(r *legacyRule) { r.SrcEndpointGroup = -1 },
	} {
		for _, action := range []string{record.ActionAllow, record.ActionDeny, "reject", ""} {
			t.Run(name+", "+action, func(t *testing.T) {
				r := newRecords("h1")
				here(r)
				good := legacyID1("a", "inRx") // of another group: the one that is spoilt counts
				_ = r.put(store.Item{Key: record.LegacyRules + good, Value: old(good, func(r *legacyRule) { r.Action = action })})
				id := legacyID1("web", "inRx")
				err := r.put(store.Item{Key: record.LegacyRules + id, Value: old(id, func(r *legacyRule) { r.Action = action; spoil(r) })})
				if err == nil || !strings.Contains(err.Error(), id) {
					t.Errorf("error: want one that names %s, got %v", id, err)
				}
				closed := &ofnet.Rule{ID: ruleID("1"), Direction: ofnet.In, Priority: ofnet.PriorityClosed, Deny: true}
				switch got := r.wantRule(ruleID("1")); {
				case action == record.ActionAllow && (got == nil || got.Deny):
					t.Errorf("a spoilt permission: want the one of the other group, got %+v", got)
				case action != record.ActionAllow && (got == nil || !got.Equal(closed)):
					t.Errorf("a spoilt denial: want %+v, got %+v", closed, got)
				}
			})
		}
	}
}

// TestFromOlderBuild plays how a leader of this build replaces the records of an older one: at no step does the State change.
func TestFromOlderBuild(t *testing.T) {
	blue := network("net", "blue", 100)
	w := start(t, tenant("blue", 1), blue, group("web", "blue", 5), member(blue, "b1", "h1", 1))
	raw := func(key string, value []byte) uint64 {
		tx := &store.Tx{}
		if value == nil {
			tx.Delete(key)
		} else {
			tx.Put(key, value)
		}
		return w.commit(tx)
	}
	id := legacyID1("web", "inRx")
	oldRule := old(id, func(r *legacyRule) { r.SrcEndpointGroup, r.Action = 5, "deny" })
	whole := func(s *ofnet.State) bool {
		r := s.Rules.Get(ruleID("1"))
		return r != nil && r.Deny && r.PeerGroup == "blue:web" && s.Attachments.Get(webHasP.ID) != nil && s.Rules.Len() == 1 && s.Attachments.Len() == 1
	}
	raw(record.LegacyAttachments+"blue:web:blue:p", []byte(`{"id":"blue:web:blue:p"}`))
	raw(record.LegacyRules+id, oldRule)
	w.reach("what the earlier build wrote", whole)
	touched := maps.Clone(w.b.touched)
	for _, rev := range []uint64{w.put(rule("1", func(r *record.Rule) { r.Action, r.Group = "deny", "web" })), w.put(webHasP), raw(record.LegacyRules+id, nil),
		raw(record.LegacyAttachments+"blue:web:blue:p", nil)} {
		if err := w.b.Wait(w.ctx, rev); err != nil {
			t.Fatal(err)
		}
	}
	if !whole(w.b.state) || !maps.Equal(touched, w.b.touched) {
		t.Errorf("want the State as it was all the time, touched were %v, are %v", touched, w.b.touched)
	}
	if bad := w.e.Malformed(); len(bad) != 0 {
		t.Errorf("malformed: %v", bad)
	}
}

// FuzzLegacyRules compiles whatever comes of an earlier build's record.
func FuzzLegacyRules(f *testing.F) {
	for n, change := range []func(*legacyRule){
		func(r *legacyRule) { r.IPProtocol, r.DstPort, r.SrcIPAddr = 6, 80, "10.0.0.1-10.0.3.9/16" },
		func(r *legacyRule) { r.IPProtocol, r.SrcIPv6Addr, r.DstIPAddr = 1, "::/0", "::ffff:1.2.3.4" },
		func(r *legacyRule) { r.TCPFlags, r.SrcIPAddr, r.DstIPAddr = openings, "0.0.0.0-255", "fe80::1%x" },
	} {
		id := fmt.Sprintf("blue:web:blue:p:blue:p:%d:inRx", n)
		f.Add(id, old(id, change))
	}
	f.Fuzz(func(t *testing.T, id string, value []byte) {
		r := newRecords("h1")
		_ = r.put(store.Item{Key: record.LegacyRules + id, Value: value})
		compiles(t, r)
	})
}

// here lets tenant blue have a member on this host.
func here(r *records) {
	e := member(network("net", "blue", 100), "e", "h1", 1)
	r.endpoints.Set(e.ID.String(), &e)
}
