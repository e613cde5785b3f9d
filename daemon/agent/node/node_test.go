// SPDX-License-Identifier: Apache-2.0

package node_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/containernetworking/cni/libcni"
	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/cni"
	"github.com/contiv/contiv/daemon/agent/node"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/agent/underlay"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/link/linktest"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// plugin is the directory with the real contivk8s and netcontiv; TestMain builds them.
var plugin string

func TestMain(m *testing.M) {
	// Without cgo, as it ships: the plugin then starts half a millisecond sooner.
	dir, err := os.MkdirTemp("", "contivk8s")
	for name, path := range map[string]string{"contivk8s": "cni", "netcontiv": "cni/netcontiv"} {
		if err != nil {
			break
		}
		var out []byte
		cmd := exec.Command("go", "build", "-o", dir+"/"+name, "github.com/contiv/contiv/"+path)
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err = cmd.CombinedOutput(); err != nil {
			err = fmt.Errorf("build %s: %w\n%s", name, err, out)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	plugin = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

// config is the configuration of a site's agent.
type config struct {
	node.Env
	node.Settings
}

// site is one host: a real Open vSwitch, a whole master in this process, and an agent that can be killed.
type site struct {
	tb     testing.TB
	ctx    context.Context
	ovs    *ovstest.OVS
	db     *memory.Store // the agent's view of the store
	master *mastertest.Master
	socket string
	node   *node.Node
	passed chan uint64   // what the switch had when the agent settled
	edit   func(*config) // of the agent's configuration; nil: nothing
	cancel context.CancelFunc
	done   chan error
}

func newSite(t testing.TB) *site {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 120*time.Second)
	db := memory.New()
	s := &site{tb: t, ctx: ctx, ovs: ovstest.Start(t), db: db.Open(), master: mastertest.Start(t, mastertest.Options{Store: db})}
	s.socket = filepath.Join(s.ovs.Dir, "cni", "cni.sock")
	t.Cleanup(func() { s.stop(); cancel() })
	s.ovs.IP("link", "add", "eth9", "mtu", "1500", "type", "veth", "peer", "name", "eth9p")
	s.ovs.IP("addr", "add", "192.0.2.1/24", "dev", "eth9")
	s.ovs.IP("link", "add", "eth1", "type", "veth", "peer", "name", "eth1p")
	for _, l := range []string{"eth9", "eth9p", "eth1", "eth1p"} {
		s.ovs.IP("link", "set", l, "up")
	}
	for _, n := range []model.Network{
		{TenantName: "default", NetworkName: "default-net", Encap: "vxlan", Subnet: "10.1.1.0/24", Gateway: "10.1.1.254",
			Ipv6Subnet: "2001:db8::/64", Ipv6Gateway: "2001:db8::1"},
		{TenantName: "default", NetworkName: "vlan-net", Encap: "vlan", Subnet: "10.2.2.0/29", PktTag: 20},
	} {
		if _, err := s.master.Networks().Put(ctx, &n); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// start runs the agent and waits until it serves.
func (s *site) start() {
	s.tb.Helper()
	s.launch()
	select {
	case <-s.node.Ready():
	case err := <-s.done:
		s.tb.Fatalf("the agent ended: %v", err)
	case <-s.ctx.Done():
		s.tb.Fatalf("the agent did not become ready; it waits for %v", s.node.Waiting())
	}
}

func (s *site) launch() {
	s.tb.Helper()
	log := slog.New(slog.NewTextHandler(s.tb.Output(), &slog.HandlerOptions{Level: slog.LevelWarn}))
	p := pipeline.Default()
	forward := bridge.NewReconciler("h1", p, bridge.NewOpenFlow(vswitch.Socket(s.ovs.Dir), openflow.Options{}), bridge.Options{Log: log})
	s.passed = make(chan uint64, 1)
	c := config{
		Env: node.Env{Namespace: "/run/netns/" + s.ovs.NetNS, FwdMode: "bridge", Master: s.master, Find: s.masters, SweepInterval: 200 * time.Millisecond,
			Programmed: func() { s.passed <- forward.Revision() }, Log: log},
		Settings: node.Settings{Host: "h1", Machine: registration.Machine("", "h1"), Connections: "off",
			Addresses: underlay.AddressSettings{Control: netip.MustParseAddr("127.0.0.1"), VTEP: netip.MustParseAddr("192.0.2.1")},
			Switch:    vswitch.Settings{RunDir: s.ovs.Dir, VXLANPort: 4789},
			Uplinks:   vswitch.UplinkSettings{NICs: []string{"eth1"}},
			CNI:       cni.Settings{Socket: s.socket}}}
	if s.edit != nil {
		s.edit(&c)
	}
	n, err := node.New(c.Env, c.Settings, forward, p)
	if err != nil {
		s.tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	s.node, s.cancel, s.done = n, cancel, make(chan error, 1)
	go func() { s.done <- n.Run(ctx) }()
}

// masters returns the URL of the netmaster for the agent.
func (s *site) masters(context.Context) []string { return []string{s.master.URL} }

// stop ends the agent; forwarding continues.
func (s *site) stop() {
	if s.cancel == nil {
		return
	}
	s.cancel()
	if err := <-s.done; err != nil {
		s.tb.Errorf("agent after cancel: want nil, got %v", err)
	}
	s.cancel = nil
}

// pod is a sandbox as a runtime creates it.
type pod struct {
	id  string
	ns  *linktest.Namespace
	ip4 string
}

func (s *site) conf(version, extra string) *libcni.NetworkConfigList {
	s.tb.Helper()
	text := fmt.Sprintf(`{"cniVersion":%q,"name":"contiv-net","plugins":[{"type":"contivk8s","socket":%q,"dns":{"nameservers":["10.9.9.9"]}%s}]}`,
		version, s.socket, extra)
	list, err := libcni.ConfListFromBytes([]byte(text))
	if err != nil {
		s.tb.Fatal(err)
	}
	return list
}

func (s *site) cni() *libcni.CNIConfig {
	return libcni.NewCNIConfigWithCacheDir([]string{plugin}, filepath.Join(s.ovs.Dir, "cache"), nil)
}

func runtimeConf(p *pod) *libcni.RuntimeConf {
	return &libcni.RuntimeConf{ContainerID: p.id, NetNS: p.ns.Path, IfName: "eth0",
		Args: [][2]string{{"IgnoreUnknown", "1"}, {"K8S_POD_NAMESPACE", "shop"}, {"K8S_POD_NAME", p.id}}}
}

func (s *site) add(id, version, extra string) (*pod, *types100.Result) {
	s.tb.Helper()
	p := &pod{id: id, ns: linktest.New(s.tb)}
	r, err := s.cni().AddNetworkList(s.ctx, s.conf(version, extra), runtimeConf(p))
	if err != nil {
		s.tb.Fatalf("ADD %s: %v", id, err)
	}
	if got := r.Version(); got != version {
		s.tb.Errorf("version of the result: want %s, got %s", version, got)
	}
	res, err := types100.NewResultFromResult(r)
	if err != nil {
		s.tb.Fatal(err)
	}
	p.ip4 = res.IPs[0].Address.IP.String()
	return p, res
}

// eventually waits until look returns "". After the timeout it fails the test with the last result.
func (s *site) eventually(what string, look func() string) {
	s.tb.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for {
		last := look()
		if last == "" {
			return
		}
		select {
		case <-tick.C:
		case <-limit.C:
			s.tb.Fatalf("%s: %s", what, last)
		}
	}
}

func (s *site) ping(from *pod, to string) {
	s.tb.Helper()
	if out, err := from.ns.Exec("ping", "-c1", "-W5", to); err != nil {
		s.tb.Errorf("ping %s -> %s: %v\n%s", from.id, to, err, out)
	}
}

func TestPodsTalk(t *testing.T) {
	s := newSite(t)
	s.start()
	for _, version := range []string{"0.3.1", "0.4.0", "1.0.0", "1.1.0"} {
		t.Run(version, func(t *testing.T) {
			n := strings.ReplaceAll(version, ".", "")
			a, res := s.add("a"+n, version, "")
			b, _ := s.add("b"+n, version, "")
			if len(res.IPs) != 2 || res.IPs[0].Gateway.String() != "10.1.1.254" || res.IPs[1].Gateway.String() != "2001:db8::1" ||
				len(res.Routes) != 2 || len(res.Interfaces) != 2 || res.Interfaces[1].Sandbox != a.ns.Path ||
				*res.IPs[0].Interface != 1 || res.DNS.Nameservers[0] != "10.9.9.9" {
				t.Errorf("result: want both families with gateway, routes, interfaces and DNS, got %+v", res)
			}
			s.ping(a, b.ip4)
			s.ping(b, a.ip4)
			if version != "0.3.1" {
				if err := s.cni().CheckNetworkList(s.ctx, s.conf(version, ""), runtimeConf(a)); err != nil {
					t.Errorf("CHECK of a whole attachment: %v", err)
				}
				a.ns.IP("addr", "flush", "dev", "eth0")
				if err := s.cni().CheckNetworkList(s.ctx, s.conf(version, ""), runtimeConf(a)); err == nil {
					t.Error("CHECK without the address: want an error, got none")
				}
			}
			for range 2 { // a DEL of what is gone succeeds
				for _, p := range []*pod{a, b} {
					if err := s.cni().DelNetworkList(s.ctx, s.conf(version, ""), runtimeConf(p)); err != nil {
						t.Errorf("DEL: %v", err)
					}
				}
			}
			s.nothingLeft()
		})
	}
}

// nothingLeft waits until no trace of an endpoint is on this host.
func (s *site) nothingLeft() {
	s.tb.Helper()
	s.eventually("leftovers", func() string {
		items, _, err := s.db.List(s.ctx, record.Endpoints)
		if err != nil || len(items) > 0 {
			return fmt.Sprintf("want no endpoint in the store, got %d %v", len(items), err)
		}
		if got := s.ovs.Vsctl("--columns=name", "find", "interface", "external_ids:contiv-container!=none"); strings.Contains(got, "vv") {
			return "want no port, got " + got
		}
		if got := s.ovs.IP("-o", "link", "show"); strings.Contains(got, "vv") {
			return "want no veth, got " + got
		}
		return ""
	})
}

// The agent reports a stopped part of Open vSwitch within seconds, also to an ADD that waits for it, and continues when the part does.
func TestStoppedOpenvSwitch(t *testing.T) {
	s := newSite(t)
	s.start()
	a, _ := s.add("a", "1.0.0", "")
	for _, row := range []struct {
		name, pod     string
		status        uint
		pause, resume func()
	}{{"ovs-vswitchd", "b", types.ErrLimitedConnectivity, s.ovs.Pause, s.ovs.Resume}, {"ovsdb-server", "c", types.ErrPluginNotAvailable, s.ovs.PauseDB, s.ovs.ResumeDB}} {
		row.pause()
		begin := time.Now()
		p := &pod{id: row.pod, ns: linktest.New(t)}
		for _, when := range []string{"at once", "later"} {
			var e *types.Error
			_, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p))
			if !errors.As(err, &e) || e.Code != types.ErrTryAgainLater || !strings.Contains(e.Msg, row.name) {
				t.Errorf("ADD %s: want code 11 that names %s, got %v", when, row.name, err)
			}
		}
		if took := time.Since(begin); took > 15*time.Second {
			t.Errorf("ADD while %s is stopped: want it refused soon, got it after %v", row.name, took)
		}
		if got := strings.Join(s.node.Waiting(), "; "); !strings.Contains(got, row.name) || !strings.Contains(got, "does not answer") || s.node.Status().Ready {
			t.Errorf("while %s is stopped: want that reported, got %q, ready %v", row.name, got, s.node.Status().Ready)
		}
		var e *types.Error
		if err := s.cni().GetStatusNetworkList(s.ctx, s.conf("1.1.0", "")); !errors.As(err, &e) || e.Code != row.status {
			t.Errorf("STATUS while %s is stopped: want code %d, got %v", row.name, row.status, err)
		}
		row.resume()
		s.eventually("ready again", func() string { return strings.Join(s.node.Waiting(), "; ") })
		again, _ := s.add(row.pod, "1.0.0", "") // of the same name: its first port may have been created and removed while no change was received
		s.ping(a, again.ip4)
	}
}

func TestPodsSurviveTheAgentAndOpenvSwitch(t *testing.T) {
	s := newSite(t)
	s.start()
	a, first := s.add("a", "1.0.0", "")
	b, _ := s.add("b", "1.0.0", "")
	s.ping(a, b.ip4)
	known, err := s.db.Read(s.ctx, record.Endpoints+"default:default-net:b")
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	s.ping(a, b.ip4)
	var e *types.Error
	c := &pod{id: "c", ns: linktest.New(t)}
	if _, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(c)); !errors.As(err, &e) || e.Code != types.ErrTryAgainLater {
		t.Errorf("ADD without an agent: want code 11, got %v", err)
	}
	if err := s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(b)); !errors.As(err, &e) || e.Code != types.ErrTryAgainLater {
		t.Errorf("DEL without an agent: want code 11, got %v", err)
	}
	s.start()
	select {
	case got := <-s.passed:
		if got < uint64(known.Revision) {
			t.Errorf("settled: want the switch at revision %d at least, it is at %d", known.Revision, got)
		}
	case <-s.ctx.Done():
		t.Fatal("the agent did not settle")
	}
	again, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(a))
	if err != nil {
		t.Fatalf("ADD again after a restart: %v", err)
	}
	second, err := types100.NewResultFromResult(again)
	if err != nil {
		t.Fatal(err)
	}
	want, got := jsonOf(t, first), jsonOf(t, second)
	if want != got {
		t.Errorf("ADD again: want the same result\n%s\ngot\n%s", want, got)
	}
	s.ping(a, b.ip4)

	s.ovs.StopSwitch()
	s.ovs.StartSwitch()
	s.eventually("flows after a restart of ovs-vswitchd", func() string {
		if out, err := a.ns.Exec("ping", "-c1", "-W1", b.ip4); err != nil {
			return out
		}
		return ""
	})
	s.ovs.StopDB()
	s.ovs.StartDB()
	s.eventually("the agent is ready again", func() string { return strings.Join(s.node.Waiting(), "; ") })
	d, _ := s.add("d", "1.0.0", "")
	s.ping(a, d.ip4)

	// A sandbox that disappears without DEL is swept; so is one whose DEL is late.
	d.ns.Delete()
	s.eventually("sweep of d", func() string {
		if _, err := s.db.Read(s.ctx, record.Endpoints+"default:default-net:d"); err == nil {
			return "want the endpoint gone, it is there"
		}
		return ""
	})
	for _, p := range []*pod{a, b, d} {
		if err := s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p)); err != nil {
			t.Errorf("DEL %s: %v", p.id, err)
		}
	}
	s.nothingLeft()
}

