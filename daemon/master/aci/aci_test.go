// SPDX-License-Identifier: Apache-2.0

package aci_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
)

// aciGateway is a gateway that checks requests as the real one does, and remembers the profiles.
type aciGateway struct {
	*httptest.Server
	mu       sync.Mutex
	profiles map[string]aci.Spec // by "tenant:profile"
	posts    int
	down     bool
	refuse   string // what to answer instead
	wrong    []string
}

func newGateway(t *testing.T) *aciGateway {
	t.Helper()
	g := &aciGateway{profiles: map[string]aci.Spec{}}
	g.Server = httptest.NewServer(g)
	t.Cleanup(func() {
		g.Close()
		for _, what := range g.wrong {
			t.Error("the gateway got", what)
		}
	})
	return g
}

func (g *aciGateway) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.down {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	g.posts++
	if g.refuse != "" {
		_ = json.NewEncoder(w).Encode(map[string]string{"result": "failed", "info": g.refuse})
		return
	}
	var s aci.Spec
	d := json.NewDecoder(q.Body)
	d.DisallowUnknownFields()
	if err := d.Decode(&s); err != nil || q.Method != http.MethodPost || q.Header.Get("Content-Type") != "application/json" {
		g.wrong = append(g.wrong, fmt.Sprintf("%s %s: %v", q.Method, q.Header.Get("Content-Type"), err))
	}
	switch q.URL.Path {
	case "/createAppProf":
		g.check(s)
		g.profiles[s.Tenant+":"+s.Profile] = s
	case "/deleteAppProf":
		if s.Tenant == "" || s.Profile == "" {
			g.wrong = append(g.wrong, "a deletion of nothing")
		}
		delete(g.profiles, s.Tenant+":"+s.Profile)
	default:
		g.wrong = append(g.wrong, q.URL.Path)
	}
	_ = json.NewEncoder(w).Encode(map[string]string{"result": "success", "info": "LGTM"})
}

// check returns the error with which the real gateway refuses a profile.
func (g *aciGateway) check(s aci.Spec) {
	bad := func(what string) { g.wrong = append(g.wrong, what+" in "+s.Tenant+":"+s.Profile) }
	if s.Version != "v1.2" || s.Tenant == "" || s.Profile == "" || len(s.Groups) == 0 {
		bad("an incomplete profile")
	}
	if s.Gateway == nil || s.Gateway.PhysicalDomain == "" || s.Gateway.PathBindings+s.Gateway.NodeBindings == "" {
		bad("no bindings")
	}
	contracts := map[string]bool{}
	for _, c := range s.Contracts {
		if contracts[c.Name] = true; len(c.Filters) == 0 {
			bad("an empty contract")
		}
	}
	vlans := map[string]bool{}
	for _, e := range s.Groups {
		if e.Name == "" || e.Network == "" || e.VLAN == "" || !strings.Contains(e.Gateway, "/") || vlans[e.VLAN] {
			bad("an incomplete group or a VLAN twice")
		}
		vlans[e.VLAN] = true
		for _, l := range e.Links {
			if l.Of == aci.Internal && !contracts[l.Name] || l.Of == aci.External && l.DN == "" {
				bad("a link to nothing: " + l.Name)
			}
		}
	}
}

func (g *aciGateway) set(down bool, refuse string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.down, g.refuse = down, refuse
}

func (g *aciGateway) count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.posts
}

// lines returns the contracts of a profile in the gateway, and its groups with their links.
func (g *aciGateway) lines(key string) (out []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s, ok := g.profiles[key]
	if !ok {
		return nil
	}
	for _, c := range s.Contracts {
		line := c.Name
		for _, f := range c.Filters {
			line += fmt.Sprintf(" %s/%s", f.Protocol, f.Port)
		}
		out = append(out, line)
	}
	for _, e := range s.Groups {
		line := fmt.Sprintf("%s %s %s %s", e.Name, e.Network, e.Gateway, e.VLAN)
		for _, l := range e.Links {
			line += fmt.Sprintf(" %s:%s%s", l.Kind, l.Name, l.DN)
		}
		out = append(out, line)
	}
	return out
}

