// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/capture"
	"github.com/contiv/contiv/ofnet/ofnettest"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// tracing is an agent whose switch has endpoint web, a tunnel from h2 and a trunk.
type tracing struct{ agent }

func (tracing) View(fn func(*ofnet.State)) { fn(state()) }

func state() *ofnet.State {
	s := ofnet.NewState("h1")
	s.Local = ofnet.Ports{Tunnel: 1000, Uplink: 1001, Host: 1002}
	s.Hosts.Set("h1", &ofnet.Host{Label: "h1", VTEP: netip.MustParseAddr("192.168.251.1")})
	s.Hosts.Set("h2", &ofnet.Host{Label: "h2", VTEP: netip.MustParseAddr("192.168.251.2")})
	s.Segments.Set("t:blue", &ofnet.Segment{Name: "t:blue", Tenant: "t", Encap: ofnet.VXLAN, Tag: 1, Gateway4: netip.MustParseAddr("10.1.1.254")})
	s.Segments.Set("t:red", &ofnet.Segment{Name: "t:red", Encap: ofnet.VLAN, Tag: 7})
	s.Endpoints.Set("web", &ofnet.Endpoint{ID: "web", Segment: "t:blue", Host: "h1", Port: 1})
	s.Endpoints.Set("far", &ofnet.Endpoint{ID: "far", Host: "h2"})
	return s
}

func packetTo(protocol, dst string) model.TracePacket {
	return model.TracePacket{SrcMAC: "02:02:0a:01:01:02", DstMAC: model.RouterMAC, Src: "10.1.1.2", Dst: dst, Protocol: protocol, SrcPort: 40000, DstPort: 80}
}

func TestPacketText(t *testing.T) {
	const macs = ",dl_src=02:02:0a:01:01:02,dl_dst=00:00:11:11:11:11,nw_src=10.1.1.2,nw_dst=10.1.1.1,nw_ttl=64,dp_hash=1"
	six := packetTo("icmp", "2001:db8::1")
	six.Src = "2001:db8::2"
	rows := []struct {
		ask         model.TraceRequest
		want, fails string
	}{
		{ask: model.TraceRequest{From: "endpoint/web", Packet: packetTo("tcp", "10.1.1.1")}, want: "in_port=1,tcp,tcp_src=40000,tcp_dst=80,tcp_flags=0x002" + macs},
		{ask: model.TraceRequest{From: "endpoint/web", Answer: true, Packet: packetTo("tcp", "10.1.1.1")}, want: "in_port=1,tcp,tcp_src=40000,tcp_dst=80,tcp_flags=0x012" + macs},
		{ask: model.TraceRequest{From: "endpoint/web", Packet: packetTo("icmp", "10.1.1.1")}, want: "in_port=1,icmp,icmp_type=8,icmp_code=0" + macs},
		{ask: model.TraceRequest{From: "host/h2", Network: "t:blue", Packet: packetTo("udp", "10.1.1.1")},
			want: "in_port=1000,tun_id=1,tun_src=192.168.251.2,tun_dst=192.168.251.1,udp,udp_src=40000,udp_dst=80" + macs},
		{ask: model.TraceRequest{From: "uplink", Network: "t:red", Packet: packetTo("udp", "10.1.1.1")}, want: "in_port=1001,dl_vlan=7,dl_vlan_pcp=0,udp,udp_src=40000,udp_dst=80" + macs},
		{ask: model.TraceRequest{From: "endpoint/web", Answer: true, Packet: six},
			want: "in_port=1,icmp6,icmpv6_type=129,icmpv6_code=0,dl_src=02:02:0a:01:01:02,dl_dst=00:00:11:11:11:11,ipv6_src=2001:db8::2,ipv6_dst=2001:db8::1,nw_ttl=64,dp_hash=1"},
		{ask: model.TraceRequest{From: "endpoint/far", Packet: packetTo("udp", "10.1.1.1")}, fails: "not attached"},
		{ask: model.TraceRequest{From: "host/h3", Network: "t:blue", Packet: packetTo("udp", "10.1.1.1")}, fails: "no tunnel"},
		{ask: model.TraceRequest{From: "uplink", Network: "t:blue", Packet: packetTo("udp", "10.1.1.1")}, fails: "does not come by an uplink"},
		{ask: model.TraceRequest{From: "nowhere", Packet: packetTo("udp", "10.1.1.1")}, fails: "none of endpoint/ID"},
		{ask: model.TraceRequest{From: "endpoint/web", Packet: packetTo("gre", "10.1.1.1")}, fails: "none of tcp"},
		{ask: model.TraceRequest{From: "endpoint/web", Packet: packetTo("udp", "::1")}, fails: "family"},
	}
	for _, r := range rows {
		got, err := packetText(state(), &r.ask)
		if got != r.want || (err == nil) != (r.fails == "") || err != nil && !strings.Contains(err.Error(), r.fails) {
			t.Errorf("%+v: want %q and an error with %q, got %q, %v", r.ask, r.want, r.fails, got, err)
		}
	}
}

