package desired

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// legacyRule is the record of earlier builds of a rule for one group, at "tenant:group:tenant:policy:tenant:policy:rule:tag". Groups are
// numbers, 0 for any; addresses are in the forms that ipam.ParsePrefixes reads, "" for any.
type legacyRule struct {
	ID               string
	Priority         int
	SrcEndpointGroup int
	DstEndpointGroup int
	SrcIPAddr        string `json:"SrcIpAddr"`
	DstIPAddr        string `json:"DstIpAddr"`
	SrcIPv6Addr      string `json:"SrcIpv6Addr"`
	DstIPv6Addr      string `json:"DstIpv6Addr"`
	IPProtocol       uint8  `json:"IpProtocol"`
	SrcPort, DstPort uint16
	TCPFlags         string `json:"TcpFlags"` // "", or openings
	Action           string
}

// openings is the one restriction by TCP flags that masters wrote.
const openings = "syn,!ack"

// numbered is a rule whose other side is named by a number: 0 is any group.
type numbered struct {
	rule *ofnet.Rule
	peer int
}

// legacy is what the records of earlier builds say. Records of this build count before them.
type legacy struct {
	rules       *table.Table[string, *numbered] // by id of the record
	attachments *table.Table[string, *ofnet.Attachment]
}

// What finds them.
var (
	legacyOfRule       = table.By[string](func(n *numbered) identity.Rule { return n.rule.ID })
	legacyOfPeer       = table.By[string](func(n *numbered) int { return n.peer })
	legacyOfAttachment = table.By[string](func(a *ofnet.Attachment) identity.Attachment { return a.ID })
)

func newLegacy() legacy {
	return legacy{table.New(legacyOfRule, legacyOfPeer), table.New(legacyOfAttachment)}
}

func (l legacy) clone() legacy { return legacy{l.rules.Clone(), l.attachments.Clone()} }

// legacyKinds are how the records are taken in.
func legacyKinds() []kind {
	return []kind{
		{record.LegacyRules, (*records).putLegacyRule, func(r *records, name string) { r.legacy.rules.Delete(name) }},
		{record.LegacyAttachments, func(r *records, name string, _ store.Item) error {
			p := strings.Split(name, ":")
			if len(p) != 4 || p[0] != p[2] {
				return fmt.Errorf("id %q is not of the form tenant:group:tenant:policy", name)
			}
			r.legacy.attachments.Set(name, &ofnet.Attachment{ID: identity.Attachment{Group: identity.Group{Tenant: p[0], Name: p[1]}, Policy: p[3]}})
			return nil
		}, func(r *records, name string) { r.legacy.attachments.Delete(name) }},
	}
}

// putLegacyRule is putRule for a record of an earlier build.
func (r *records) putLegacyRule(name string, item store.Item) error {
	p := strings.Split(name, ":")
	if len(p) != 8 || p[2] != p[0] || p[4] != p[0] || p[5] != p[3] {
		return fmt.Errorf("id %q is not of the form tenant:group:tenant:policy:tenant:policy:rule:tag", name)
	}
	id := identity.Rule{Policy: identity.Policy{Tenant: p[0], Name: p[3]}, Rule: p[6]}
	var direction string
	switch p[7] {
	case "inRx":
		direction = record.DirectionIn
	case "outTx":
		direction = record.DirectionOut
	case "inTx", "outRx": // of answers, which the tracker knows
		r.legacy.rules.Delete(name)
		return nil
	default:
		return fmt.Errorf("id %q ends with none of inRx, inTx, outRx, outTx", name)
	}
	var v legacyRule
	err := json.Unmarshal(item.Value, &v)
	if err == nil && v.ID != name {
		err = fmt.Errorf("it calls itself %q", v.ID)
	}
	same, peer, wrong := v.translate(id, direction)
	rule, err := judging(same, cmp.Or(err, wrong))
	switch {
	case err == nil:
		r.legacy.rules.Set(name, &numbered{rule, peer})
	case rule != nil: // it denies all, whoever the other side is
		r.legacy.rules.Set(name, &numbered{rule, 0})
	default:
		r.legacy.rules.Delete(name)
	}
	return err
}