func TestMasterAway(t *testing.T) {
	s := newSite(t)
	s.start()
	a, _ := s.add("a", "1.0.0", "")
	b, _ := s.add("b", "1.0.0", "")
	s.master.Away()
	s.eventually("the outage shows", func() string {
		if len(s.node.Waiting()) == 0 {
			return "want the agent to wait for a netmaster"
		}
		return ""
	})
	var e *types.Error
	if err := s.cni().GetStatusNetworkList(s.ctx, s.conf("1.1.0", "")); !errors.As(err, &e) || e.Code != types.ErrPluginNotAvailable {
		t.Errorf("STATUS while no netmaster answers: want code 50, got %v", err)
	}
	s.ping(a, b.ip4)
	s.master.Back()
	s.eventually("ready again", func() string { return strings.Join(s.node.Waiting(), "; ") })
	if err := s.cni().GetStatusNetworkList(s.ctx, s.conf("1.1.0", "")); err != nil {
		t.Errorf("STATUS: want success, got %v", err)
	}
}

// An agent that starts without a reachable netmaster continues with the records of its predecessor: with the same flows, and not ready.
func TestStartsWithoutNetmasters(t *testing.T) {
	s := newSite(t)
	s.start()
	a, _ := s.add("a", "1.0.0", "")
	b, _ := s.add("b", "1.0.0", "")
	s.ping(a, b.ip4)
	closed := func() string {
		if !strings.Contains(s.flowsOf(), "goto_table:35") {
			return "table closed has no flows yet"
		}
		return ""
	}
	s.eventually("the host's surroundings are closed", closed)
	s.stop()
	before := s.flowsOf()
	s.master.Away()
	s.launch()
	s.eventually("the agent has its earlier records", func() string {
		if got := strings.Join(s.node.Waiting(), "; "); !strings.HasPrefix(got, "a netmaster (") {
			return "it waits for " + got
		}
		return ""
	})
	<-s.passed
	s.eventually("the host's surroundings are closed again", closed)
	if after := s.flowsOf(); after != before {
		t.Errorf("flows: want them as they were\n%s\ngot\n%s", before, after)
	}
	s.ping(a, b.ip4)
	s.master.Back()
	s.eventually("the agent serves", func() string { return strings.Join(s.node.Waiting(), "; ") })
	if after := s.flowsOf(); after != before {
		t.Errorf("flows with a netmaster: want them as they were\n%s\ngot\n%s", before, after)
	}
	c, _ := s.add("c", "1.0.0", "")
	s.ping(a, c.ip4)
}

