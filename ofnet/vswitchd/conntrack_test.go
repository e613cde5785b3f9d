// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"errors"
	"net/netip"
	"reflect"
	"strings"
	"testing"
)

const (
	tcpLine    = "tcp,orig=(src=10.1.1.1,dst=10.1.1.2,sport=57692,dport=8080),reply=(src=10.1.1.2,dst=10.1.1.1,sport=8080,dport=57692),zone=7,timeout=28,mark=5,labels=0x200000001,protoinfo=(state=TIME_WAIT)"
	icmpLine   = "icmp,orig=(src=10.1.1.1,dst=10.1.1.2,id=27679,type=8,code=0),reply=(src=10.1.1.2,dst=10.1.1.1,id=27679,type=0,code=0),id=0,zone=7,status=0,timeout=27,mark=5,labels=0x200000001"
	kernelLine = "udp,orig=(src=fd01::1,dst=fd01::2,sport=9,dport=53,packets=3,bytes=180),reply=(src=fd01::2,dst=fd01::1,sport=53,dport=9,packets=1,bytes=90),start=2026-01-02T03:04:05.006,zone=32775,timeout=29,mark=2147483653,labels=0x10000000000000000"
	bothLine   = "tcp,orig=(src=10.1.1.1,dst=10.1.1.2,sport=1,dport=2),reply=(src=10.1.1.2,dst=10.1.1.1,sport=2,dport=1),protoinfo=(state_orig=FIN_WAIT_2,state_reply=TIME_WAIT,wscale_orig=7,wscale_reply=7)"
)

func TestParseConnections(t *testing.T) {
	a, b, a6, b6 := netip.MustParseAddr("10.1.1.1"), netip.MustParseAddr("10.1.1.2"), netip.MustParseAddr("fd01::1"), netip.MustParseAddr("fd01::2")
	want := []Connection{
		{Protocol: 6, Orig: Tuple{Src: a, Dst: b, SrcPort: 57692, DstPort: 8080}, Reply: Tuple{Src: b, Dst: a, SrcPort: 8080, DstPort: 57692}, Zone: 7, Mark: 5,
			Label: [2]uint64{0x200000001, 0}, State: "TIME_WAIT"},
		{Protocol: 1, Orig: Tuple{Src: a, Dst: b, ICMPID: 27679, ICMPType: 8}, Reply: Tuple{Src: b, Dst: a, ICMPID: 27679}, Zone: 7, Mark: 5, Label: [2]uint64{0x200000001, 0}},
		{Protocol: 17, Orig: Tuple{Src: a6, Dst: b6, SrcPort: 9, DstPort: 53}, Reply: Tuple{Src: b6, Dst: a6, SrcPort: 53, DstPort: 9}, To: &Count{3, 180}, From: &Count{1, 90},
			Zone: 32775, Mark: 2147483653, Label: [2]uint64{0, 1}},
		{Protocol: 6, Orig: Tuple{Src: a, Dst: b, SrcPort: 1, DstPort: 2}, Reply: Tuple{Src: b, Dst: a, SrcPort: 2, DstPort: 1}, State: "FIN_WAIT_2"},
	}
	var got []Connection
	text := strings.Join([]string{tcpLine, icmpLine, "", kernelLine, bothLine, ""}, "\n")
	if err := ParseConnections(text, 4, func(e *Connection) { got = append(got, *e) }); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("want %+v, got %+v, %v", want, got, err)
	}
	if !want[0].Closed() || want[3].Closed() || want[0].Opening() || !(&Connection{State: "SYN_SENT"}).Opening() {
		t.Error("wrong states")
	}
	n := 0
	if err := ParseConnections(text, 3, func(*Connection) { n++ }); !errors.Is(err, ErrMoreConnections) || n != 3 {
		t.Errorf("want three, and that there are more, got %d, %v", n, err)
	}
}

func TestParseConnectionsRefuses(t *testing.T) {
	for name, line := range map[string]string{
		"an unknown protocol":   strings.Replace(tcpLine, "tcp", "xyz", 1),
		"no reply":              "tcp,orig=(src=10.1.1.1,dst=10.1.1.2,sport=1,dport=2)",
		"two families":          "tcp,orig=(src=10.1.1.1,dst=fd01::2),reply=(src=10.1.1.2,dst=10.1.1.1)",
		"an open parenthesis":   "tcp,orig=(src=10.1.1.1",
		"a port that is none":   strings.Replace(tcpLine, "57692", "99999", 1),
		"a label too long":      strings.Replace(tcpLine, "0x200000001", "0x200000000000000000000000000000001", 1),
		"a field without value": tcpLine + ",what",
		"an unknown field":      tcpLine + ",what=1",
		"a comma at the end":    tcpLine + ",",
		"words":                 "ovs-vswitchd: no datapath",
	} {
		if err := ParseConnections(line, 1, func(e *Connection) { t.Errorf("%s: got %+v", name, e) }); err == nil {
			t.Errorf("%s: want an error", name)
		}
	}
}

func FuzzParseConnections(f *testing.F) {
	for _, line := range []string{tcpLine, icmpLine, kernelLine, bothLine} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n := 0
		err := ParseConnections(text, 2, func(e *Connection) {
			n++
			if !e.Orig.Src.IsValid() || !e.Reply.Dst.IsValid() {
				t.Errorf("%q: %+v", text, e)
			}
		})
		if n > 2 || errors.Is(err, ErrMoreConnections) && n != 2 {
			t.Errorf("%q: %d, %v", text, n, err)
		}
	})
}