// translate makes the record a Rule of this build, but for the number of the other side's group.
func (v *legacyRule) translate(id identity.Rule, direction string) (out *record.Rule, peer int, err error) {
	peer, own, peers, owns, port, other := v.SrcEndpointGroup, v.DstEndpointGroup, []string{v.SrcIPAddr, v.SrcIPv6Addr},
		[]string{v.DstIPAddr, v.DstIPv6Addr}, v.DstPort, v.SrcPort
	if direction == record.DirectionOut {
		peer, own, peers, owns = own, peer, owns, peers
	}
	out = &record.Rule{ID: id, Direction: direction, Priority: v.Priority, Action: v.Action, Protocol: v.IPProtocol, Port: port, Openings: v.TCPFlags != ""}
	switch {
	case own <= 0 || peer < 0:
		return out, 0, fmt.Errorf("want numbers of groups, got %d and %d", own, peer)
	case other != 0:
		return out, 0, fmt.Errorf("want no port on the side that connects, got %d", other)
	case v.TCPFlags != "" && v.TCPFlags != openings:
		return out, 0, fmt.Errorf("want TCP flags %q or none, got %q", openings, v.TCPFlags)
	}
	if out.Peers, err = prefixes(peers); err != nil {
		return out, 0, err
	}
	out.Own, err = prefixes(owns)
	return out, peer, err
}

func prefixes(texts []string) (out []netip.Prefix, err error) {
	for _, text := range texts {
		if text == "" {
			continue
		}
		list, err := ipam.ParsePrefixes(text)
		if err != nil {
			return nil, err
		}
		out = append(out, list...)
	}
	return out, nil
}

// legacyRule is what records of earlier builds say of a rule, nil when there is none. There is one for each group, and all are alike but
// for those that cannot be read, which count.
func (r *records) legacyRule(id identity.Rule) *ofnet.Rule {
	var n *numbered
	first := ""
	for name, one := range legacyOfRule.In(r.legacy.rules, id).All() {
		if n == nil || one.rule.Priority > n.rule.Priority || one.rule.Priority == n.rule.Priority && name < first {
			n, first = one, name
		}
	}
	if n == nil {
		return nil
	}
	if n.peer == 0 {
		return n.rule
	}
	rule := *n.rule
	rule.PeerGroup = fmt.Sprintf("number %d", n.peer) // no group's name
	for group := range groupsNumbered.In(r.groups, n.peer).Values() {
		if group.ID.Tenant == id.Tenant {
			rule.PeerGroup = group.ID.String()
		}
	}
	return &rule
}

// legacy adds what follows from records of earlier builds that are not the same, or name a group that is not.
func (o objects) legacy(before, after *records) {
	changed(before, after, func(r *records) *table.Table[string, *numbered] { return r.legacy.rules },
		func(_ *records, _ string, n *numbered) { o.rule(n.rule.ID) })
	changed(before, after, func(r *records) *table.Table[string, *ofnet.Attachment] { return r.legacy.attachments },
		func(_ *records, _ string, a *ofnet.Attachment) { o.attachment(a.ID) })
	changed(before, after, groups, func(r *records, _ string, g *record.Group) {
		for n := range legacyOfPeer.In(r.legacy.rules, g.Number).Values() {
			o.rule(n.rule.ID)
		}
	})
}

// legacyOf adds what records of earlier builds say of a tenant.
func (o objects) legacyOf(r *records, tenant string) {
	for n := range r.legacy.rules.Values() {
		if n.rule.ID.Tenant == tenant {
			o.rule(n.rule.ID)
		}
	}
	for a := range r.legacy.attachments.Values() {
		if a.ID.Tenant == tenant {
			o.attachment(a.ID)
		}
	}
}