// becomes waits until a profile in the gateway has these lines.
func (g *aciGateway) becomes(t *testing.T, key string, want ...string) {
	t.Helper()
	until(t, func() bool { return slices.Equal(g.lines(key), want) }, func() string {
		return fmt.Sprintf("profile %s at the gateway:\nwant %s\ngot  %s", key, strings.Join(want, "\n     "), strings.Join(g.lines(key), "\n     "))
	})
}

// until waits until ok returns true. After the timeout it fails the test with the state that instead returns.
func until(t *testing.T, ok func() bool, instead func() string) {
	t.Helper()
	tick, deadline := time.NewTicker(2*time.Millisecond), time.After(10*time.Second)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatal(instead())
		case <-tick.C:
		}
	}
}

func aciGw(paths string) *model.AciGw {
	return &model.AciGw{Name: "aciGw", EnforcePolicies: "yes", IncludeCommonTenant: "yes", PhysicalDomain: "testDom", PathBindings: paths}
}

const aciPath = "topology/pod-1/paths-101/pathep-[eth1/14]"

func appProfile(name string, groups ...string) *model.AppProfile {
	return &model.AppProfile{TenantName: "default", AppProfileName: name, EndpointGroups: groups}
}

// toFabric adds a cluster to an ACI fabric, or removes it.
func toFabric(t *testing.T, m *mastertest.Master, infra string) {
	t.Helper()
	m.Must(t, "global global arpMode=flood networkInfraType="+infra)
}

// fabricMaster returns the leader of a cluster in an ACI fabric with the VLAN network net1 and the groups epga (VLAN 2) and epgb (VLAN 3).
func fabricMaster(t *testing.T, db store.Store, gateway *aciGateway) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{Store: db, ACIGateway: gateway.URL})
	toFabric(t, m, "aci")
	m.Must(t, "network net1 encap=vlan subnet=10.1.1.0/24 gateway=10.1.1.254", "group epga networkName=net1", "group epgb networkName=net1")
	return m
}

func TestACI_01_Settings(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	mastertest.Put(t, m.AciGws(), aciGw(aciPath))
	got, err := m.AciGws().Get(ctx, "aciGw")
	if err != nil || got.PathBindings != aciPath || got.NodeBindings != "" || got.PhysicalDomain != "testDom" || got.EnforcePolicies != "yes" {
		t.Errorf("want the settings as posted, got %+v, %v", got, err)
	}
	if _, err := m.AciGws().Delete(ctx, "aciGw"); err != nil {
		t.Error(err)
	}
	// ACI-03: nodes.
	for nodes, taken := range map[string]bool{
		"topology/tor-1/node-101": false, "topology/pod-1/node-101": true,
		"topology/pod-1/node-101,topology/pod-1/node-102,topology/pod-1/node-103": true,
	} {
		gw := aciGw("")
		gw.NodeBindings = nodes
		if _, err := m.AciGws().Put(ctx, gw); (err == nil) != taken {
			t.Errorf("nodes %q: want taken %v, got %v", nodes, taken, err)
		}
	}
}

func TestACI_05_Profiles(t *testing.T) {
	ctx := context.Background()
	gateway := newGateway(t)
	m := fabricMaster(t, nil, gateway)
	_, err := m.AppProfiles().Put(ctx, appProfile("app", "epga"))
	mastertest.Refused(t, err, model.CodeNotReady, "not configured")
	mastertest.Put(t, m.AciGws(), aciGw(""))
	_, err = m.AppProfiles().Put(ctx, appProfile("app", "epga"))
	mastertest.Refused(t, err, model.CodeNotReady, "No bindings specified")
	mastertest.Put(t, m.AciGws(), aciGw(aciPath))
	mastertest.Put(t, m.AppProfiles(), appProfile("app", "epga"))
	numProfiles := func(want int) {
		t.Helper()
		if got, err := m.AciGws().Inspect(ctx, "aciGw"); err != nil || got.Oper.NumAppProfiles != want {
			t.Errorf("want %d profiles, got %+v, %v", want, got.Oper, err)
		}
	}
	numProfiles(1)
	gateway.becomes(t, "default:app", "epga net1 10.1.1.254/24 2")
	state(t, m, aci.Applied, "LGTM")
	_, err = m.AciGws().Delete(ctx, "aciGw")
	mastertest.Refused(t, err, model.CodeInUse, "app profiles exist")

	// EPG-08, APP-04: the profile keeps its group. TEN-10: the tenant counts it.
	_, err = m.EndpointGroups().Delete(ctx, "default", "epga")
	mastertest.Refused(t, err, model.CodeInUse, "part of app profile")
	m.Must(t, "policy p1")
	tenant, err := m.Tenants().Inspect(ctx, "default")
	if o := tenant.Oper; err != nil || o.TotalNetworks != 1 || o.TotalEPGs != 2 || o.TotalPolicies != 1 || o.TotalAppProfiles != 1 {
		t.Errorf("want 1 network, 2 groups, 1 policy, 1 profile, got %+v, %v", o, err)
	}
	// APP-01: the fabric gets no profile without groups.
	mastertest.Put(t, m.AppProfiles(), appProfile("app"))
	gateway.becomes(t, "default:app")
	mastertest.Put(t, m.AppProfiles(), appProfile("app", "epga", "epgb"))
	gateway.becomes(t, "default:app", "epga net1 10.1.1.254/24 2", "epgb net1 10.1.1.254/24 3")
	if _, err := m.AppProfiles().Delete(ctx, "default", "app"); err != nil {
		t.Fatal(err)
	}
	gateway.becomes(t, "default:app")
	numProfiles(0)
	until(t, func() bool {
		items, _, err := m.Store.List(ctx, record.ACIProfiles)
		return err == nil && len(items) == 0
	}, func() string { return "a deleted profile must leave nothing in the store" })
	if _, err := m.AciGws().Delete(ctx, "aciGw"); err != nil {
		t.Error(err)
	}
}

