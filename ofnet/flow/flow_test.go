// SPDX-License-Identifier: Apache-2.0

package flow_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

var names = flow.Tables{{ID: 0, Name: "classify"}, {ID: 8, Name: "neighbor"}, {ID: 44, Name: "policy_in"}}

func addr(s string) netip.Addr { return netip.MustParseAddr(s) }

func TestMatchText(t *testing.T) {
	mac := [6]byte{2, 2, 0x65, 1, 0, 1}
	for _, row := range []struct {
		name string
		in   flow.Match
		want string
	}{
		{"everything", flow.Match{}, ""},
		{"bits of one register join", flow.NewMatch(flow.EqMask(flow.Reg0, 1, 1), flow.EqMask(flow.Reg0, 0x400, 0x400)), "reg0=0x401/0x401"},
		{"a mask of no bits is no condition", flow.NewMatch(flow.EqMask(flow.Reg0+1, 5, 0)), ""},
		{"a mask of all bits is none", flow.NewMatch(flow.EqMask(flow.Reg0+1, 5, 0xffffffff)), "reg1=0x5"},
		{"bits outside the mask do not count", flow.NewMatch(flow.EqMask(flow.Reg0+2, 0x10001, 0xffff)), "reg2=0x1/0xffff"},
		{"absent bit", flow.NewMatch(flow.EqMask(flow.Reg0, 0, 0x10)), "reg0=0/0x10"},
		{"order does not matter", flow.NewMatch(flow.EqAddr(flow.IPSrc, addr("10.1.0.1")), flow.EqMAC(flow.EthSrc, mac), flow.Eq(flow.InPort, 6)),
			"ip,in_port=6,dl_src=02:02:65:01:00:01,nw_src=10.1.0.1"},
		{"prefix", flow.NewMatch(flow.EqPrefix(flow.IPDst, netip.MustParsePrefix("10.1.2.3/8"))), "ip,nw_dst=10.0.0.0/8"},
		{"IPv6 prefix", flow.NewMatch(flow.EqPrefix(flow.IPv6Dst, netip.MustParsePrefix("fd01::/64"))), "ipv6,ipv6_dst=fd01::/64"},
		{"TCP presumes IP protocol", flow.NewMatch(flow.TCP6(), flow.Eq(flow.TCPDst, 80)), "tcp6,tp_dst=80"},
		{"ARP", flow.NewMatch(flow.Eq(flow.ARPOp, 1), flow.EqAddr(flow.ARPTPA, addr("10.1.0.3"))), "arp,arp_tpa=10.1.0.3,arp_op=1"},
		{"ND", flow.NewMatch(flow.Eq(flow.ICMPv6Type, 135), flow.Eq(flow.NDOptionsType, 1), flow.EqMAC(flow.NDSLL, mac)),
			"icmp6,icmp_type=135,icmp_code=0,nd_sll=02:02:65:01:00:01,nd_options_type=1"},
		{"connection state", flow.NewMatch(flow.State(flow.CTNew|flow.CTTracked, flow.CTRel)), "ct_state=+new-rel+trk"},
		{"VLAN", flow.NewMatch(flow.Eq(flow.VlanVID, 0x1000|11)), "dl_vlan=11"},
		{"multicast", flow.NewMatch(flow.EqMACMask(flow.EthDst, [6]byte{1}, [6]byte{1})), "dl_dst=01:00:00:00:00:00/01:00:00:00:00:00"},
		{"tunnel", flow.NewMatch(flow.Eq(flow.TunID, 5001), flow.EqAddr(flow.TunSrc, addr("192.168.251.2"))), "tun_id=0x1389,tun_src=192.168.251.2"},
		{"DSCP", flow.NewMatch(flow.IP(), flow.Eq(flow.IPDSCP, 46)), "ip,nw_tos=184"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := row.in.String(); got != row.want {
				t.Errorf("text: want %q, got %q", row.want, got)
			}
			back, err := flow.ParseMatch(row.want)
			if err != nil || back != row.in {
				t.Errorf("read back: want the same value, got %q, %v", back, err)
			}
			decoded, err := flow.DecodeMatch([]byte(row.in.OXM()))
			if err != nil || decoded != row.in {
				t.Errorf("decoded: want the same value, got %q, %v", decoded, err)
			}
		})
	}
}

