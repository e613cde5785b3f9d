// SPDX-License-Identifier: Apache-2.0

// Package derive writes the records that follow from policies and their rules, and that agents apply: one for a rule, and one for a group
// that has a policy. They are written with their objects; leftovers of deleted policies and of other builds are corrected in bounded
// transactions.
package derive

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ipam"
)

// ByACI reports whether an ACI fabric enforces the rules, so that agents install none.
func ByACI(g *record.Global) bool { return g != nil && g.InfraType == "aci" }

// AttachedTo lists the API keys of the groups that a policy is attached to, ordered.
func AttachedTo(tx *commit.Tx, policy string) []string {
	return tx.Referrers(model.KindPolicy(), policy, model.KindEndpointGroup().Name)
}

// RulesOf lists the API keys of a policy's rules, ordered.
func RulesOf(tx *commit.Tx, policy string) []string {
	return tx.Referrers(model.KindPolicy(), policy, model.KindRule().Name)
}

// RuleKey returns the store key of a rule's record, by the rule's API key, which is the text of its identity.
func RuleKey(rule string) string { return record.Rules + rule }

// Attach updates the records of a group's policies to names; before has the previous ones.
func Attach(tx *commit.Tx, g *record.Group, before, names []string) error {
	all := slices.Concat(before, names)
	slices.Sort(all)
	for _, name := range slices.Compact(all) {
		r := attachment(g.ID.Tenant, g.ID.Name, name)
		key := record.Attachments + r.ID.String()
		has, had := slices.Contains(names, name), tx.Value(key) != nil
		switch {
		case has && !had:
			if err := tx.Put(key, r); err != nil {
				return err
			}
		case had && !has:
			tx.Delete(key)
		}
	}
	return nil
}

func attachment(tenant, group, policy string) *record.Attachment {
	return &record.Attachment{ID: identity.Attachment{Group: identity.Group{Tenant: tenant, Name: group}, Policy: policy}}
}

// Rule returns the record of a rule, or an error for malformed addresses or an unknown protocol.
func Rule(r *model.Rule) (*record.Rule, error) {
	out := &record.Rule{ID: identity.Rule{Policy: identity.Policy{Tenant: r.TenantName, Name: r.PolicyName}, Rule: r.RuleId},
		Direction: r.Direction, Priority: r.Priority, Action: r.Action, Port: uint16(r.Port), Openings: r.Protocol == "tcp" && r.Port == 0}
	var err error
	if out.Protocol, err = protocol(r.Protocol); err != nil {
		return nil, model.Errorf(model.CodeInvalid, "protocol", "protocol Value Out of bound").Try("a protocol number is between 0 and 255")
	}
	from, err := prefixes("fromIpAddress", r.FromIpAddress)
	if err != nil {
		return nil, err
	}
	to, err := prefixes("toIpAddress", r.ToIpAddress)
	if err != nil {
		return nil, err
	}
	out.Group, out.Network, out.Peers, out.Own = r.FromEndpointGroup, r.FromNetwork, from, to
	if r.Direction == record.DirectionOut {
		out.Group, out.Network, out.Peers, out.Own = r.ToEndpointGroup, r.ToNetwork, to, nil
	}
	return out, nil
}

func prefixes(field, text string) ([]netip.Prefix, error) {
	if text == "" {
		return nil, nil
	}
	list, err := ipam.ParsePrefixes(text)
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, field, "%v", err).Try("give an address, a subnet, or a range such as 10.1.1.8-15")
	}
	return list, nil
}

// protocol returns the number of a protocol given by name or number, 0 for any. A number above 255 is an error.
func protocol(text string) (number uint8, err error) {
	switch text {
	case "":
		return 0, nil
	case "icmp":
		return 1, nil
	case "tcp":
		return 6, nil
	case "udp":
		return 17, nil
	}
	n, err := strconv.ParseUint(text, 10, 8)
	return uint8(n), err
}