// state waits until inspection of profile app reports this state and information.
func state(t *testing.T, m *mastertest.Master, want, info string) {
	t.Helper()
	got := &model.AppProfileInspect{}
	until(t, func() bool {
		now, err := m.AppProfiles().Inspect(context.Background(), "default", "app")
		if err != nil {
			return false
		}
		got = now
		return got.Oper != nil && got.Oper.FabricState == want && strings.Contains(got.Oper.FabricInfo, info)
	}, func() string { return fmt.Sprintf("want %s with %q, got %+v", want, info, got.Oper) })
}

// ACI-09: the contracts between groups follow the rules of their policies, and agents get none of these.
func TestACI_09_Contracts(t *testing.T) {
	ctx := context.Background()
	gateway := newGateway(t)
	m := fabricMaster(t, nil, gateway)
	mastertest.Put(t, m.AciGws(), aciGw(aciPath))
	m.Must(t, "group epgc networkName=net1")
	m.Must(t, "policy p1")
	m.Must(t, "group epgb networkName=net1 policies=p1")
	mastertest.Put(t, m.AppProfiles(), appProfile("app", "epga", "epgb", "epgc"))
	a, b, c := "epga net1 10.1.1.254/24 2", "epgb net1 10.1.1.254/24 3", "epgc net1 10.1.1.254/24 4"
	gateway.becomes(t, "default:app", a, b, c)

	m.Must(t, "rule p1:1 direction=in action=allow fromEndpointGroup=epga protocol=icmp")
	gateway.becomes(t, "default:app", "p1Frmepga icmp/0", a+" CONSUME:p1Frmepga", b+" PROVIDE:p1Frmepga", c)
	m.Must(t, "rule p1:2 direction=in action=allow fromEndpointGroup=epga protocol=tcp port=8000",
		"rule p1:3 direction=in action=allow fromEndpointGroup=epga protocol=tcp port=8000", // says the same
		"rule p1:4 direction=in action=deny",                                                // a fabric denies by itself
		"rule p1:5 direction=out action=allow toEndpointGroup=epgc protocol=udp port=53",
		"rule p1:6 direction=in action=allow protocol=tcp port=443")
	gateway.becomes(t, "default:app", "p1Expose tcp/443", "p1Frmepga icmp/0 tcp/8000", "p1Toepgc udp/53",
		a+" CONSUME:p1Frmepga", b+" PROVIDE:p1Expose PROVIDE:p1Frmepga CONSUME:p1Toepgc", c+" PROVIDE:p1Toepgc")
	if got := m.AgentRules(t); got != nil {
		t.Errorf("switches carry out none of it: want no rules for agents, got %q", got)
	}

	m.Must(t, "rm rule p1:1", "rm rule p1:3", "rm rule p1:5", "rm rule p1:6")
	gateway.becomes(t, "default:app", "p1Frmepga tcp/8000", a+" CONSUME:p1Frmepga", b+" PROVIDE:p1Frmepga", c)

	t.Run("external contracts", func(t *testing.T) {
		for name, kind := range map[string]string{"theirs": "consumed", "ours": "provided"} {
			mastertest.Put(t, m.ExtContractsGroups(), &model.ExtContractsGroup{TenantName: "default", ContractsGroupName: name, ContractsType: kind,
				Contracts: []string{"uni/tn-common/brc-" + name}})
		}
		m.Must(t, "group epgc extContractsGrps=theirs,ours")
		gateway.becomes(t, "default:app", "p1Frmepga tcp/8000", a+" CONSUME:p1Frmepga", b+" PROVIDE:p1Frmepga",
			c+" PROVIDE:uni/tn-common/brc-ours CONSUME:uni/tn-common/brc-theirs")
		m.Must(t, "group epgc extContractsGrps=")
		gateway.becomes(t, "default:app", "p1Frmepga tcp/8000", a+" CONSUME:p1Frmepga", b+" PROVIDE:p1Frmepga", c)
	})
	t.Run("two groups with one policy provide the same contract", func(t *testing.T) {
		m.Must(t, "group epgc networkName=net1 policies=p1")
		gateway.becomes(t, "default:app", "p1Frmepga tcp/8000", a+" CONSUME:p1Frmepga", b+" PROVIDE:p1Frmepga", c+" PROVIDE:p1Frmepga")
	})
	t.Run("another name", func(t *testing.T) {
		if _, err := m.AppProfiles().Delete(ctx, "default", "app"); err != nil {
			t.Fatal(err)
		}
		gateway.becomes(t, "default:app")
		mastertest.Put(t, m.AppProfiles(), appProfile("again", "epga", "epgb"))
		gateway.becomes(t, "default:again", "p1Frmepga tcp/8000", a+" CONSUME:p1Frmepga", b+" PROVIDE:p1Frmepga")
	})
	t.Run("what contracts cannot say is refused", func(t *testing.T) {
		_, err := m.Do("rule p1:7 direction=in action=allow fromIpAddress=10.1.1.1")
		mastertest.Refused(t, err, model.CodeInvalid, "only From/ToEndpointGroup")
		m.Must(t, "policy p2", "rule p2:1 direction=in action=allow fromIpAddress=10.1.1.1") // it reaches no profile
		_, err = m.Do("group epga policies=p2")
		mastertest.Refused(t, err, model.CodeInvalid, "only From/ToEndpointGroup")
		m.Must(t, "group epgd networkName=net1 policies=p2")
		_, err = m.AppProfiles().Put(ctx, appProfile("bad", "epgd"))
		mastertest.Refused(t, err, model.CodeInvalid, "only From/ToEndpointGroup")
	})
	t.Run("out of the fabric switches carry out the rules", func(t *testing.T) {
		toFabric(t, m, "default")
		until(t, func() bool { return len(m.AgentRules(t)) > 0 }, func() string { return "no records for agents" })
		toFabric(t, m, "aci")
		until(t, func() bool { return len(m.AgentRules(t)) == 0 }, func() string { return "records for agents stay in the fabric" })
	})
}