// A trunk of several members: what comes in comes by the active one, and each is a way out.
func TestTrace_Uplinks(t *testing.T) {
	s := state()
	s.Local.Backup, s.Local.Active = []uint32{1003}, 1003
	ask := model.TraceRequest{From: "uplink", Network: "t:red"}
	if got, err := ingressMatch(s, &ask); err != nil || got != "in_port=1003,dl_vlan=7,dl_vlan_pcp=0" {
		t.Errorf("entrance: want the active member, got %q, %v", got, err)
	}
	want := []model.TraceExit{{Port: 1001, To: "uplink", Network: "t:red"}, {Port: 1003, To: "uplink", Network: "t:red"}}
	if got := egressPorts(s, &vswitchd.Trace{Ports: []uint32{1001, 1003}, End: vswitchd.Packet{"dl_vlan": "7"}}); !slices.Equal(got, want) {
		t.Errorf("exits: want %+v, got %+v", want, got)
	}
}

// ovs-vswitchd receives only fields and values for any query.
func FuzzPacketText(f *testing.F) {
	for _, seed := range []string{`{"from":"endpoint/web","packet":{"srcMAC":"router","dstMAC":"router","src":"10.1.1.2","dst":"10.1.1.1","protocol":"tcp"}}`,
		`{"from":"host/h2","network":"t:blue","packet":{"srcMAC":"02:02:0a:01:01:02","dstMAC":"router","src":"fe80::1%a,actions=drop","dst":"::1","protocol":"icmp"}}`} {
		f.Add(seed)
	}
	clean := regexp.MustCompile(`^[a-z0-9_=,.:]+$`)
	f.Fuzz(func(t *testing.T, text string) {
		var ask model.TraceRequest
		if json.Unmarshal([]byte(text), &ask) != nil {
			return
		}
		if got, err := packetText(state(), &ask); err == nil && !clean.MatchString(got) {
			t.Errorf("want only fields and values, got %q", got)
		}
	})
}

// The output of Open vSwitch becomes steps and exits with the names of objects.
func TestTraceRoute(t *testing.T) {
	printed := func(name string) string {
		text, err := os.ReadFile("../../../ofnet/vswitchd/testdata/" + name + ".txt")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rows := []struct {
		name, text string
		problem    error
		status     int
		want       []model.TraceExit
		last       string // table and what it does
	}{
		{"delivered", printed("allow"), nil, 200, []model.TraceExit{{Port: 1, To: "endpoint/web"}}, "deliver: out where the lookup said"},
		{"tunnel", printed("tunnel"), nil, 200, []model.TraceExit{{Port: 1000, To: "host/h1", Network: "t:blue"}}, "deliver: out where the lookup said"},
		{"dropped", printed("deny"), nil, 200, nil, "refuse: drop"},
		{"no trace", "what?", nil, 503, nil, ""},
		{"no switch", "", errors.New("away"), 503, nil, ""},
	}
	of := url.Values{"of": {`{"from":"endpoint/web","packet":{"srcMAC":"router","dstMAC":"router","src":"10.1.1.2","dst":"10.1.1.1","protocol":"tcp"}}`}}.Encode()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			h := Handler(Options{Drift: drift{}, Forward: &tracing{}, Pipeline: pipeline.Default(), Now: time.Now, Bounds: NewBounds(recorded), Driver: func() Driver { return Driver{Bridge: "contiv0"} },
				Status:  func() model.AgentStatus { return model.AgentStatus{Host: "h1"} },
				Control: func(context.Context, string, ...string) (string, error) { return r.text, r.problem }})
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/inspect/trace?"+of, nil))
			if w.Code != r.status {
				t.Fatalf("want %d, got %d %s", r.status, w.Code, w.Body)
			}
			if r.status != http.StatusOK {
				return
			}
			var got model.Trace
			if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil {
				t.Fatal(err)
			}
			last := got.Steps[len(got.Steps)-1]
			if len(got.Outputs) != len(r.want) || len(r.want) > 0 && got.Outputs[0] != r.want[0] || last.Table+": "+last.Does != r.last || got.After.Dst != "10.1.1.1" {
				t.Errorf("want exits %+v after %q, got %+v after %+v", r.want, r.last, got.Outputs, last)
			}
		})
	}
}

