// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/api/model"
)

// Names whose joined forms meet: network a.b of c and a of b.c, containers of t and t-lab.
var (
	tenantNames  = []string{"default", "t", "t-lab", "c", "b.c", "x.y-z"}
	networkNames = []string{"n", "a", "a.b", "a.b.c", "n.t", "n-t", "b"}
	groupNames   = []string{"g", "g-1", "g.b", "web", "a.g"}
	policyNames  = []string{"p", "p.q", "p-q", "q"}
	serviceNames = []string{"svc", "s.v", "svc-t"}
	subnets      = []string{"10.1.1.0/24", "10.1.2.0/24", "10.1.3.0/28", "10.1.4.0/22", "20.1.1.0/24", "10.9.9.8/29"}
	gateways     = map[string]string{"10.1.1.0/24": "10.1.1.254", "10.1.2.0/24": "10.1.2.1", "10.1.4.0/22": "10.1.7.254"}
)

// tierLabel is the label by which services of the campaign choose their providers.
const tierLabel = "tier"

// vocabulary is what the campaign does, the usual more often than the rest.
func (c *cluster) vocabulary() []func(context.Context) (string, error) {
	type move = func(context.Context) (string, error)
	var out []move
	for _, w := range []struct {
		times int
		do    move
	}{
		{14, c.attach}, {5, c.detach}, {3, c.attachAgain}, {2, c.label},
		{3, c.putNetwork}, {3, c.putGroup}, {2, c.putPolicy}, {5, c.putRule}, {1, c.putService}, {1, c.putTenant},
		{1, c.deleteAny(model.KindTenant())}, {1, c.deleteAny(model.KindNetwork())}, {2, c.deleteAny(model.KindEndpointGroup())},
		{1, c.deleteAny(model.KindPolicy())}, {2, c.deleteAny(model.KindRule())}, {1, c.deleteAny(model.KindServiceLB())},
		{c.rogues(), c.rogueTenant},
	} {
		for range w.times {
			out = append(out, w.do)
		}
	}
	return out
}

// put makes or changes an object.
func (c *cluster) put(ctx context.Context, o model.Object) (string, error) {
	_, err := c.api.Put(ctx, o)
	return "put " + o.Kind().Name + " " + o.ObjectKey(), err
}

func (c *cluster) putTenant(ctx context.Context) (string, error) {
	name, _ := pick(c, tenantNames)
	return c.put(ctx, &model.Tenant{TenantName: name})
}

func (c *cluster) putNetwork(ctx context.Context) (string, error) {
	t, err := c.any(ctx, model.KindTenant())
	if t == nil {
		return "", err
	}
	name, _ := pick(c, networkNames)
	subnet, _ := pick(c, subnets)
	n := &model.Network{TenantName: t.(*model.Tenant).TenantName, NetworkName: name, Subnet: subnet, Gateway: gateways[subnet],
		Encap: []string{"vxlan", "vxlan", "vlan"}[c.rand.IntN(3)]}
	if c.rand.IntN(2) == 0 {
		n.Ipv6Subnet = fmt.Sprintf("fd00:%x::/64", c.rand.IntN(16))
	}
	return c.put(ctx, n)
}

func (c *cluster) putGroup(ctx context.Context) (string, error) {
	o, err := c.any(ctx, model.KindNetwork())
	if o == nil {
		return "", err
	}
	n := o.(*model.Network)
	name, _ := pick(c, groupNames)
	g := &model.EndpointGroup{TenantName: n.TenantName, NetworkName: n.NetworkName, GroupName: name}
	policies, err := c.api.Policys().List(ctx)
	if err != nil {
		return "", err
	}
	for _, p := range policies {
		if p.TenantName == n.TenantName && c.rand.IntN(2) == 0 {
			g.Policies = append(g.Policies, p.PolicyName)
		}
	}
	return c.put(ctx, g)
}

func (c *cluster) putPolicy(ctx context.Context) (string, error) {
	t, err := c.any(ctx, model.KindTenant())
	if t == nil {
		return "", err
	}
	name, _ := pick(c, policyNames)
	return c.put(ctx, &model.Policy{TenantName: t.(*model.Tenant).TenantName, PolicyName: name})
}

func (c *cluster) putRule(ctx context.Context) (string, error) {
	o, err := c.any(ctx, model.KindPolicy())
	if o == nil {
		return "", err
	}
	p := o.(*model.Policy)
	r := &model.Rule{TenantName: p.TenantName, PolicyName: p.PolicyName, RuleId: fmt.Sprint(c.rand.IntN(6)), Priority: 1 + c.rand.IntN(9),
		Action: []string{"allow", "deny"}[c.rand.IntN(2)], Direction: []string{"in", "out"}[c.rand.IntN(2)],
		Protocol: []string{"", "icmp", "tcp", "tcp", "udp"}[c.rand.IntN(5)]}
	if r.Protocol == "tcp" || r.Protocol == "udp" {
		r.Port = []int{0, checkPort, checkPort + 1}[c.rand.IntN(3)]
	}
	group, err := c.any(ctx, model.KindEndpointGroup())
	if err != nil {
		return "", err
	}
	subnet, _ := pick(c, subnets)
	switch far := c.rand.IntN(4); {
	case far == 0 && group != nil && r.Direction == "in":
		r.FromEndpointGroup = group.(*model.EndpointGroup).GroupName
	case far == 0 && group != nil:
		r.ToEndpointGroup = group.(*model.EndpointGroup).GroupName
	case far == 1 && r.Direction == "in":
		r.FromIpAddress = subnet
	case far == 1:
		r.ToIpAddress = subnet
	}
	return c.put(ctx, r)
}

func (c *cluster) putService(ctx context.Context) (string, error) {
	o, err := c.any(ctx, model.KindNetwork())
	if o == nil {
		return "", err
	}
	n := o.(*model.Network)
	name, _ := pick(c, serviceNames)
	return c.put(ctx, &model.ServiceLB{TenantName: n.TenantName, NetworkName: n.NetworkName, ServiceName: name,
		Ports: []string{fmt.Sprintf("80:%d:TCP", checkPort)}, Selectors: []string{tierLabel + "=front"}})
}

// deleteAny is a move that deletes any object of a kind; that it is in use is an answer.
func (c *cluster) deleteAny(kind *model.Kind) func(context.Context) (string, error) {
	return func(ctx context.Context) (string, error) {
		o, err := c.any(ctx, kind)
		if o == nil {
			return "", err
		}
		_, err = c.api.Delete(ctx, kind, o.ObjectKey())
		return "delete " + kind.Name + " " + o.ObjectKey(), err
	}
}

// any returns an object of a kind, nil when there is none.
func (c *cluster) any(ctx context.Context, kind *model.Kind) (model.Object, error) {
	list, err := c.api.List(ctx, kind)
	if err != nil {
		return nil, err
	}
	o, ok := pick(c, list)
	if !ok {
		return nil, nil
	}
	return o, nil
}
