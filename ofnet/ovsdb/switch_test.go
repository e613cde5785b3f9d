// SPDX-License-Identifier: Apache-2.0

package ovsdb_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/ovstest"
)

const bridge = "contiv0"

// live returns a client of o that runs until the test ends, and a context that bounds the test.
func live(t testing.TB, o *ovstest.OVS) (context.Context, *ovsdb.Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	c := ovsdb.NewClient(o.DBSocket(), slog.New(slog.DiscardHandler))
	done := make(chan error, 1)
	go func() { done <- c.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("Run after cancel: want nil, got %v", err)
		}
	})
	select {
	case <-c.Ready():
	case <-ctx.Done():
		t.Fatal("the first list did not come")
	}
	return ctx, c
}

func spec() ovsdb.BridgeSpec {
	return ovsdb.BridgeSpec{DatapathType: "netdev", DatapathID: 0x0242ac110002, Protocols: []string{"OpenFlow13"},
		MAC: net.HardwareAddr{2, 2, 0, 0, 0, 1}, ExternalIDs: map[string]string{"contiv-host": "h1"}}
}

func ensured(t testing.TB, ctx context.Context, c *ovsdb.Client) *ovsdb.Switch {
	t.Helper()
	s := ovsdb.NewSwitch(c, bridge)
	if err := s.Ensure(ctx, spec()); err != nil {
		t.Fatal(err)
	}
	return s
}

// veth makes a veth pair in the switch's namespace.
func veth(o *ovstest.OVS, name string) {
	o.IP("link", "add", name, "up", "type", "veth", "peer", "name", "p"+name)
}

func endpoint(name string, ofport uint32) ovsdb.PortSpec {
	return ovsdb.PortSpec{Name: name, OFPort: ofport, ExternalIDs: map[string]string{
		ovsdb.IDEndpoint: "default:net:" + name, ovsdb.IDContainer: name}}
}

func TestBridgeAndFixedPorts(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	ensured(t, ctx, c) // a repeat changes nothing
	veth(o, "up0")
	for _, p := range []struct {
		spec ovsdb.PortSpec
		want uint32
	}{
		{ovsdb.TunnelSpec("vx", 1000, 4789, netip.Addr{}), 1000},
		{ovsdb.UplinkSpec("up0", 1001), 1001},
		{ovsdb.InternalSpec("contivh0", 1002, net.HardwareAddr{2, 2, 0, 0, 0, 9}), 1002},
	} {
		for range 2 {
			got, err := s.EnsurePort(ctx, p.spec)
			if err != nil {
				t.Fatal(err)
			}
			if got.OFPort != p.want {
				t.Errorf("ofport of %s: want %d, got %d", p.spec.Name, p.want, got.OFPort)
			}
		}
	}
	for _, row := range []struct{ column, want string }{
		{"datapath_type", "netdev"}, {"fail_mode", "secure"}, {"protocols", "[OpenFlow13]"},
		{"datapath_id", `"00000242ac110002"`}, {"external_ids", "{contiv-host=h1}"},
	} {
		if got := strings.TrimSpace(o.Vsctl("get", "bridge", bridge, row.column)); got != row.want {
			t.Errorf("column %s: want %s, got %s", row.column, row.want, got)
		}
	}
	want := `{dst_port="4789", key=flow, remote_ip=flow, tos=inherit}`
	if got := strings.TrimSpace(o.Vsctl("get", "interface", "vx", "options")); got != want {
		t.Errorf("options of vx: want %s, got %s", want, got)
	}
	if got := strings.TrimSpace(o.Vsctl("get", "interface", "contivh0", "mac_in_use")); got != `"02:02:00:00:00:09"` {
		t.Errorf("MAC of contivh0: want 02:02:00:00:00:09, got %s", got)
	}
	if got := len(s.Ports(ovsdb.IDEndpoint, ovsdb.FixedPort)); got != 3 {
		t.Errorf("fixed ports: want 3, got %d", got)
	}
	o.Vsctl("add-br", "other", "--", "set", "bridge", "other", "datapath_type=netdev")
	veth(o, "nic0")
	o.Vsctl("add-port", "other", "nic0")
	veth(o, "c0")
	if _, err := s.EnsurePort(ctx, endpoint("c0", 7)); err != nil {
		t.Fatal(err)
	}
	await(t, ctx, c, func() bool { return slices.Equal(s.Devices(), []string{"nic0", "up0"}) })
}