func TestMatchContradiction(t *testing.T) {
	_, err := flow.Join(flow.Eq(flow.InPort, 1), flow.Eq(flow.InPort, 2))
	if err == nil || !strings.Contains(err.Error(), "in_port") {
		t.Errorf("two ports in one match: want an error that names in_port, got %v", err)
	}
	if _, err := flow.ParseMatch("tcp,udp"); err == nil {
		t.Error("two protocols in one match: want an error, got none")
	}
}

func TestMatchKeepsUnknownFields(t *testing.T) {
	unknown := []byte{0x80, 0, 0x7e, 2, 0xab, 0xcd}
	m, err := flow.DecodeMatch(append(unknown, 0x80, 0, 0, 4, 0, 0, 0, 6))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := m.String(), "in_port=6,raw=80007e02abcd"; got != want {
		t.Errorf("text: want %s, got %s", want, got)
	}
	if back, err := flow.ParseMatch(m.String()); err != nil || back != m {
		t.Errorf("read back: want the same value, got %v, %v", back, err)
	}
}

// actionTexts are action lists as ovs-ofctl dump-flows prints them.
var actionTexts = []string{
	"drop",
	"output:5",
	"IN_PORT",
	"CONTROLLER:65535",
	"output:NXM_NX_REG5[]",
	"load:0x1->NXM_NX_REG0[0],load:0x8001->NXM_NX_REG2[16..31],goto_table:8",
	"load:0xffff->NXM_OF_IN_PORT[],output:NXM_NX_REG5[]",
	"move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[],move:OXM_OF_PKT_REG4[0..47]->NXM_NX_ND_TLL[],IN_PORT",
	"move:NXM_NX_IPV6_DST[]->NXM_NX_XXREG3[]",
	"set_field:00:00:11:11:11:11->eth_src,set_field:10.1.0.1->ip_dst,set_field:fd01::1->ipv6_src",
	"set_field:0x20265020003->xreg4,set_field:136->icmpv6_type,set_field:1610612736->nd_reserved,set_field:2->nd_options_type",
	"set_field:0x138c->tun_id,set_field:192.168.251.2->tun_dst,output:1000",
	"push_vlan:0x8100,set_field:4107->vlan_vid,output:1001",
	"pop_vlan,dec_ttl,mod_nw_ttl:64",
	"group:16777319",
	"meter:7,set_field:46->ip_dscp,goto_table:14",
	"resubmit(,44)",
	"conjunction(5,2/2),conjunction(6,1/3)",
	"load:0x2->NXM_NX_REG8[],multipath(symmetric_l3,2,hrw,3,0,NXM_NX_REG9[]),goto_table:23",
	"ct(table=20,zone=NXM_NX_REG2[0..15],nat)",
	"ct(commit,table=24,zone=NXM_NX_REG2[0..15],nat(dst=10.3.0.1:80))",
	"ct(commit,table=24,zone=NXM_NX_REG2[0..15],nat(dst=[fd03::1]:80))",
	"ct(commit,table=28,zone=NXM_NX_REG2[16..31],nat(src=10.100.0.1))",
	"ct(commit,zone=7,nat(src=10.0.0.1-10.0.0.9:1000-2000,random))",
	"ct(commit,zone=NXM_NX_REG2[0..15],exec(load:0x7->NXM_NX_CT_MARK[],move:NXM_NX_REG6[]->NXM_NX_CT_LABEL[0..31])),goto_table:50",
	"ct(commit,force,zone=NXM_NX_REG2[0..15])",
	"ct_clear",
	"learn(table=21,idle_timeout=10800,priority=100,delete_learned,cookie=0xff01000000000abc,limit=16384,eth_type=0x800,NXM_OF_IP_SRC[],reg8=0x123,load:0xa0000001->NXM_NX_REG12[])",
	"learn(table=21,priority=1,delete_learned,cookie=0x1,eth_type=0x86dd,NXM_NX_IPV6_SRC[],NXM_NX_REG2[0..15]=0x4,load:NXM_NX_REG8[]->NXM_NX_REG12[])",
}

