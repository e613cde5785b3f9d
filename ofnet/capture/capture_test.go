// SPDX-License-Identifier: Apache-2.0

package capture_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"github.com/contiv/contiv/ofnet/capture"
)

// frame is an Ethernet frame of the layers above.
func frame(tb testing.TB, kind layers.EthernetType, above ...gopacket.SerializableLayer) []byte {
	tb.Helper()
	mac := net.HardwareAddr{2, 0, 0, 0, 0, 1}
	all := append([]gopacket.SerializableLayer{&layers.Ethernet{SrcMAC: mac, DstMAC: mac, EthernetType: kind}}, above...)
	b := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, all...); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func ip(protocol layers.IPProtocol) *layers.IPv4 {
	return &layers.IPv4{Version: 4, TTL: 64, Protocol: protocol, SrcIP: net.IP{10, 1, 1, 1}, DstIP: net.IP{10, 1, 1, 2}}
}

func frames(tb testing.TB) map[string][]byte {
	arp := func(operation uint16) []byte {
		return frame(tb, layers.EthernetTypeARP, &layers.ARP{AddrType: layers.LinkTypeEthernet, Protocol: layers.EthernetTypeIPv4, Operation: operation,
			HwAddressSize: 6, ProtAddressSize: 4, SourceHwAddress: []byte{2, 2, 10, 1, 1, 1}, SourceProtAddress: []byte{10, 1, 1, 1},
			DstHwAddress: make([]byte, 6), DstProtAddress: []byte{10, 1, 1, 9}})
	}
	return map[string][]byte{
		"tcp": frame(tb, layers.EthernetTypeIPv4, ip(layers.IPProtocolTCP), &layers.TCP{SrcPort: 4000, DstPort: 80, SYN: true}),
		"udp": frame(tb, layers.EthernetTypeIPv4, ip(layers.IPProtocolUDP), &layers.UDP{SrcPort: 53, DstPort: 4000}),
		"icmp": frame(tb, layers.EthernetTypeIPv4, ip(layers.IPProtocolICMPv4),
			&layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(layers.ICMPv4TypeEchoRequest, 0)}),
		"arp": arp(layers.ARPRequest), "arp reply": arp(layers.ARPReply),
	}
}

func TestFilter(t *testing.T) {
	rows := []struct{ filter, takes string }{
		{"", "arp icmp tcp udp"}, {"tcp", "tcp"}, {"ip", "icmp tcp udp"}, {"not tcp", "arp icmp udp"}, {"arp", "arp"},
		{"host 10.1.1.2", "icmp tcp udp"}, {"host 10.1.1.9", "arp"}, {"src host 10.1.1.1", "arp icmp tcp udp"}, {"dst host 10.1.1.1", ""},
		{"port 4000", "tcp udp"}, {"dst port 80", "tcp"}, {"src port 80", ""}, {"udp and src port 53", "udp"}, {"ip and not port 80 and not icmp", "udp"},
	}
	for _, r := range rows {
		f, err := capture.ParseFilter(r.filter)
		if err != nil {
			t.Errorf("%q: %v", r.filter, err)
			continue
		}
		var took []string
		for _, name := range []string{"arp", "icmp", "tcp", "udp"} {
			if f.Matches(frames(t)[name]) {
				took = append(took, name)
			}
		}
		if got := strings.Join(took, " "); got != r.takes {
			t.Errorf("%q: want %q, got %q", r.filter, r.takes, got)
		}
	}
	for _, bad := range []string{"tcp udp", "host", "host absent", "port 99999", "port", "src tcp", "not", "tcp and", "and", "or"} {
		if _, err := capture.ParseFilter(bad); err == nil {
			t.Errorf("%q: want an error, got none", bad)
		}
	}
}

func TestLine(t *testing.T) {
	for name, want := range map[string]string{"tcp": "10.1.1.1:4000 > 10.1.1.2:80 TCP SYN, 60 bytes", "udp": "10.1.1.1:53 > 10.1.1.2:4000 UDP, 60 bytes",
		"icmp": "10.1.1.1 > 10.1.1.2 ICMPv4 EchoRequest, 60 bytes", "arp": "10.1.1.1 > 10.1.1.9 ARP request, 60 bytes",
		"arp reply": "10.1.1.1 > 10.1.1.9 ARP reply from 02:02:0a:01:01:01, 60 bytes"} {
		if got := capture.Line(frames(t)[name]); got != want {
			t.Errorf("%s: want %q, got %q", name, want, got)
		}
	}
}