// A question for names goes to the agent: the trace is of one that has no answer and continues, or ends there when the gateway was asked.
func TestTrace_Question(t *testing.T) {
	question, err := os.ReadFile("../../../ofnet/vswitchd/testdata/question.txt")
	if err != nil {
		t.Fatal(err)
	}
	onward, err := os.ReadFile("../../../ofnet/vswitchd/testdata/allow.txt")
	if err != nil {
		t.Fatal(err)
	}
	for dst, want := range map[string]string{"10.1.1.1": "endpoint/web", "10.1.1.254": "agent"} {
		var asked []string
		h := Handler(Options{Drift: drift{}, Forward: &tracing{}, Pipeline: pipeline.Default(), Now: time.Now, Bounds: NewBounds(recorded), Driver: func() Driver { return Driver{Bridge: "contiv0"} },
			Status: func() model.AgentStatus { return model.AgentStatus{Host: "h1"} },
			Control: func(_ context.Context, _ string, args ...string) (string, error) {
				if asked = append(asked, args[1]); len(asked) == 1 {
					return string(question), nil
				}
				return string(onward), nil
			}})
		of := url.Values{"of": {`{"from":"endpoint/web","packet":{"srcMAC":"router","dstMAC":"router","src":"10.1.1.2","dst":"` + dst + `","protocol":"udp","dstPort":53}}`}}.Encode()
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/inspect/trace?"+of, nil))
		var got model.Trace
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || !got.Agent || len(got.Outputs) != 1 || got.Outputs[0].To != want {
			t.Errorf("to %s: want it seen by the agent, and %s as the exit, got %+v, %v", dst, want, got, err)
		}
		if len(asked) != 2 || asked[1] != asked[0]+",reg0=0x10000" {
			t.Errorf("to %s: want the packet, and once more as it continues, got %q", dst, asked)
		}
	}
}

// The answer within a connection bears the generation of the tenant's rules, by which the switch knows that it was admitted.
func TestPacketText_Admitted(t *testing.T) {
	s := state()
	s.Groups.Set("t:g", &ofnet.Group{Name: "t:g", Tenant: "t", ID: 5})
	ofnettest.SetRule(s, "t:g", &ofnet.Rule{ID: ofnettest.RuleID("t:g", "r"), Direction: ofnet.In, Priority: 1})
	mark := fmt.Sprintf("ct_mark=%#x", s.Tracking("t").Generation)
	for _, ask := range []model.TraceRequest{{From: "endpoint/web", Answer: true, Packet: packetTo("udp", "10.1.1.1")},
		{From: "host/h2", Network: "t:blue", Answer: true, Packet: packetTo("udp", "10.1.1.1")}, {From: "endpoint/web", Packet: packetTo("udp", "10.1.1.1")}} {
		got, err := packetText(s, &ask)
		if err != nil || strings.HasSuffix(got, mark) != ask.Answer || strings.Contains(got, "ct_mark") != ask.Answer {
			t.Errorf("%+v: want only %s in answers, got %q, %v", ask, mark, got, err)
		}
	}
}

func TestCaptureRefuses(t *testing.T) {
	h := Handler(Options{Drift: drift{}, Forward: &agent{}, Attach: &agent{}, Pipeline: pipeline.Default(), Now: time.Now, Bounds: NewBounds(recorded),
		Packets: func(string) (capture.Source, error) { return nil, errors.New("no such device") }})
	for query, want := range map[string]int{"endpoint=other": 400, "endpoint=t:n:c1&filter=x": 400, "endpoint=t:n:c1&packets=0": 400,
		"endpoint=t:n:c1&seconds=9999": 400, "endpoint=t:n:c1": 503} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/inspect/capture?"+query, nil))
		if w.Code != want {
			t.Errorf("%s: want %d, got %d %s", query, want, w.Code, w.Body)
		}
	}
}

// Every filter in the documentation is valid.
func TestCaptureFilter(t *testing.T) {
	_, words, _ := strings.Cut(model.CaptureFilter, ": ")
	words, _, _ = strings.Cut(words, ";")
	conditions := strings.Split(strings.NewReplacer("[src|dst] ", "", "ADDRESS", "10.1.1.1", "NUMBER", "80").Replace(words), ", ")
	if _, err := capture.ParseFilter("not " + strings.Join(conditions, " and ")); err != nil || len(conditions) < 9 {
		t.Errorf("%q: %v", conditions, err)
	}
}
