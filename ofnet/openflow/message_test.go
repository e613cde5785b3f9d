// SPDX-License-Identifier: Apache-2.0

package openflow

import (
	"bytes"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
)

func parseFlow(tb testing.TB, text string) flow.Flow {
	tb.Helper()
	f, err := flow.Parse(text, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return f
}

func parseGroup(tb testing.TB, text string) flow.Group {
	tb.Helper()
	g, err := flow.ParseGroup(text, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return g
}

// messages are one of each that the package can write.
func messages(tb testing.TB) []Message {
	f := parseFlow(tb, "cookie=0x5,table=8,priority=100,tcp,in_port=6,nw_dst=10.0.0.0/8,tp_dst=80 actions=load:0x1->NXM_NX_REG0[3],goto_table:12")
	g := parseGroup(tb, "group_id=16777319,type=all,bucket=actions=output:5,bucket=actions=set_field:0x138c->tun_id,output:1000")
	return []Message{
		&Hello{Versions: 1 << 4},
		&Error{Kind: 4, Code: 9, Data: []byte{1, 2, 3}},
		&Error{Kind: errorExperimenter, Code: 2313, Experimenter: experimenterONF},
		&Echo{Data: []byte("hi")},
		&Echo{Reply: true},
		Simple(TypeFeaturesRequest),
		&Features{DatapathID: 77, Buffers: 1, Tables: 254, Capabilities: 0x4f},
		Simple(TypeGetConfigRequest),
		&Config{MissSendLen: 128},
		&Config{Set: true, Flags: 1, MissSendLen: 0xffff},
		&PacketIn{TotalLen: 3, Reason: 1, Table: 14, Cookie: 9, Match: f.Match, Data: []byte{1, 2, 3}},
		&PacketOut{InPort: flow.PortController, Actions: flow.Do(flow.Output(3)), Data: []byte{9}},
		&FlowMod{Command: Add, Flow: f},
		&FlowMod{Command: DeleteStrict, Flow: flow.Flow{Key: f.Key}, CookieMask: 0xff},
		&GroupMod{Command: Modify, Group: g},
		&GroupMod{Command: Delete, Group: flow.Group{ID: AllGroups}},
		&MeterMod{Command: Add, Meter: flow.Meter{ID: 3, Rate: 1000, Burst: 100}},
		&MeterMod{Command: Modify, Meter: flow.Meter{ID: 3, Packets: true, Rate: 1000}},
		&MultipartRequest{Part: PartFlow, Filter: FlowFilter{Table: AllTables, Cookie: 1, CookieMask: 2, Match: f.Match}},
		&MultipartRequest{Part: PartMeterConfig, Number: AllMeters},
		&MultipartRequest{Part: PartMeter, Number: 7},
		&MultipartReply{Part: PartMeter, Drops: []MeterDrops{{7, 12}, {8, 0}}},
		&MultipartReply{Part: PartFlow, More: true, Flows: []FlowStats{{Flow: f, Packets: 1, Bytes: 2, Seconds: 3}}},
		&MultipartReply{Part: PartGroupDesc, Groups: []flow.Group{g}},
		&MultipartReply{Part: PartPortDesc, Ports: []Port{{Number: 1, Name: "a"}, {Number: 2, Name: "b"}}},
		&MultipartRequest{Part: PartTable},
		&MultipartReply{Part: PartTable, Tables: []TableStats{{0, 5}, {254, 1 << 20}}},
		&MultipartRequest{Part: PartGroupFeatures},
		&MultipartReply{Part: PartGroupFeatures, Can: &Can{Groups: 15, GroupLimits: [4]uint32{1, 2, 3, 4}}},
		&MultipartReply{Part: PartMeterFeatures, Can: &Can{Meters: 1 << 17, Bands: 2}},
		&MultipartReply{Part: 99, Body: []byte{1, 2, 3}},
		&MultipartReply{Part: PartExperimenter, Monitors: true, Updates: []FlowUpdate{{Event: FlowDeleted, Reason: 2, Flow: flow.Flow{Key: f.Key, Cookie: 5}}, {Event: FlowAbbrev, XID: 7},
			{Event: FlowAdded, Flow: flow.Flow{Key: flow.Key{Table: 1}}}, {Event: FlowModified, Flow: flow.Flow{Key: flow.Key{Priority: 9}}}}},
		&MultipartReply{Part: PartExperimenter, Body: []byte{0, 0, 0x23, 0x20, 0, 0, 0, 2}},
		Simple(TypeBarrierRequest),
		Simple(TypeBarrierReply),
		&BundleControl{ID: 7, Step: BundleCommit},
		&BundleAdd{ID: 7, Message: &FlowMod{Command: Add, Flow: f}},
		&CTFlush{flow.Connections{Zone: 7}},
		&CTFlush{flow.Connections{Zone: 5, Protocol: 17, Orig: flow.Tuple{Src: netip.MustParseAddr("10.1.1.1"), DstPort: 53}}},
		&CTFlush{flow.Connections{Zone: 3, Protocol: 6, Orig: flow.Tuple{Src: netip.MustParseAddr("fd01::1"), Dst: netip.MustParseAddr("fd01::2"), SrcPort: 1, DstPort: 2},
			Reply: flow.Tuple{Src: netip.MustParseAddr("fd01::3"), SrcPort: 80}}},
		&Experimenter{ID: 1, Kind: 2, Body: []byte{3}},
		&Raw{Kind: 30, Body: []byte{1}},
	}
}

func TestRoundTrip(t *testing.T) {
	for i, want := range messages(t) {
		b, err := Append(nil, uint32(i), want)
		if err != nil {
			t.Fatal(err)
		}
		xid, got, err := Decode(b)
		if err != nil || xid != uint32(i) || !reflect.DeepEqual(got, want) {
			t.Errorf("message %d: want %#v, got %#v, xid %d, %v", i, want, got, xid, err)
		}
	}
}

// TestCutMessages decodes every beginning of every message: none may panic, and the header must be believed.
func TestCutMessages(t *testing.T) {
	for _, m := range messages(t) {
		whole, err := Append(nil, 1, m)
		if err != nil {
			t.Fatal(err)
		}
		for n := range whole {
			cut := bytes.Clone(whole[:n])
			if _, _, err := Decode(cut); err == nil {
				t.Fatalf("%T cut after %d bytes: want an error, got none", m, n)
			}
			if n >= headerSize {
				be.PutUint16(cut[2:], uint16(n))
				_, _, _ = Decode(cut) // may be whole again; must not panic
			}
		}
	}
}

// TestCTFlush_Wire compares with what ovs-ofctl 3.1 ct-flush sends for the same.
func TestCTFlush_Wire(t *testing.T) {
	addr := netip.MustParseAddr
	for _, row := range []struct {
		in   flow.Connections
		want string
	}{
		{flow.Connections{Zone: 7}, "0404002000000002000023200000002000000000000000000002000800070000"},
		{flow.Connections{Zone: 5, Protocol: 17, Orig: flow.Tuple{Src: addr("10.1.1.1"), DstPort: 53}},
			"04040048000000020000232000000020110000000000000000000028000000000000001400000000000000000000ffff0a0101010000000000030008003500000002000800050000"},
		{flow.Connections{Zone: 5, Reply: flow.Tuple{Src: addr("10.1.1.1")}},
			"04040040000000020000232000000020000000000000000000010020000000000000001400000000000000000000ffff0a010101000000000002000800050000"},
		{flow.Connections{Zone: 3, Orig: flow.Tuple{Dst: addr("fd01::2")}},
			"040400400000000200002320000000200000000000000000000000200000000000010014fd010000000000000000000000000002000000000002000800030000"},
		{flow.Connections{Zone: 3, Protocol: 6, Orig: flow.Tuple{Src: addr("10.1.1.1"), Dst: addr("10.1.1.2"), SrcPort: 1, DstPort: 2}, Reply: flow.Tuple{Src: addr("10.3.1.1")}},
			"04040088000000020000232000000020060000000000000000000048000000000000001400000000000000000000ffff0a010101000000000001001400000000000000000000ffff0a010102000000000002000800010000000300080002000000010020000000000000001400000000000000000000ffff0a030101000000000002000800030000"},
	} {
		got, err := Append(nil, 2, &CTFlush{row.in})
		if err != nil || fmt.Sprintf("%x", got) != row.want {
			t.Errorf("%s: want\n%s, got\n%x, %v", row.in, row.want, got, err)
		}
	}
}

// TestMonitor_Wire compares with what ovs-ofctl 3.1 monitor sends for watch:!initial,!own,!actions.
func TestMonitor_Wire(t *testing.T) {
	got, err := Append(nil, 6, &MonitorRequest{})
	if want := "0412003000000006ffff0000000000004f4e46000000074e00000000000e0004ffffffffff0000000001000400000000"; err != nil || fmt.Sprintf("%x", got) != want {
		t.Errorf("want\n%s, got\n%x, %v", want, got, err)
	}
}

func TestTooLong(t *testing.T) {
	buckets := make([]flow.Bucket, 3000)
	for i := range buckets {
		buckets[i].Actions = flow.Do(flow.Output(1))
	}
	g := flow.Group{ID: 1, Buckets: flow.NewBuckets(buckets...)}
	for _, m := range []Message{&GroupMod{Group: g}, &BundleAdd{Message: &GroupMod{Group: g}}} {
		b, err := Append([]byte("before"), 1, m)
		if err == nil || string(b) != "before" || !strings.Contains(err.Error(), "65535") {
			t.Errorf("group of 96 kB: want refused and nothing written, got %d bytes, %v", len(b), err)
		}
	}
}

func TestErrorNames(t *testing.T) {
	for _, row := range []struct {
		in   Error
		want string
	}{
		{Error{Kind: 4, Code: 9}, "OFPBMC_BAD_PREREQ"},
		{Error{Kind: 6, Code: 0}, "OFPGMFC_GROUP_EXISTS"},
		{Error{Kind: 12, Code: 11}, "OFPMMFC_OUT_OF_BANDS"},
		{Error{Kind: errorExperimenter, Code: 2313, Experimenter: experimenterONF}, "OFPBFC_MSG_FAILED"},
		{Error{Kind: errorExperimenter, Code: 3, Experimenter: 5}, "experimenter 0x5 error 3"},
		{Error{Kind: 40, Code: 1}, "error type 40 code 1"},
	} {
		if got := row.in.Error(); got != row.want {
			t.Errorf("name: want %s, got %s", row.want, got)
		}
	}
}

func FuzzDecode(f *testing.F) {
	for _, m := range messages(f) {
		b, err := Append(nil, 1, m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) >= headerSize {
			be.PutUint16(in[2:], uint16(len(in)))
		}
		_, m, err := Decode(in)
		if err != nil {
			return
		}
		if _, err := Append(nil, 1, m); err != nil && len(in) < maxMessage-64 {
			t.Errorf("%T decoded from %d bytes cannot be written: %v", m, len(in), err)
		}
	})
}

func BenchmarkAppendFlowMod(b *testing.B) {
	add := &BundleAdd{ID: 1, Message: &FlowMod{Flow: parseFlow(b, "table=8,priority=100,arp,arp_op=1,arp_tpa=10.1.0.3,reg0=0x1/0x1,reg1=101 actions=set_field:0x20265020003->xreg4,goto_table:9")}}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		buf, _ = Append(buf[:0], 1, add)
	}
}