// TestStartsWithoutItsSurroundings: the agent waits, reports the missing parts, and serves as soon as it can.
func TestStartsWithoutItsSurroundings(t *testing.T) {
	s := newSite(t)
	s.master.Away()
	s.ovs.StopSwitch()
	s.ovs.StopDB()
	s.launch()
	waitsFor := func(what string) {
		t.Helper()
		s.eventually("the agent says that it waits for "+what, func() string {
			if got := strings.Join(s.node.Waiting(), "; "); !strings.Contains(got, what) {
				return "it waits for " + got
			}
			return ""
		})
	}
	waitsFor("ovsdb-server")
	p := &pod{id: "p", ns: linktest.New(t)}
	var e *types.Error
	if _, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p)); !errors.As(err, &e) || e.Code != types.ErrTryAgainLater {
		t.Errorf("ADD while the agent waits: want code 11, got %v", err)
	}
	s.ovs.StartDB()
	s.ovs.StartSwitch()
	waitsFor("a netmaster (")
	s.master.Back()
	s.eventually("the agent serves", func() string { return strings.Join(s.node.Waiting(), "; ") })
	if _, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p)); err != nil {
		t.Errorf("ADD: %v", err)
	}
}

func TestNetworkOfAPod(t *testing.T) {
	s := newSite(t)
	s.start()
	p, _ := s.add("v", "1.0.0", `,"network":"vlan-net"`)
	if !strings.HasPrefix(p.ip4, "10.2.2.") {
		t.Errorf("address of a pod on vlan-net: want 10.2.2.x, got %s", p.ip4)
	}
	if got := p.ns.IP("-o", "link", "show", "eth0"); !strings.Contains(got, "mtu 1500") {
		t.Errorf("MTU on a VLAN: want 1500, got %s", got)
	}
	q, _ := s.add("x", "1.0.0", `,"labels":{"io.contiv.network":"default-net"}`)
	if got := q.ns.IP("-o", "link", "show", "eth0"); !strings.Contains(got, "mtu 1450") {
		t.Errorf("MTU on VXLAN: want 1450, got %s", got)
	}
	mtu := func(p *pod, want string) func() string {
		return func() string {
			if got := p.ns.IP("-o", "link", "show", "eth0"); !strings.Contains(got, "mtu "+want) {
				return got
			}
			return ""
		}
	}
	s.ovs.IP("link", "set", "eth9", "mtu", "9000")
	s.eventually("the MTU follows the underlay", mtu(q, "8950"))
	s.eventually("that on a VLAN is the trunk's", mtu(p, "1500"))
	s.ovs.IP("link", "set", "eth1", "mtu", "1400")
	s.eventually("the MTU follows the trunk", mtu(p, "1400"))
	s.eventually("that in tunnels does not", mtu(q, "8950"))
	s.ovs.IP("link", "set", "eth1", "mtu", "1500")
	s.ovs.IP("link", "set", "eth9", "mtu", "1400")
	s.eventually("the MTU of tunnels follows", mtu(q, "1350"))
	rows := []struct {
		name, extra string
		code        uint
	}{
		{"unknown network", `,"network":"nowhere"`, types.ErrInvalidNetworkConfig},
		{"unknown tenant", `,"tenant":"absent"`, types.ErrInvalidNetworkConfig},
		{"unknown group", `,"group":"nothing"`, types.ErrInvalidNetworkConfig},
	}
	for _, r := range rows {
		bad := &pod{id: "bad", ns: linktest.New(t)}
		_, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", r.extra), runtimeConf(bad))
		var e *types.Error
		if !errors.As(err, &e) || e.Code != r.code {
			t.Errorf("%s: want code %d, got %v", r.name, r.code, err)
		}
	}
	gone := &pod{id: "gone", ns: linktest.New(t)}
	gone.ns.Delete()
	var e *types.Error
	if _, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(gone)); !errors.As(err, &e) || e.Code != types.ErrUnknownContainer {
		t.Errorf("ADD without a sandbox: want code 3, got %v", err)
	}
	// GC keeps only the attachments that it names.
	err := s.cni().GCNetworkList(s.ctx, s.conf("1.1.0", ""), &libcni.GCArgs{ValidAttachments: []types.GCAttachment{{ContainerID: "v", IfName: "eth0"}}})
	if err != nil {
		t.Fatalf("GC: %v", err)
	}
	list := s.node.Attach().List()
	if len(list) != 1 || list[0].ContainerID != "v" {
		t.Errorf("attachments after GC: want only v, got %v", list)
	}
}