func TestActionText(t *testing.T) {
	for _, want := range actionTexts {
		t.Run(want, func(t *testing.T) {
			a, err := flow.ParseActions(want, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.String(); got != want {
				t.Errorf("text: want %s, got %s", want, got)
			}
			back, err := flow.DecodeInstructions([]byte(a.Wire()))
			if err != nil || back != a {
				t.Errorf("decoded: want the same value, got %v, %v", back, err)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, in := range []string{
		"",
		"table=0,in_port=1",
		"table=nowhere actions=drop",
		"table=300 actions=drop",
		"priority=70000 actions=drop",
		"cookie=x actions=drop",
		"in_port=1,in_port=2 actions=drop",
		"nw_src=fd01::1 actions=drop",
		"dl_src=1:2:3 actions=drop",
		"unicorn=1 actions=drop",
		"unicorn actions=drop",
		"ct_state=+odd actions=drop",
		"dl_vlan=5000 actions=drop",
		"actions=fly",
		"actions=output:x",
		"actions=load:0x1ffff->NXM_NX_REG2[0..15]",
		"actions=load:1->NXM_NX_REG0[31..32]",
		"actions=move:NXM_NX_REG0[]->NXM_NX_REG1[0..15]",
		"actions=ct(commit",
		"actions=ct(nat(src=1.2.3.4-fd01::1))",
		"actions=set_field:1->nothing",
		"actions=conjunction(1,2)",
		"actions=raw:00",
		"actions=learn(table=nowhere)",
		"actions=learn(table=21,reg8=0x100000000)",
		"actions=learn(table=21,load:NXM_NX_REG8[]->NXM_NX_REG2[0..15])",
		"actions=learn(table=21,unicorn)",
	} {
		if f, err := flow.Parse(in, names); err == nil {
			t.Errorf("parse %q: want an error, got %s", in, f)
		}
	}
}

func TestFlowText(t *testing.T) {
	f := flow.New(8, 100, flow.NewMatch(flow.Eq(flow.InPort, 6)), flow.Do(flow.Resubmit(44)))
	f.Cookie = flow.NewCookie(3, 1, 0xabc)
	for _, row := range []struct {
		name, got, want string
	}{
		{"numbers", f.String(), "cookie=0x301000000000abc,table=8,priority=100,in_port=6 actions=resubmit(,44)"},
		{"names", f.Text(names), "cookie=0x301000000000abc,table=neighbor,priority=100,in_port=6 actions=resubmit(,policy_in)"},
	} {
		if row.got != row.want {
			t.Errorf("%s: want %s, got %s", row.name, row.want, row.got)
		}
		if back, err := flow.Parse(row.got, names); err != nil || back != f {
			t.Errorf("%s read back: want the same flow, got %v, %v", row.name, back, err)
		}
	}
	dumped := " cookie=0x301000000000abc, duration=1.5s, table=8, n_packets=7, n_bytes=99, idle_age=3, priority=100,in_port=6 actions=resubmit(,44)"
	if back, err := flow.Parse(dumped, nil); err != nil || back != f {
		t.Errorf("line of a dump: want the same flow, got %v, %v", back, err)
	}
}

func TestCookie(t *testing.T) {
	owner := flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: "n.t-e"})
	if owner == 0 || owner>>48 != 0 || owner != flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: "n.t-e"}) {
		t.Errorf("owner: want the same 48 bits each time, got %#x", owner)
	}
	c := flow.NewCookie(11, 2, owner)
	if c.Feature() != 11 || c.Round() != 2 || c.Owner() != owner {
		t.Errorf("cookie: want what was packed, got %d, %d, %#x", c.Feature(), c.Round(), c.Owner())
	}
}

func set(t *testing.T, text string) flow.Set {
	t.Helper()
	s, err := flow.ParseSet(text, names)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDiff(t *testing.T) {
	const base = "table=0,priority=5,in_port=1 actions=goto_table:8\ngroup_id=1,type=all,bucket=actions=output:1\n"
	for _, row := range []struct{ name, want, have, delta string }{
		{"equal", base, base, ""},
		{"all new", base, "", "group add group_id=1,type=all,bucket=actions=output:1\nflow add cookie=0x0,table=0,priority=5,in_port=1 actions=goto_table:8\n"},
		{"all gone", "", base, "flow delete_strict table=0,priority=5,in_port=1\ngroup delete group_id=1\n"},
		{"other actions", "table=0,priority=5,in_port=1 actions=drop", "table=0,priority=5,in_port=1 actions=goto_table:8",
			"flow add cookie=0x0,table=0,priority=5,in_port=1 actions=drop\n"},
		{"other cookie", "cookie=0x2,table=0,priority=5 actions=drop", "cookie=0x1,table=0,priority=5 actions=drop",
			"flow add reset_counts cookie=0x2,table=0,priority=5 actions=drop\n"},
		{"other priority", "table=0,priority=6 actions=drop", "table=0,priority=5 actions=drop",
			"flow add cookie=0x0,table=0,priority=6 actions=drop\nflow delete_strict table=0,priority=5\n"},
		{"parts before the whole", "group_id=1,type=all,bucket=actions=group:2\ngroup_id=2,type=all", "",
			"group add group_id=2,type=all\ngroup add group_id=1,type=all,bucket=actions=group:2\n"},
		{"the whole before its parts", "", "group_id=2,type=all\ngroup_id=1,type=all,bucket=actions=group:2",
			"group delete group_id=1\ngroup delete group_id=2\n"},
		{"meters outside", "meter=1 kbps bands=type=drop rate=5\ntable=0,priority=1 actions=meter:1,goto_table:8", "meter=2 kbps bands=type=drop rate=5",
			"meter add meter=1 kbps bands=type=drop rate=5\nflow add cookie=0x0,table=0,priority=1 actions=meter:1,goto_table:8\nmeter delete meter=2\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := flow.Diff(set(t, row.want), set(t, row.have))
			if got := d.String(); got != row.delta {
				t.Errorf("delta: want\n%sgot\n%s", row.delta, got)
			}
			if d.Empty() != (row.delta == "") {
				t.Errorf("empty: got %v", d.Empty())
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for _, row := range []struct{ name, in, want string }{
		{"good", "group_id=1,type=all\ntable=0,priority=1 actions=group:1", ""},
		{"two flows in a place", "table=0,priority=1 actions=drop\ntable=0,priority=1 actions=output:1", "two flows"},
		{"no such group", "table=0,priority=1 actions=group:1", "group 0x1"},
		{"no such part", "group_id=1,type=all,bucket=actions=group:2", "group 0x2"},
		{"no such meter", "table=0,priority=1 actions=meter:3,goto_table:8", "meter 3"},
	} {
		err := set(t, row.in).Check()
		if (err == nil) != (row.want == "") || err != nil && !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
	}
}

// TestDecodeTCPFlags reads the forms in which Open vSwitch reports TCP flags to those who speak OpenFlow 1.3.
func TestDecodeTCPFlags(t *testing.T) {
	const ether, proto = "\x80\x00\x0a\x02\x08\x00", "\x80\x00\x14\x01\x06"
	for _, row := range []struct {
		name, oxm string
		want      flow.Match
	}{
		{"masked", ether + proto + "\xff\xff\x55\x08ONF\x00\x00\x02\x00\x12", flow.NewMatch(flow.TCP(), flow.EqMask(flow.TCPFlags, 0x02, 0x12))},
		{"whole", ether + proto + "\xff\xff\x54\x06ONF\x00\x00\x02", flow.NewMatch(flow.TCP(), flow.Eq(flow.TCPFlags, 0x02))},
	} {
		if got, err := flow.DecodeMatch([]byte(row.oxm)); err != nil || got != row.want {
			t.Errorf("%s: want %v, got %v, %v", row.name, row.want, got, err)
		}
	}
	if m := flow.NewMatch(flow.EqBits(flow.Range(flow.CTLabel, 72, 95), 0x123456)); m.String() != "ct_label=0x123456000000000000000000/0xffffff000000000000000000" {
		t.Errorf("bits of a wide field: got %s", m)
	}
	if m := flow.NewMatch(flow.EqBit(flow.CTLabel, 64, true)); m.String() != "ct_label=0x10000000000000000/0x10000000000000000" {
		t.Errorf("bit 64 of the label: got %s", m)
	}
}
