// SPDX-License-Identifier: Apache-2.0

package openflow_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
	"github.com/contiv/contiv/ofnet/ovstest"
)

func within(tb testing.TB) context.Context {
	tb.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	tb.Cleanup(cancel)
	return ctx
}

func dial(tb testing.TB, o *ovstest.OVS, options openflow.Options) *openflow.Conn {
	tb.Helper()
	c, err := openflow.Dial(within(tb), o.Mgmt("br0"), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = c.Close() })
	return c
}

// goldenFlows use every field and action that the project needs, one flow a line, as Open vSwitch prints them.
var goldenFlows = []string{
	"table=0, priority=100,tun_src=192.168.251.2,in_port=1000 actions=goto_table:2",
	"table=0, priority=100,in_port=1001,dl_vlan=11 actions=pop_vlan,load:0x1->NXM_NX_REG0[2],goto_table:8",
	"table=0, priority=200,dl_src=01:00:00:00:00:00/01:00:00:00:00:00 actions=drop",
	"table=2, priority=100,tun_id=0x1389 actions=load:0x8001->NXM_NX_REG2[16..31],goto_table:8",
	"table=4, priority=120,icmp6,in_port=4,dl_src=02:02:67:01:00:01,ipv6_src=fd02::1,icmp_type=136,icmp_code=0,nd_target=fd02::1,nd_tll=02:02:67:01:00:01 actions=goto_table:8",
	"table=4, priority=100,arp,in_port=1,dl_src=02:02:65:01:00:01,arp_spa=10.1.0.1,arp_sha=02:02:65:01:00:01 actions=goto_table:8",
	"table=8, priority=100,icmp6,reg0=0x1/0x1,reg1=0x65,icmp_type=135,icmp_code=0,nd_target=fd01::2,nd_options_type=1 actions=set_field:0x20265010002->xreg4,goto_table:9",
	"table=9, priority=10,icmp6,icmp_type=135 actions=move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[],move:OXM_OF_PKT_REG4[0..47]->NXM_OF_ETH_SRC[],move:NXM_NX_IPV6_SRC[]->NXM_NX_IPV6_DST[],set_field:136->icmpv6_type,set_field:0->icmpv6_code,set_field:1610612736->nd_reserved,set_field:2->nd_options_type,goto_table:10",
	"table=10, priority=20,reg0=0x4/0x4,reg1=0x6a actions=push_vlan:0x8100,set_field:4111->vlan_vid,IN_PORT",
	"table=12, priority=100,ip,in_port=1 actions=meter:1,set_field:46->ip_dscp,goto_table:14",
	"table=14, priority=100,icmp,reg0=0x1/0x1,nw_dst=10.1.0.254,icmp_type=8 actions=move:NXM_OF_IP_DST[]->NXM_NX_REG7[],set_field:0->icmp_type,mod_nw_ttl:64,IN_PORT",
	"table=18, priority=10,ip,reg2=0x1/0xffff actions=ct(table=20,zone=NXM_NX_REG2[0..15],nat)",
	"table=20, priority=195,ct_state=+new-rel+trk actions=goto_table:22",
	"table=20, priority=170,ct_state=+est-rpl+trk,ct_mark=0x7,reg2=0x1/0xffff actions=goto_table:24",
	"table=20, priority=160,ct_zone=3,ct_label=0x5/0xff actions=drop",
	"table=22, priority=100,ct_state=+new+trk,tcp6,reg2=0x1/0xffff,ipv6_dst=fd64::1,tp_dst=8000 actions=load:0x2->NXM_NX_REG8[],multipath(symmetric_l3,2,hrw,3,0,NXM_NX_REG9[]),goto_table:23",
	"table=22, priority=90,udp,nw_src=10.0.0.0/8,tp_src=53 actions=group:1",
	"table=23, priority=100,ip,reg8=0x2,reg9=0x1 actions=ct(commit,table=24,zone=NXM_NX_REG2[0..15],nat(dst=10.3.0.1:80))",
	"table=24, priority=100,ct_state=+new+trk,ct_nw_dst=10.100.0.1,tcp,nw_src=10.3.0.1,tp_dst=80 actions=ct(commit,table=28,zone=NXM_NX_REG2[16..31],nat(src=10.100.0.1))",
	"table=30, priority=357,ipv6,reg0=0/0x10,ipv6_dst=fd01::3 actions=dec_ttl,set_field:00:00:11:11:11:11->eth_src,set_field:0x1389->tun_id,set_field:192.168.251.2->tun_dst,goto_table:40",
	"table=44, priority=140,tcp,reg4=0x10002,tp_dst=83 actions=conjunction(5,2/2)",
	"table=44, priority=140,ip,reg4=0x10002,nw_src=10.2.0.100 actions=conjunction(5,1/2)",
	"table=44, priority=140,conj_id=5,reg4=0x10002 actions=load:0x5->NXM_NX_REG7[],goto_table:46",
	"table=46, priority=50,ip,reg2=0x1/0xffff actions=ct(commit,zone=NXM_NX_REG2[0..15],exec(load:0x7->NXM_NX_CT_MARK[],move:NXM_NX_REG6[]->NXM_NX_CT_LABEL[0..31])),goto_table:50",
	"table=50, priority=110,reg0=0x2000/0x2000 actions=load:0xffff->NXM_OF_IN_PORT[],output:NXM_NX_REG5[]",
	"table=50, priority=0 actions=output:NXM_NX_REG5[]",
	"table=52, priority=1 actions=CONTROLLER:65535",
	"table=54, priority=100,ip,in_port=1,nw_tos=184 actions=set_field:172.19.0.1->ip_src,ct_clear,resubmit(,55),output:1002",
}

