// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/trust"
)

// rogueTimeout is for how long a rogue asks.
const rogueTimeout = 5 * time.Second

// agentOf is a client with the certificate of a host's agent.
func (c *cluster) agentOf(host string) (channel.Master, func(), error) {
	urls, err := c.lab.MasterURLs()
	if err != nil {
		return channel.Master{}, nil, err
	}
	h, err := trust.Open(c.lab.HostTrust(host), trust.Agent)
	if err != nil {
		return channel.Master{}, nil, err
	}
	t := &http.Transport{TLSClientConfig: h.Client(trust.Master, "")}
	return channel.Master{Client: &client.Client{Base: urls, HTTP: &http.Client{Transport: t}, Timeout: rogueTimeout}}, t.CloseIdleConnections, nil
}

// machineText is how a refusal names a machine.
var machineText = regexp.MustCompile(`machine ([0-9a-f]{16})`)

// rogueHost has a host with a certificate of its own claim what another host has: label, machine, tunnel end, control address, endpoints,
// the end of its agent. All of that is to be refused, and the other host to be as it was.
func (c *cluster) rogueHost(ctx context.Context, r *rand.Rand) fault {
	list := c.lab.HostList()
	i := r.IntN(len(list))
	own, victim := list[i], list[(i+1)%len(list)]
	f := fault{what: fmt.Sprintf("host %s claims what %s has", own.Name, victim.Name)}
	m, end, err := c.agentOf(own.Name)
	if err != nil {
		return fault{what: f.what + ": " + err.Error(), wrong: true}
	}
	defer end()
	before := c.places(ctx)
	vtep, control := netip.MustParseAddr(victim.VTEP), netip.AddrPortFrom(netip.MustParseAddr(victim.IP), 9090)
	ownVTEP := netip.MustParseAddr(own.VTEP)
	claim := func(label, machine string, vtep netip.Addr, control netip.AddrPort) func(context.Context) error {
		return func(ctx context.Context) error {
			_, err := m.Register(ctx, record.Host{Label: label, Machine: machine, VTEP: vtep, Port: 4789, Control: control})
			return err
		}
	}
	machine := "00000000000000ff"
	if err := claim(own.Name, machine, vtep, control)(ctx); err != nil {
		if at := machineText.FindStringSubmatch(err.Error()); at != nil {
			machine = at[1]
		}
	}
	claims := map[string]func(context.Context) error{
		"its label":                  claim(victim.Name, "00000000000000fe", ownVTEP, netip.AddrPort{}),
		"its tunnel end":             claim(own.Name, "00000000000000fe", vtep, netip.AddrPort{}),
		"its control address":        claim(victim.Name, "00000000000000fe", ownVTEP, control),
		"its machine and tunnel end": claim(own.Name, machine, vtep, control),
		"that its agent has ended":   func(ctx context.Context) error { return m.Leave(ctx, model.LeaveRequest{Host: victim.Name}) },
		"that its machine is gone": func(ctx context.Context) error {
			_, err := m.Forget(ctx, model.ForgetRequest{Host: victim.Name, Release: true})
			return err
		},
		"its Docker network": func(ctx context.Context) error {
			_, err := m.CreateDockerNetwork(ctx, model.DockerNetworkRequest{ID: strings.Repeat("ab", 32), Host: victim.Name})
			return err
		},
		"what the cluster is to lead": func(ctx context.Context) error {
			_, err := m.HandOver(ctx, model.HandoverRequest{To: own.IP})
			return err
		},
		"to read networks of everyone": func(ctx context.Context) error { _, err := m.List(ctx, model.KindNetwork()); return err },
	}
	have, _ := c.lab.Containers()
	for _, x := range have {
		if x.Host != victim.Name {
			continue
		}
		id := "lab-" + x.Name
		claims["a container of it"] = func(ctx context.Context) error {
			_, _, err := m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: x.Tenant, NetworkName: x.Network, EndpointID: id, ConfigEP: model.EndpointConfigRequest{Container: id, Host: victim.Name}})
			return err
		}
		claims["the end of a container of it"] = func(ctx context.Context) error {
			_, err := m.Post(ctx, "/plugin/deleteEndpoint", model.DeleteEndpointRequest{TenantName: x.Tenant, NetworkName: x.Network, EndpointID: id}, nil)
			return err
		}
		claims["labels of a container of it"] = func(ctx context.Context) error {
			return m.UpdateEndpoint(ctx, model.UpdateEndpointRequest{Tenant: x.Tenant, Network: x.Network, EndpointID: id, ContainerID: id, EPCommonName: "other", Event: "start", Labels: map[string]string{tierLabel: "rogue"}})
		}
		break
	}
	for _, what := range slices.Sorted(maps.Keys(claims)) {
		limited, cancel := context.WithTimeout(ctx, rogueTimeout)
		err := claims[what](limited)
		cancel()
		if err == nil {
			f.what, f.wrong = f.what+"; it got "+what, true
		}
	}
	if after := c.places(ctx); before != nil && after != nil && !maps.Equal(before, after) {
		f.what, f.wrong = fmt.Sprintf("%s; hosts were %v, and are %v", f.what, before, after), true
	}
	return f
}