// ACI-10: the leader retries a gateway that is down or refuses, and a new leader repeats only the missing changes.
func TestACI_10_Restarts(t *testing.T) {
	gateway := newGateway(t)
	db := memory.New()
	m := fabricMaster(t, db, gateway)
	mastertest.Put(t, m.AciGws(), aciGw(aciPath))
	gateway.set(true, "")
	mastertest.Put(t, m.AppProfiles(), appProfile("app", "epga"))
	state(t, m, aci.Failed, "502")
	gateway.set(false, "Invalid APIC session")
	state(t, m, aci.Failed, "Invalid APIC session")
	gateway.set(false, "")
	state(t, m, aci.Applied, "LGTM")
	if m.ACI.Failed() == 0 || m.ACI.Posted() != 1 {
		t.Errorf("want failures and one success counted, got %d, %d", m.ACI.Failed(), m.ACI.Posted())
	}
	m.Stop()

	before := gateway.count()
	next := mastertest.Start(t, mastertest.Options{Store: db, ACIGateway: gateway.URL})
	mastertest.Put(t, next.AppProfiles(), appProfile("other", "epgb"))
	gateway.becomes(t, "default:other", "epgb net1 10.1.1.254/24 3")
	if got := gateway.count() - before; got != 1 {
		t.Errorf("a new leader must repeat nothing: want 1 request, got %d", got)
	}
	next.Stop()
	gateway.set(true, "")
	third := mastertest.Start(t, mastertest.Options{Store: db, ACIGateway: gateway.URL})
	if _, err := third.AppProfiles().Delete(context.Background(), "default", "other"); err != nil {
		t.Fatal(err)
	}
	until(t, func() bool { return third.ACI.Failed() > 0 }, func() string { return "the deletion was not tried" })
	third.Stop()
	gateway.set(false, "")
	mastertest.Start(t, mastertest.Options{Store: db, ACIGateway: gateway.URL})
	gateway.becomes(t, "default:other")
}