var goldenGroups = []string{
	"group_id=1,type=select,bucket=weight:100,actions=ct(commit,table=24,zone=NXM_NX_REG2[0..15],nat(dst=[fd03::1]:80))",
	"group_id=2,type=all,bucket=actions=output:5,bucket=actions=load:0x5->NXM_NX_REG5[],resubmit(,44),bucket=actions=group:1",
	"group_id=3,type=all",
}

// TestGolden programs a real switch in one bundle. The output of ovs-ofctl must be our text, and the dump of the switch must decode to
// equal values.
func TestGolden(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	c := dial(t, o, openflow.Options{})
	ctx := within(t)
	meter := flow.Meter{ID: 1, Rate: 50000, Burst: 5000}
	if err := c.Sequence(ctx, 1, func(int) openflow.Message { return &openflow.MeterMod{Meter: meter} }); err != nil {
		t.Fatal(err)
	}
	var mods []openflow.Message
	var want flow.Set
	for _, text := range goldenGroups {
		g, err := flow.ParseGroup(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		want.AddGroup(g)
		mods = append(mods, &openflow.GroupMod{Group: g})
	}
	flows := goldenFlows
	if ovstest.Lacks().Has(ofnet.NDExtensions) {
		flows = slices.DeleteFunc(slices.Clone(flows), func(text string) bool { return strings.Contains(text, "->nd_reserved") })
	}
	for _, text := range flows {
		f, err := flow.Parse("cookie=0x9, "+text, nil)
		if err != nil {
			t.Fatal(err)
		}
		want.Add(f)
		mods = append(mods, &openflow.FlowMod{Flow: f})
	}
	want.AddMeter(meter)
	if err := c.Transact(ctx, len(mods), func(i int) openflow.Message { return mods[i] }); err != nil {
		t.Fatal(err)
	}

	printed := o.Ofctl("dump-flows", "br0", "--no-stats", "--no-names")
	for _, text := range flows {
		line := " cookie=0x9, " + strings.TrimPrefix(text, "table=0, ") // ovs-ofctl leaves table 0 out
		if !strings.Contains(printed, line+"\n") {
			t.Errorf("ovs-ofctl: want the line\n%s\ngot\n%s", line, printed)
		}
	}
	printed = o.Ofctl("dump-groups", "br0")
	for _, text := range goldenGroups {
		if !strings.Contains(printed, text+"\n") {
			t.Errorf("ovs-ofctl: want the line\n%s\ngot\n%s", text, printed)
		}
	}

	var have flow.Set
	for _, part := range []openflow.MultipartRequest{
		{Part: openflow.PartFlow, Filter: openflow.FlowFilter{Table: openflow.AllTables}},
		{Part: openflow.PartGroupDesc},
		{Part: openflow.PartMeterConfig, Number: openflow.AllMeters},
	} {
		err := c.List(ctx, &part, func(m *openflow.MultipartReply) {
			for _, f := range m.Flows {
				have.Add(f.Flow)
			}
			have.AddGroup(m.Groups...)
			have.AddMeter(m.Meters...)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if d := flow.Diff(want, have); !d.Empty() {
		t.Errorf("dumped: want values equal to those sent, got these differences\n%s", d.String())
	}
}

func TestOtherLists(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	for _, f := range []string{"table=7,priority=1,actions=drop", "table=7,priority=2,actions=drop"} {
		o.Ofctl("add-flow", "br0", f)
	}
	c := dial(t, o, openflow.Options{})
	for _, row := range []struct {
		name string
		in   openflow.MultipartRequest
		ok   func(*openflow.MultipartReply) bool
	}{
		{"ports", openflow.MultipartRequest{Part: openflow.PartPortDesc}, func(m *openflow.MultipartReply) bool {
			return len(m.Ports) == 1 && m.Ports[0].Name == "br0" && m.Ports[0].Number == flow.PortLocal
		}},
		{"tables", openflow.MultipartRequest{Part: openflow.PartTable}, func(m *openflow.MultipartReply) bool {
			return slices.ContainsFunc(m.Tables, func(t openflow.TableStats) bool { return t.Table == 7 && t.Flows == 2 })
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			var got []*openflow.MultipartReply
			if err := c.List(within(t), &row.in, func(m *openflow.MultipartReply) { got = append(got, m) }); err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(got, row.ok) {
				t.Errorf("answer is not as it should be: %+v", got)
			}
		})
	}
	if _, err := c.Request(within(t), openflow.Simple(openflow.TypeGetConfigRequest)); err != nil {
		t.Errorf("configuration: want an answer, got %v", err)
	}
}

// TestRefusedBundle has the switch refuse one message of three: it is named, and nothing of the bundle stays.
func TestRefusedBundle(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	c := dial(t, o, openflow.Options{})
	good := flow.New(0, 1, flow.NewMatch(flow.Eq(flow.InPort, 1)), flow.Actions{})
	bad := flow.New(0, 1, flow.NewMatch(flow.Eq(flow.InPort, 2)), flow.Do(flow.ToGroup(9)))
	mods := []openflow.Message{&openflow.FlowMod{Flow: good}, &openflow.FlowMod{Flow: bad}, &openflow.FlowMod{Flow: good}}
	err := c.Transact(within(t), len(mods), func(i int) openflow.Message { return mods[i] })
	var refused *openflow.RefusedError
	if !errors.As(err, &refused) || refused.Refusals[0].Index != 1 || refused.Refusals[0].Err.Error() != "OFPBAC_BAD_OUT_GROUP" {
		t.Fatalf("bundle: want message 1 refused for OFPBAC_BAD_OUT_GROUP, got %v", err)
	}
	if got := o.Ofctl("dump-flows", "br0"); strings.Contains(got, "actions=") {
		t.Errorf("flows after a refused bundle: want none, got %s", got)
	}
	if err := c.Transact(within(t), 1, func(i int) openflow.Message { return mods[i] }); err != nil {
		t.Errorf("connection after a refused bundle: want it good, got %v", err)
	}
}

// barrier waits until the switch has done all that was sent before.
func barrier(t *testing.T, c *openflow.Conn) error {
	_, err := c.Request(within(t), openflow.Simple(openflow.TypeBarrierRequest))
	return err
}

// A packet that is sent to the controller comes back as a packet-in. A port status of the switch meanwhile answers no request.
func TestPacketInArrives(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	packets := make(chan *openflow.PacketIn, 1)
	c := dial(t, o, openflow.Options{PacketIn: func(in *openflow.PacketIn) { packets <- in }})
	o.Vsctl("add-port", "br0", "p7", "--", "set", "interface", "p7", "type=internal", "ofport_request=7")
	frame := append(make([]byte, 12), 0x88, 0xb5, 1, 2, 3)
	if err := c.Send(&openflow.PacketOut{InPort: 7, Actions: flow.Do(flow.Output(flow.PortController)), Data: frame}); err != nil {
		t.Fatal(err)
	}
	select {
	case in := <-packets:
		if port, _ := in.Match.Uint(flow.InPort); port != 7 || !bytes.HasPrefix(in.Data, frame) {
			t.Errorf("want the packet by port 7, got port %d, %x", port, in.Data)
		}
	case <-within(t).Done():
		t.Fatal("want a packet-in, got none in a minute")
	}
	if err := barrier(t, c); err != nil {
		t.Errorf("the connection after what answers nothing: %v", err)
	}
}

// peer is the far end of a connection, played by the test.
func peer(t *testing.T, play func(net.Conn)) net.Conn {
	t.Helper()
	ours, theirs := net.Pipe()
	t.Cleanup(func() { _ = theirs.Close() })
	go play(theirs)
	return ours
}

// readMessage takes one message off the connection.
func readMessage(c net.Conn) (uint32, openflow.Message, error) {
	head := make([]byte, 8)
	if _, err := readFull(c, head); err != nil {
		return 0, nil, err
	}
	frame := append(head, make([]byte, int(head[2])<<8|int(head[3])-8)...)
	if _, err := readFull(c, frame[8:]); err != nil {
		return 0, nil, err
	}
	return openflow.Decode(frame)
}

func readFull(c net.Conn, b []byte) (int, error) {
	for n := 0; n < len(b); {
		m, err := c.Read(b[n:])
		if n += m; err != nil {
			return n, err
		}
	}
	return len(b), nil
}

// shake answers the handshake.
func shake(c net.Conn) error {
	for {
		xid, m, err := readMessage(c)
		if err != nil {
			return err
		}
		if m.Type() != openflow.TypeFeaturesRequest {
			continue
		}
		b, err := openflow.Append(nil, xid, &openflow.Features{})
		if err != nil {
			return err
		}
		_, err = c.Write(b)
		return err
	}
}

func TestBadPeers(t *testing.T) {
	for _, row := range []struct {
		name string
		say  []byte
		want string
	}{
		{"length under 8", []byte{4, 0, 0, 4, 0, 0, 0, 0}, "length 4"},
		{"cut features", []byte{4, 6, 0, 12, 0, 0, 0, 9, 1, 2, 3, 4}, "cut off"},
		{"OpenFlow 1.0 only", []byte{1, 0, 0, 8, 0, 0, 0, 0}, "does not speak OpenFlow 1.3"},
		{"hang up", nil, "read from switch"},
	} {
		t.Run(row.name, func(t *testing.T) {
			nc := peer(t, func(c net.Conn) {
				_, _, _ = readMessage(c) // the hello
				_, _, _ = readMessage(c) // the question for features
				if row.say == nil {
					_ = c.Close()
					return
				}
				_, _ = c.Write(row.say)
				_, _, _ = readMessage(c) // until the other side gives up
			})
			_, err := openflow.NewConn(within(t), nc, openflow.Options{})
			if err == nil || !strings.Contains(err.Error(), row.want) {
				t.Errorf("handshake: want an error with %q, got %v", row.want, err)
			}
		})
	}
}

// TestSilentPeer has a peer that shakes hands and then neither reads nor writes: the connection must end by itself.
func TestSilentPeer(t *testing.T) {
	nc := peer(t, func(c net.Conn) { _ = shake(c) })
	c, err := openflow.NewConn(within(t), nc, openflow.Options{Echo: 5 * time.Millisecond, Timeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	err = barrier(t, c)
	if err == nil {
		t.Error("barrier over a dead connection: want an error, got none")
	}
	select {
	case <-c.Done():
	case <-within(t).Done():
		t.Error("dead connection: want it ended, got it open")
	}
}

// sockets is a pair of connected unix sockets: what is written lies in a buffer until it is read.
func sockets(t *testing.T) (ours, theirs net.Conn) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	var ends [2]net.Conn
	for i, fd := range fds {
		f := os.NewFile(uintptr(fd), "socket")
		if ends[i], err = net.FileConn(f); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		t.Cleanup(func() { _ = ends[i].Close() })
	}
	return ends[0], ends[1]
}

// What the connection writes is no sign of the peer's life: one that takes everything and says nothing is silent, and then dead.
func TestOwnWritesAreNoLife(t *testing.T) {
	ours, theirs := sockets(t)
	go func() {
		if shake(theirs) == nil {
			_, _ = io.Copy(io.Discard, theirs)
		}
	}()
	c, err := openflow.NewConn(within(t), ours, openflow.Options{Echo: 5 * time.Millisecond, Silence: 10 * time.Millisecond, Timeout: 200 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	for c.Silent() == 0 {
		if err := c.Send(&openflow.Echo{Reply: true}); err != nil {
			t.Fatalf("want the connection silent before it ends, got %v", err)
		}
	}
	for {
		if err := c.Send(&openflow.Echo{Reply: true}); err != nil {
			break
		}
		if within(t).Err() != nil {
			t.Fatal("dead connection: want it ended, got it open")
		}
	}
	if err := c.Err(); err == nil || !strings.Contains(err.Error(), "silent for") {
		t.Errorf("want the connection ended for its silence, got %v", err)
	}
}

// A switch that is stopped is noticed in seconds with the settings that the agent has; one that continues sends again.
func TestStoppedSwitch(t *testing.T) {
	o := ovstest.Start(t)
	o.Bridge("br0")
	c := dial(t, o, openflow.Options{Timeout: time.Hour})
	o.Pause()
	begin := time.Now()
	for tick := time.NewTicker(10 * time.Millisecond); c.Silent() == 0; <-tick.C {
		if time.Since(begin) > 10*time.Second {
			t.Fatal("a stopped switch: want it silent within five seconds, got it alive after ten")
		}
	}
	o.Resume()
	if err := barrier(t, c); err != nil {
		t.Errorf("barrier after the pause: %v", err)
	}
	if quiet := c.Silent(); quiet != 0 {
		t.Errorf("after the pause: want messages of the switch, got %v of silence", quiet)
	}
}

// A long bundle does not keep the switch from being asked: echo requests come between its messages.
func TestEchoWithinABundle(t *testing.T) {
	ours, theirs := sockets(t)
	asked := make(chan struct{})
	go func() {
		if shake(theirs) != nil {
			return
		}
		for bundle := false; ; {
			xid, m, err := readMessage(theirs)
			if err != nil {
				return
			}
			switch m := m.(type) {
			case *openflow.BundleControl:
				bundle = m.Step == openflow.BundleOpen
			case *openflow.Echo:
				if bundle {
					close(asked)
					_, _ = io.Copy(io.Discard, theirs)
					return
				}
				b, _ := openflow.Append(nil, xid, &openflow.Echo{Reply: true})
				_, _ = theirs.Write(b)
			}
		}
	}()
	c, err := openflow.NewConn(within(t), ours, openflow.Options{Echo: time.Millisecond, Timeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	f := &openflow.FlowMod{Flow: flow.New(0, 1, flow.NewMatch(flow.Eq(flow.InPort, 1)), flow.Actions{})}
	err = c.Transact(within(t), 1<<30, func(int) openflow.Message {
		select {
		case <-asked:
			_ = c.Close()
		default:
		}
		return f
	})
	if !errors.Is(err, openflow.ErrClosed) {
		t.Errorf("want the bundle to continue until the switch was asked, got %v", err)
	}
}

func TestEchoIsAnswered(t *testing.T) {
	answered := make(chan string, 1)
	nc := peer(t, func(c net.Conn) {
		if shake(c) != nil {
			return
		}
		b, _ := openflow.Append(nil, 77, &openflow.Echo{Data: []byte("alive?")})
		_, _ = c.Write(b)
		for {
			xid, m, err := readMessage(c)
			if err != nil {
				return
			}
			if e, ok := m.(*openflow.Echo); ok && e.Reply && xid == 77 {
				answered <- string(e.Data)
				return
			}
		}
	})
	c, err := openflow.NewConn(within(t), nc, openflow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	select {
	case got := <-answered:
		if got != "alive?" {
			t.Errorf("echo: want the data back, got %q", got)
		}
	case <-within(t).Done():
		t.Error("echo: want an answer, got none")
	}
}

func TestCloseEndsCalls(t *testing.T) {
	nc := peer(t, func(c net.Conn) {
		_ = shake(c)
		_, _, _ = readMessage(c) // the barrier, which no one answers
	})
	c, err := openflow.NewConn(within(t), nc, openflow.Options{})
	if err != nil {
		t.Fatal(err)
	}
	failed := make(chan error, 1)
	go func() { failed <- barrier(t, c) }()
	_ = c.Close()
	if err := <-failed; !errors.Is(err, openflow.ErrClosed) {
		t.Errorf("call during Close: want ErrClosed, got %v", err)
	}
	if err := c.Send(openflow.Simple(openflow.TypeBarrierRequest)); !errors.Is(err, openflow.ErrClosed) {
		t.Errorf("send after Close: want ErrClosed, got %v", err)
	}
}