// source yields frames again and again, or, once they are used up, nothing until it is closed.
type source struct {
	frames [][]byte
	again  bool
	next   int
	once   sync.Once
	closed chan struct{}
}

func (s *source) ReadPacketData() ([]byte, gopacket.CaptureInfo, error) {
	if s.next >= len(s.frames) && !s.again {
		<-s.closed
		return nil, gopacket.CaptureInfo{}, errors.New("closed")
	}
	data := s.frames[s.next%len(s.frames)]
	s.next++
	return data, gopacket.CaptureInfo{Timestamp: time.Unix(1, 0), CaptureLength: len(data), Length: len(data), InterfaceIndex: 77}, nil
}

func (s *source) Close() error {
	s.once.Do(func() { close(s.closed) })
	return nil
}

// packets counts those of a file, and returns the interface's comment.
func packets(t *testing.T, file []byte) (n int, comment string) {
	t.Helper()
	r, err := pcapgo.NewNgReader(bytes.NewReader(file), pcapgo.NgReaderOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, _, err := r.ReadPacketData(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		n++
	}
	at, err := r.Interface(0)
	if err != nil {
		t.Fatal(err)
	}
	return n, at.Comment
}

// A capture ends at each of its limits, and with its reader; its file is whole, and its source closed.
func TestWriteEnds(t *testing.T) {
	all := frames(t)
	tcp, err := capture.ParseFilter("tcp")
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	rows := []struct {
		name   string
		ctx    context.Context
		limits capture.Limits
		again  bool
		want   int
	}{
		{"packets", t.Context(), capture.Limits{Packets: 3, Bytes: 1 << 20, For: time.Hour}, true, 3},
		{"bytes", t.Context(), capture.Limits{Packets: 1000, Bytes: int64(5 * len(all["tcp"])), For: time.Hour}, true, 5},
		{"time", t.Context(), capture.Limits{Packets: 1000, Bytes: 1 << 20, For: time.Millisecond}, false, -1},
		{"reader", gone, capture.Limits{Packets: 1000, Bytes: 1 << 20, For: time.Hour}, false, -1},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			src := &source{frames: [][]byte{all["udp"], all["tcp"]}, again: r.again, closed: make(chan struct{})}
			var file bytes.Buffer
			flushed := 0
			err := capture.Write(r.ctx, src, capture.Interface("vv0", "endpoint c"), tcp, r.limits, &file, func() error { flushed++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			<-src.closed
			n, comment := packets(t, file.Bytes())
			if r.want >= 0 && (n != r.want || flushed != n+1) || comment != "endpoint c" {
				t.Errorf("want %d packets of \"endpoint c\", each flushed, got %d of %q, %d flushes", r.want, n, comment, flushed)
			}
		})
	}
}

func TestWriteFails(t *testing.T) {
	src := &source{frames: [][]byte{frames(t)["tcp"]}, again: true, closed: make(chan struct{})}
	away := errors.New("away")
	err := capture.Write(t.Context(), src, capture.Interface("vv0", ""), capture.Filter{}, capture.Limits{Packets: 5, Bytes: 1 << 20, For: time.Hour},
		io.Discard, func() error { return away })
	if !errors.Is(err, away) {
		t.Errorf("want the error of flush, got %v", err)
	}
	<-src.closed
}

func FuzzFilter(f *testing.F) {
	f.Add("tcp and not src port 80", frames(f)["tcp"])
	f.Add("host 10.1.1.1", frames(f)["arp"])
	f.Add("dst host ::1", []byte{1, 2, 3})
	f.Fuzz(func(t *testing.T, text string, data []byte) {
		filter, err := capture.ParseFilter(text)
		if err == nil && strings.TrimSpace(text) == "" && !filter.Matches(data) {
			t.Error("an empty filter: want all taken")
		}
		_ = filter.Matches(data)
		if capture.Line(data) == "" {
			t.Error("want a line, got none")
		}
	})
}