// ACI-06, ACI-07: every group has its own VLAN, and a container without a group belongs to default-group.
func TestACI_06_OwnVLANs(t *testing.T) {
	ctx := context.Background()
	m := fabricMaster(t, nil, newGateway(t))
	vlan := func(name string) int {
		t.Helper()
		g, err := m.EndpointGroups().Inspect(ctx, "default", name)
		if err != nil {
			t.Fatal(err)
		}
		return g.Oper.PktTag
	}
	if vlan("epga") != 2 || vlan("epgb") != 3 {
		t.Errorf("want VLANs 2 and 3, got %d and %d", vlan("epga"), vlan("epgb"))
	}
	inUse := func(want string) {
		t.Helper()
		if g, err := m.Globals().Inspect(ctx, "global"); err != nil || g.Oper.VlansInUse != want {
			t.Errorf("want VLANs %s in use, got %+v, %v", want, g.Oper, err)
		}
	}
	inUse("1-3")
	m.Must(t, "network wide encap=vxlan subnet=10.2.0.0/16")
	_, err := m.Do("group x networkName=wide")
	mastertest.Refused(t, err, model.CodeInvalid, "need a vlan network")

	_, _, err = m.CreateEndpoint(ctx, model.CreateEndpointRequest{TenantName: "default", NetworkName: "net1",
		ConfigEP: model.EndpointConfigRequest{Container: "c1", Host: "h1"}})
	mastertest.Refused(t, err, model.CodeNotFound, "default-group")
	m.Must(t, "group default-group networkName=net1")
	if e := m.Endpoint(t, "default", "net1", "", "c1", ""); e.Group.String() != "default:default-group" || e.Service != "default-group" {
		t.Errorf("want the group default-group, got %+v", e)
	}
	if _, err := m.EndpointGroups().Delete(ctx, "default", "epgb"); err != nil {
		t.Fatal(err)
	}
	inUse("1-2, 4")
}

// NET-18: networks behave as they do outside a fabric.
func TestNET_18_Fabric(t *testing.T) {
	ctx := context.Background()
	m := mastertest.Start(t, mastertest.Options{})
	toFabric(t, m, "aci")
	for _, test := range []struct {
		network *model.Network
		want    model.NetworkOper
	}{
		{&model.Network{Encap: "vlan", Subnet: "10.1.1.1/24", Gateway: "10.1.1.254", PktTag: 1}, model.NetworkOper{AllocatedIPAddresses: "10.1.1.254", PktTag: 1}},
		{&model.Network{Encap: "vxlan", Subnet: "10.1.1.1/16"}, model.NetworkOper{PktTag: 1, ExternalPktTag: 1}},
		{&model.Network{Encap: "vxlan", Subnet: "10.1.1.1/16", Ipv6Subnet: "2016:0617::/120"}, model.NetworkOper{PktTag: 1, ExternalPktTag: 1}},
	} {
		n := test.network
		n.TenantName, n.NetworkName = "default", "contiv"
		mastertest.Put(t, m.Networks(), n)
		got, err := m.Networks().Inspect(ctx, "default", "contiv")
		if o := got.Oper; err != nil || o.PktTag != test.want.PktTag || o.ExternalPktTag != test.want.ExternalPktTag ||
			o.AllocatedIPAddresses != test.want.AllocatedIPAddresses || o.AllocatedAddressesCount != 0 {
			t.Errorf("%+v: got %+v, %v", n, o, err)
		}
		if _, err := m.Networks().Delete(ctx, "default", "contiv"); err != nil {
			t.Fatal(err)
		}
	}
}