// places are the tunnel ends and control addresses of hosts; nil when they are not known.
func (c *cluster) places(ctx context.Context) map[string]string {
	nodes, err := c.api.Nodes(ctx)
	if err != nil {
		return nil
	}
	out := map[string]string{}
	for _, n := range nodes {
		if n.Role == model.RoleAgent {
			out[n.Name] = n.Address // what it reports itself may come a moment later
		}
	}
	return out
}

// rogueName is the tenant of which a rogue is admin, and the rogue's account.
const rogueName = "rogue"

// rogues is how often a tenant's admin is a rogue, among the moves.
func (c *cluster) rogues() int {
	switch c.only {
	case "":
		return 1
	case "rogue-tenant":
		return 15
	}
	return 0
}

// rogueTenant has a tenant's admin ask for what reaches beyond the tenant. All of that is to be denied; what is the tenant's is not.
func (c *cluster) rogueTenant(ctx context.Context) (string, error) {
	const what = "a tenant's admin asks for what is the cluster's"
	before, err := c.keys(ctx)
	if err != nil {
		return what, err
	}
	rogue, err := c.tenantAdmin(ctx)
	if err != nil {
		return what, errors.Join(err, c.removeRogue(ctx))
	}
	own := &model.Network{TenantName: rogueName, NetworkName: "own", Encap: "vxlan", Subnet: "10.77.1.0/24"}
	if _, err := rogue.Put(ctx, own); err != nil && model.AsError(err).Code == model.CodeDenied {
		c.found("%s: its own network is denied: %v", what, err)
	}
	network := func(change func(n *model.Network)) model.Object {
		n := &model.Network{TenantName: rogueName, NetworkName: "beyond", Encap: "vxlan", Subnet: "10.77.2.0/24", Gateway: "10.77.2.254"}
		change(n)
		return n
	}
	put := func(o model.Object) func() error {
		return func() error { _, err := rogue.Put(ctx, o); return err }
	}
	asks := map[string]func() error{
		"a network of the hosts":      put(network(func(n *model.Network) { n.NwType = "infra" })),
		"a VLAN by its tag":           put(network(func(n *model.Network) { n.Encap, n.PktTag = "vlan", 100 })),
		"a network of another tenant": put(network(func(n *model.Network) { n.TenantName = "default" })),
		"a group of another tenant":   put(&model.EndpointGroup{TenantName: "default", NetworkName: "n", GroupName: "rogue"}),
		"another tenant":              put(&model.Tenant{TenantName: "rogue-too"}),
		"the cluster's settings":      put(&model.Global{Name: "global", NetworkInfraType: "default", FwdMode: "routing", ArpMode: "proxy", Vlans: "1-4094", Vxlans: "1-10000", PvtSubnet: "172.19.0.0/16"}),
		"a router of a host":          put(&model.Bgp{Hostname: hosts[0], Routerip: "50.1.1.2/24", As: "65002", Neighbor: "50.1.1.200", NeighborAs: "500"}),
		"a user":                      put(&model.User{Username: "rogue-too", Type: "service"}),
		"the right to do everything":  put(&model.Authorization{AuthorizationName: "rogue-all", UserName: rogueName, Role: "admin"}),
		"that another tenant goes":    func() error { _, err := rogue.Delete(ctx, model.KindTenant(), "default"); return err },
		"that a host is forgotten": func() error {
			_, err := rogue.Forget(ctx, model.ForgetRequest{Host: hosts[0], Release: true})
			return err
		},
		"that another netmaster leads": func() error { _, err := rogue.HandOver(ctx, model.HandoverRequest{}); return err },
		"that an endpoint goes": func() error {
			_, err := rogue.Post(ctx, "/plugin/deleteEndpoint", model.DeleteEndpointRequest{TenantName: "default", NetworkName: "n", EndpointID: "lab-x"}, nil)
			return err
		},
		"what a host's switch does":        func() error { _, err := rogue.Flows(ctx, hosts[0], "", ""); return err },
		"the tokens of everyone":           func() error { _, err := rogue.Tokens(ctx, ""); return err },
		"a rule in another tenant's group": put(&model.Rule{TenantName: "default", PolicyName: "p", RuleId: "rogue", Direction: "in", Action: "allow"}),
	}
	for _, ask := range slices.Sorted(maps.Keys(asks)) {
		err := asks[ask]()
		if err == nil {
			c.found("%s: it got %s", what, ask)
			continue
		}
		if e := model.AsError(err); e.Code != model.CodeDenied && e.Code != model.CodeUnavailable && e.Code != model.CodeNotReady && ctx.Err() == nil {
			c.found("%s: %s is refused for another reason than the lacking right: %v", what, ask, err)
		}
	}
	if err := c.removeRogue(ctx); err != nil {
		return what, err
	}
	after, err := c.keys(ctx)
	if err == nil && !slices.Equal(before, after) {
		c.found("%s: before there was %v, and after it %v", what, before, after)
	}
	return what, err
}

