// SPDX-License-Identifier: Apache-2.0

// Package aci sends application profiles to an ACI gateway: the groups, their VLANs, and the contracts between them. It computes the
// specification from the objects, and sends the differences from what was sent before.
package aci

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/netip"
	"slices"
	"strconv"

	"github.com/contiv/contiv/identity"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
)

// Version is the version of the gateway's interface that a Spec is made for.
const Version = "v1.2"

// Spec is an application profile in the gateway's format. The JSON names are the gateway's.
type Spec struct {
	Version   string       `json:"aci-gw-api-version,omitempty"`
	Gateway   *model.AciGw `json:"gw-config,omitempty"` // nil: the gateway uses its own environment
	Tenant    string       `json:"tenant"`
	Profile   string       `json:"app-prof"`
	Contracts []Contract   `json:"contract-defs,omitempty"`
	Groups    []Group      `json:"epgs,omitempty"`
}

// Contract is a set of filters under a name.
type Contract struct {
	Name    string   `json:"name"`
	Filters []Filter `json:"filter-info,omitempty"`
}

// Filter is traffic that a contract permits.
type Filter struct {
	Protocol string `json:"protocol,omitempty"` // "": any
	Port     string `json:"servport"`           // decimal, "0": any
}

// Group is an endpoint group of the fabric.
type Group struct {
	Name    string `json:"name"`
	Network string `json:"nw-name"`
	Gateway string `json:"gw-cidr"`  // address of the network's gateway with the length of the subnet
	VLAN    string `json:"vlan-tag"` // decimal
	Links   []Link `json:"contract-links,omitempty"`
}

// Link ties a group to a contract: one of this tenant's by name, or one that the fabric already has, by its distinguished name.
type Link struct {
	Kind string `json:"link-kind"` // Provide or Consume
	Name string `json:"contract-name,omitempty"`
	DN   string `json:"contract-dn,omitempty"`
	Of   string `json:"contract-kind"` // Internal or External
}

// Words of the gateway.
const (
	Provide  = "PROVIDE"
	Consume  = "CONSUME"
	Internal = "INTERNAL"
	External = "EXTERNAL"
)

// fingerprint identifies a Spec.
func (s *Spec) fingerprint() string {
	text, err := json.Marshal(s)
	if err != nil {
		return err.Error() // strings and numbers can be encoded
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Wish returns the specification of an application profile; nil if the profile has no groups. An error names what the fabric cannot
// express.
func Wish(v *catalog.View, p *model.AppProfile) (*Spec, error) {
	s := &Spec{Version: Version, Tenant: p.TenantName, Profile: p.AppProfileName}
	if gw, ok := v.Stored(model.KindAciGw(), "aciGw").(*model.AciGw); ok {
		s.Gateway = gw.Clone().(*model.AciGw)
	}
	names := slices.Clone(p.EndpointGroups)
	slices.Sort(names)
	b := builder{View: v, tenant: p.TenantName, contracts: map[string]*Contract{}}
	for _, name := range slices.Compact(names) {
		g, err := b.group(name)
		if err != nil {
			return nil, err
		}
		s.Groups = append(s.Groups, g)
	}
	if len(s.Groups) == 0 {
		return nil, nil
	}
	for _, c := range b.contracts {
		s.Contracts = append(s.Contracts, *c)
	}
	slices.SortFunc(s.Contracts, func(a, b Contract) int { return cmp.Compare(a.Name, b.Name) })
	return s, nil
}

type builder struct {
	*catalog.View
	tenant    string
	contracts map[string]*Contract
}

func (b *builder) group(name string) (Group, error) {
	out := Group{Name: name}
	o, _ := b.Stored(model.KindEndpointGroup(), model.Key(b.tenant, name)).(*model.EndpointGroup)
	r := b.Group(identity.Group{Tenant: b.tenant, Name: name})
	if o == nil || r == nil {
		return out, model.Errorf(model.CodeNotFound, "endpointGroups", "could not find group:%s", name)
	}
	n := b.NetworkRecord(r.Network)
	if n == nil || !n.Gateway.IsValid() {
		return out, model.Errorf(model.CodeInvalid, "gateway", "network %s of group %s has no gateway", r.Network.Name, name).
			Try("an ACI fabric is the gateway of its networks: create the network with --gateway")
	}
	out.Network, out.Gateway, out.VLAN = r.Network.Name, netip.PrefixFrom(n.Gateway, n.Subnet.Bits()).String(), strconv.Itoa(r.PktTag)
	for _, policy := range o.Policies {
		if err := b.define(&out, policy); err != nil {
			return out, err
		}
	}
	b.named(&out)
	for _, name := range o.ExtContractsGrps {
		c, _ := b.Stored(model.KindExtContractsGroup(), model.Key(b.tenant, name)).(*model.ExtContractsGroup)
		if c == nil {
			return out, model.Errorf(model.CodeNotFound, "extContractsGrps", "External contracts group not found: %s", name)
		}
		kind := Provide
		if c.ContractsType == "consumed" {
			kind = Consume
		}
		for _, dn := range c.Contracts {
			out.link(Link{Kind: kind, DN: dn, Of: External})
		}
	}
	slices.SortFunc(out.Links, func(a, b Link) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Name, b.Name), cmp.Compare(a.DN, b.DN), cmp.Compare(a.Kind, b.Kind))
	})
	return out, nil
}