func TestManyTogether(t *testing.T) {
	s := newSite(t)
	s.start()
	const n = 10
	pods := make([]*pod, n)
	for i := range pods {
		pods[i] = &pod{id: fmt.Sprintf("p%d", i), ns: linktest.New(t)}
	}
	var wg sync.WaitGroup
	for _, p := range pods {
		wg.Go(func() {
			if _, err := s.cni().AddNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p)); err != nil {
				t.Errorf("ADD %s: %v", p.id, err)
			}
		})
	}
	wg.Wait()
	if got := len(s.node.Attach().List()); got != n {
		t.Errorf("attached: want %d, got %d", n, got)
	}
	for _, p := range pods {
		wg.Go(func() {
			if err := s.cni().DelNetworkList(s.ctx, s.conf("1.0.0", ""), runtimeConf(p)); err != nil {
				t.Errorf("DEL %s: %v", p.id, err)
			}
		})
	}
	wg.Wait()
	s.nothingLeft()
}

func jsonOf(t testing.TB, v any) string {
	t.Helper()
	b, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// flowsOf returns the flows of the switch, without their counters, in order. It leaves out those that expire with their agent.
func (s *site) flowsOf() string {
	s.tb.Helper()
	lines := strings.Split(s.ovs.Ofctl("dump-flows", vswitch.Bridge, "--no-stats"), "\n")
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.Contains(line, "hard_timeout=") })
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