func TestFlowTableNames(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	for range 2 {
		if err := s.SetFlowTables(ctx, map[uint8]string{0: "classify", 4: "source"}); err != nil {
			t.Fatal(err)
		}
	}
	if got := strings.Count(o.Vsctl("--columns=name", "list", "flow_table"), "name"); got != 2 {
		t.Errorf("Flow_Table rows: want 2, got %d", got)
	}
	if got := o.Vsctl("get", "bridge", bridge, "flow_tables"); !strings.Contains(got, "4=") {
		t.Errorf("flow tables of the bridge: want one with id 4, got %s", got)
	}
}

func TestManyPortsTogether(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	const n = 20
	for i := range n {
		veth(o, fmt.Sprintf("e%d", i))
	}
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			name := fmt.Sprintf("e%d", i)
			got, err := s.EnsurePort(ctx, endpoint(name, uint32(100+i)))
			if err != nil {
				t.Error(err)
			} else if got.OFPort != uint32(100+i) {
				t.Errorf("ofport of %s: want %d, got %d", name, 100+i, got.OFPort)
			}
		})
	}
	wg.Wait()
	if got := s.Ports(ovsdb.IDContainer, "e7"); len(got) != 1 || got[0].Name != "e7" || got[0].Requested != 107 {
		t.Errorf("port of container e7: want e7 with request 107, got %+v", got)
	}
	for i := range n {
		wg.Go(func() {
			for range 2 {
				if err := s.RemovePort(ctx, fmt.Sprintf("e%d", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := strings.TrimSpace(o.Vsctl("list-ports", bridge)); got != "" {
		t.Errorf("ports after removal: want none, got %s", got)
	}
}

func TestOneBadPortDoesNotSpoilTheOthers(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	veth(o, "good0")
	if _, err := s.EnsurePort(ctx, endpoint("good0", 10)); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var bad error
	for i := range 8 {
		veth(o, fmt.Sprintf("g%d", i))
	}
	wg.Go(func() {
		p := endpoint("good0", 10)
		p.ExternalIDs[ovsdb.IDEndpoint] = "other"
		bad = s.AddPort(ctx, p)
	})
	for i := range 8 {
		wg.Go(func() {
			if err := s.AddPort(ctx, endpoint(fmt.Sprintf("g%d", i), 0)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if bad == nil || !strings.Contains(bad.Error(), "default:net:good0") {
		t.Errorf("a port name in use: want an error that names its owner, got %v", bad)
	}
}

// TestRemoveComesAfterAnAbandonedAdd: a caller that gave up on AddPort can still take the port back.
func TestRemoveComesAfterAnAbandonedAdd(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	veth(o, "e0")
	gone, cancel := context.WithCancel(ctx)
	cancel()
	for range 20 {
		_ = s.AddPort(gone, endpoint("e0", 5))
		if err := s.RemovePort(ctx, "e0"); err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Port("e0"); ok {
			t.Fatal("port after RemovePort: want none")
		}
	}
}

func TestErrors(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ovsdb.NewSwitch(c, "nowhere")
	if err := s.AddPort(ctx, endpoint("x", 0)); !errors.Is(err, ovsdb.ErrNoBridge) {
		t.Errorf("port on an absent bridge: want ErrNoBridge, got %v", err)
	}
	s = ensured(t, ctx, c)
	if _, err := s.EnsurePort(ctx, endpoint("nodevice", 0)); err == nil || !strings.Contains(err.Error(), "nodevice") {
		t.Errorf("port without a device: want an error with the port's name, got %v", err)
	}
	_, err := c.Transact(ctx, ovsdb.Insert("Interface", "", ovsdb.Row{"name": "a", "ofport_request": 70000}))
	if !errors.Is(err, ovsdb.ErrConstraint) {
		t.Errorf("column out of range: want %v, got %v", ovsdb.ErrConstraint, err)
	}
	var e *ovsdb.Error
	if _, err := c.Transact(ctx, ovsdb.Update("Nonsense", ovsdb.Row{})); !errors.As(err, &e) {
		t.Errorf("unknown table: want an *Error, got %v", err)
	}
	if err := s.AddPort(ctx, endpoint("after", 0)); err != nil {
		t.Errorf("after refusals: want a working connection, got %v", err)
	}
	short, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
	defer cancel()
	if _, err := s.WaitPort(short, "never"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("wait for an absent port: want the deadline, got %v", err)
	}
}

func TestServerRestart(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	veth(o, "e0")
	veth(o, "e1")
	if _, err := s.EnsurePort(ctx, endpoint("e0", 7)); err != nil {
		t.Fatal(err)
	}
	o.StopDB()
	await(t, ctx, c, func() bool { return !c.Connected() })
	if _, ok := s.Port("e0"); !ok {
		t.Error("port e0 while the server is away: want it still known")
	}
	added := make(chan error, 1)
	go func() { // asked while the server is away, carried out when it is back
		_, err := s.EnsurePort(ctx, endpoint("e1", 8))
		added <- err
	}()
	o.StartDB()
	if err := <-added; err != nil {
		t.Fatal(err)
	}
	if got := c.Lists(); got != 2 {
		t.Errorf("lists after one restart: want 2, got %d", got)
	}
	if got := len(s.Ports(ovsdb.IDContainer, "")); got != 2 {
		t.Errorf("endpoint ports after the restart: want 2, got %d", got)
	}
}

// A database that was lost comes back empty, without the row to which bridges belong, while ovs-vswitchd runs on: the bridge and its
// ports are still made.
func TestEmptyDatabase(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	o.StopDB()
	await(t, ctx, c, func() bool { return !c.Connected() })
	o.EmptyDB()
	o.StartDB()
	await(t, ctx, c, func() bool { return c.Lists() == 2 })
	if d, differs := s.BridgeDrift(); !differs || !d.Gone {
		t.Errorf("want the bridge gone, got %+v, %t", d, differs)
	}
	limited, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	ensured(t, limited, c)
	if d, differs := s.BridgeDrift(); differs {
		t.Errorf("after Ensure: %+v", d)
	}
	if err := s.EnsureRoot(ctx); err != nil { // there is one
		t.Error(err)
	}
	if got := strings.Count(o.Vsctl("--columns=_uuid", "list", "Open_vSwitch"), "_uuid"); got != 1 {
		t.Errorf("want one row of table Open_vSwitch, got %d", got)
	}
}

// A server that is stopped, and whose socket takes what is written, is not connected within seconds; when it continues, so does the
// client, and what was asked meanwhile is done.
func TestStoppedServer(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	veth(o, "e1")
	if got := c.Unanswered(); got != 0 {
		t.Errorf("a server that answers: want 0, got %v", got)
	}
	o.PauseDB()
	begin := time.Now()
	await(t, ctx, c, func() bool { return !c.Connected() })
	if took := time.Since(begin); took > 8*time.Second {
		t.Errorf("want the stopped server noticed within five seconds, got %v", took)
	}
	if c.Unanswered() == 0 {
		t.Error("a stopped server: want it unanswered for some time, got 0")
	}
	added := make(chan error, 1)
	go func() {
		_, err := s.EnsurePort(ctx, endpoint("e1", 8))
		added <- err
	}()
	o.ResumeDB()
	await(t, ctx, c, c.Connected)
	if err := <-added; err != nil {
		t.Error(err)
	}
	if got := c.Unanswered(); got != 0 {
		t.Errorf("a server that continues: want 0, got %v", got)
	}
}

func await(t testing.TB, ctx context.Context, c *ovsdb.Client, ok func() bool) {
	t.Helper()
	for {
		changed := c.Changed()
		if ok() {
			return
		}
		select {
		case <-changed:
		case <-ctx.Done():
			t.Fatal("the condition did not come true")
		}
	}
}

func BenchmarkAddRemovePort(b *testing.B) {
	o := ovstest.Start(b)
	ctx, c := live(b, o)
	s := ensured(b, ctx, c)
	veth(o, "e0")
	b.ResetTimer()
	for b.Loop() {
		if err := s.AddPort(ctx, endpoint("e0", 7)); err != nil {
			b.Fatal(err)
		}
		if err := s.RemovePort(ctx, "e0"); err != nil {
			b.Fatal(err)
		}
	}
}

// A tunnel takes in only what is for its own address, and follows one that changes, in both families.
func TestTunnelAddress(t *testing.T) {
	o := ovstest.Start(t)
	ctx, c := live(t, o)
	s := ensured(t, ctx, c)
	for _, local := range []string{"", "192.0.2.1", "192.0.2.2", "2001:db8::1", "192.0.2.2"} {
		a, _ := netip.ParseAddr(local)
		got, err := s.EnsurePort(ctx, ovsdb.TunnelSpec("vx", 1000, 4789, a))
		if err != nil || got.OFPort != 1000 || got.Error != "" {
			t.Fatalf("%s: got %+v, %v", local, got, err)
		}
		want := local + "->flow"
		if local == "" {
			want = "::->flow"
		}
		poll(t, ctx, func() bool { return strings.Contains(o.Appctl("ofproto/list-tunnels"), want) })
		if list := o.Appctl("ofproto/list-tunnels"); strings.Count(list, "->") != 1 {
			t.Errorf("%s: want one tunnel, got %s", local, list)
		}
	}
}