// tenantAdmin makes a tenant with an admin, and returns that one's client.
func (c *cluster) tenantAdmin(ctx context.Context) (*client.Client, error) {
	for _, o := range []model.Object{&model.Tenant{TenantName: rogueName}, &model.User{Username: rogueName, Type: "service"},
		&model.Authorization{AuthorizationName: rogueName, UserName: rogueName, Role: "tenant-admin", Scope: rogueName}} {
		if _, err := c.api.Put(ctx, o); err != nil && model.AsError(err).Code != model.CodeImmutable { // it is left of a move that was interrupted
			return nil, err
		}
	}
	token, err := c.api.IssueToken(ctx, model.TokenRequest{User: rogueName, Label: "campaign", Seconds: 600})
	if err != nil {
		return nil, err
	}
	h, err := trust.Open(c.lab.Trust(), trust.User)
	if err != nil {
		return nil, err
	}
	own := h.Client(trust.Master, "")
	own.Certificates, own.GetClientCertificate = nil, nil // it has nothing but the token
	return &client.Client{Base: c.api.Base, Token: token.Token, Timeout: rogueTimeout, HTTP: &http.Client{Transport: &http.Transport{TLSClientConfig: own, DisableKeepAlives: true}}}, nil
}

// removeRogue removes what tenantAdmin, and its client, have made.
func (c *cluster) removeRogue(ctx context.Context) error {
	for _, x := range []struct {
		kind *model.Kind
		key  string
	}{{model.KindNetwork(), rogueName + ":own"}, {model.KindNetwork(), rogueName + ":beyond"}, {model.KindAuthorization(), rogueName}, {model.KindUser(), rogueName}, {model.KindTenant(), rogueName}} {
		if _, err := c.api.Delete(ctx, x.kind, x.key); err != nil && !client.IsCode(err, model.CodeNotFound) {
			return err
		}
	}
	return nil
}

// keys are the objects that no fault changes, as "kind/key".
func (c *cluster) keys(ctx context.Context) (out []string, err error) {
	if lead, err := c.api.Lead(ctx); err == nil && lead.Holder != "" { // others may be five seconds behind
		ctx = client.Prefer(ctx, "https://"+lead.Holder)
	}
	for _, kind := range []*model.Kind{model.KindTenant(), model.KindNetwork(), model.KindEndpointGroup(), model.KindPolicy(), model.KindRule(), model.KindServiceLB(),
		model.KindBgp(), model.KindUser(), model.KindAuthorization(), model.KindGlobal()} {
		list, err := c.api.List(ctx, kind)
		if err != nil {
			return nil, err
		}
		for _, o := range list {
			if !strings.HasPrefix(o.ObjectKey(), rogueName) { // of a move before that was interrupted
				out = append(out, kind.Name+"/"+o.ObjectKey())
			}
		}
	}
	slices.Sort(out)
	return out, nil
}

// masterOf asks only the netmaster of one host.
func (c *cluster) masterOf(host lab.HostInfo) *client.Client {
	return &client.Client{Base: "https://" + host.IP + ":9999", HTTP: c.api.HTTP, Timeout: rogueTimeout}
}