// define adds the contracts of a policy that the group has.
func (b *builder) define(g *Group, policy string) error {
	for _, key := range b.Referrers(model.KindPolicy(), model.Key(b.tenant, policy), model.KindRule().Name) {
		rule, _ := b.Stored(model.KindRule(), key).(*model.Rule)
		if err := Expressible(rule); err != nil {
			return err
		}
		if rule.Action == "deny" {
			continue // a fabric permits only what contracts permit
		}
		name := contractOf(rule)
		c := b.contracts[name]
		if c == nil {
			c = &Contract{Name: name}
			b.contracts[name] = c
		}
		f := Filter{Protocol: rule.Protocol, Port: strconv.Itoa(rule.Port)}
		if !slices.Contains(c.Filters, f) {
			c.Filters = append(c.Filters, f)
		}
		kind := Provide
		if rule.ToEndpointGroup != "" {
			kind = Consume
		}
		g.link(Link{Kind: kind, Name: name, Of: Internal})
	}
	return nil
}

// named links the group to the contracts of rules that name it as their peer.
func (b *builder) named(g *Group) {
	b.Range(model.KindRule(), func(o model.Object) {
		rule := o.(*model.Rule)
		if rule.TenantName != b.tenant || rule.Action == "deny" || !b.reaches(model.Key(b.tenant, rule.PolicyName)) {
			return
		}
		switch g.Name {
		case rule.FromEndpointGroup:
			g.link(Link{Kind: Consume, Name: contractOf(rule), Of: Internal})
		case rule.ToEndpointGroup:
			g.link(Link{Kind: Provide, Name: contractOf(rule), Of: Internal})
		}
	})
}

// reaches reports whether a policy is attached to a group that is part of a profile, so that its contracts exist.
func (b *builder) reaches(policy string) bool { return Reaches(b.View, policy) }

// Reaches reports whether the policy with this API key is attached to a group that is part of an application profile.
func Reaches(v *catalog.View, policy string) bool {
	for _, group := range v.Referrers(model.KindPolicy(), policy, model.KindEndpointGroup().Name) {
		if len(v.Referrers(model.KindEndpointGroup(), group, model.KindAppProfile().Name)) > 0 {
			return true
		}
	}
	return false
}

func (g *Group) link(l Link) {
	if !slices.Contains(g.Links, l) {
		g.Links = append(g.Links, l)
	}
}

// contractOf returns the name of a rule's contract: one for each policy and group that it names.
func contractOf(r *model.Rule) string {
	switch {
	case r.FromEndpointGroup != "":
		return r.PolicyName + "Frm" + r.FromEndpointGroup
	case r.ToEndpointGroup != "":
		return r.PolicyName + "To" + r.ToEndpointGroup
	}
	return r.PolicyName + "Expose"
}

// Expressible refuses a rule that contracts cannot express.
func Expressible(r *model.Rule) error {
	for _, f := range []struct{ name, value string }{
		{"fromIpAddress", r.FromIpAddress}, {"fromNetwork", r.FromNetwork}, {"toIpAddress", r.ToIpAddress}, {"toNetwork", r.ToNetwork},
	} {
		if f.value != "" {
			return model.Errorf(model.CodeInvalid, f.name, "rule %s is invalid, only From/ToEndpointGroup may be specified in ACI mode", r.ObjectKey()).
				Try("name a group instead, or take the policy from the groups of application profiles")
		}
	}
	return nil
}
