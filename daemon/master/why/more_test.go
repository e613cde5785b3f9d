// SPDX-License-Identifier: Apache-2.0

package why_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/why"
)

// grouped returns the explainer of a cluster with group web on h1, h2 and h3, and db on h1. The agent of h3 does not answer. A rule denies
// port 22, and only the switch of h2 denies port 99.
func grouped(t *testing.T, probe why.Prober) *why.Explainer {
	t.Helper()
	w := enginetest.Start(t, enginetest.Options{})
	w.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254", "policy p", "rule p:ssh direction=in protocol=tcp port=22 action=deny",
		"group web networkName=blue policies=p", "attach blue web-1 group=web host=h1", "attach blue web-2 group=web host=h2", "attach blue web-3 group=web host=h2",
		"attach blue web-4 group=web host=h3", "attach blue db host=h1")
	at := map[string]string{"10.1.1.1": "web-1", "10.1.1.2": "web-2", "10.1.1.3": "web-3", "10.1.1.4": "web-4", "10.1.1.5": "db"}
	on := map[string]string{"web-1": "h1", "db": "h1", "web-2": "h2", "web-3": "h2", "web-4": "h3"}
	switchOf := func(host string) func(model.TraceRequest) []model.TraceExit {
		return func(q model.TraceRequest) []model.TraceExit {
			switch to := at[q.Packet.Dst]; {
			case q.Packet.DstPort == 22 || q.Packet.DstPort == 99 && host == "h2":
				return nil
			case on[to] == host:
				return []model.TraceExit{{To: "endpoint/default:blue:" + to}}
			default:
				return []model.TraceExit{{To: "host/" + on[to], Network: "default:blue"}}
			}
		}
	}
	trace := exits(map[string]func(model.TraceRequest) []model.TraceExit{"h1": switchOf("h1"), "h2": switchOf("h2"), "h3": nil})
	return why.New(w.Catalog, trace, probe, history.Keep{})
}

// An answer ends with the last change of the deciding object, and with a command that shows more.
func TestWhyEnds(t *testing.T) {
	asker := grouped(t, nil)
	for _, r := range []struct {
		from, to      string
		port          int
		changed, next string
	}{
		{"db", "web-2", 22, "endpoint default:blue:db", "netctl history rule default:p:ssh"},
		{"web-1", "web-2", 0, "endpoint default:blue:web-2", "netctl why endpoint/default:blue:web-1 endpoint/default:blue:web-2 icmp --probe"},
		{"web-1", "web-2", 99, "endpoint default:blue:web-2", "netctl drift h2"},
		{"web-1", "web-4", 0, "endpoint default:blue:web-4", "netctl node ls -o wide"},
		{"8.8.8.8", "web-1", 0, "endpoint default:blue:web-1", "netctl capture endpoint/default:blue:web-1"},
	} {
		got, err := asker.Ask(t.Context(), model.WhyRequest{From: r.from, To: r.to, Port: r.port})
		if err != nil || got.Changed == nil || got.Changed.Kind+" "+got.Changed.Key != r.changed || got.Changed.At.IsZero() || got.Changed.By.String() == "" || got.Next != r.next {
			t.Errorf("%s %s %d: want the change of %s and %q, got %+v and %q (%v)", r.from, r.to, r.port, r.changed, r.next, got.Changed, got.Next, err)
		}
	}
}

// For groups, each pair of one container per host is examined, and the answer is the worst verdict.
func TestWhyEach(t *testing.T) {
	asker := grouped(t, nil)
	for _, r := range []struct {
		from, to string
		port     int
		ways     string // verdict and containers
		verdict  model.Verdict
		text     string
	}{
		{"db", "group/web", 0, "allowed db web-1, allowed db web-2, unknown db web-4", "unknown", "Of 3 ways 1 unknown, 2 allowed. From default:blue:db to default:blue:web-4: "},
		{"db", "group/web", 22, "denied db web-1, denied db web-2, denied db web-4", "denied", "All 3 ways: rule default:p:ssh denies tcp 22"},
		{"db", "group/web", 99, "allowed db web-1, disagree db web-2, unknown db web-4", "disagree", "Of 3 ways 1 disagree, 1 unknown, 1 allowed. From default:blue:db to default:blue:web-2: "},
		{"group/web", "db", 0, "allowed web-1 db, allowed web-2 db, unknown web-4 db", "unknown", "Of 3 ways"},
		{"group/web", "group/web", 0, "allowed web-1 web-2, unknown web-1 web-4, allowed web-2 web-1, unknown web-2 web-4, unknown web-4 web-1, unknown web-4 web-2", "unknown", "Of 6 ways"},
		{"db", "web-1", 0, "", "allowed", "no rule speaks of a ping"},
	} {
		got, err := asker.AskEach(t.Context(), model.WhyRequest{From: r.from, To: r.to, Port: r.port})
		if err != nil {
			t.Fatal(err)
		}
		var ways []string
		name := func(e *model.WhyEnd) string { return strings.TrimPrefix(e.Object, "default:blue:") }
		for i := range got.Each {
			w := &got.Each[i]
			ways = append(ways, string(w.Verdict)+" "+name(&w.From)+" "+name(&w.To))
		}
		if text := strings.Join(ways, ", "); text != r.ways || got.Verdict != r.verdict || !strings.HasPrefix(got.Text, r.text) {
			t.Errorf("%s %s %d: want %s, %q and\n%s\ngot %s, %q and\n%s", r.from, r.to, r.port, r.verdict, r.text, r.ways, got.Verdict, got.Text, text)
		}
	}
	if _, err := asker.AskEach(t.Context(), model.WhyRequest{From: "absent", To: "group/web"}); err == nil || !strings.Contains(err.Error(), `nothing is called "absent"`) {
		t.Errorf("want the error of a name that means nothing, got %v", err)
	}
}

// Only the sender's host sends the probe packet, whose outcome is compared with the verdict.
func TestWhyProbes(t *testing.T) {
	var sent []string
	came := map[string]model.WhyProbe{"web-1": {Verdict: "allowed", Text: "it was answered"}, "web-2": {Verdict: "denied", Text: "nothing came back"}}
	asker := grouped(t, func(_ context.Context, host, endpoint string, p model.TracePacket) (model.WhyProbe, error) {
		sent = append(sent, strings.Join([]string{host, endpoint, p.Protocol, p.Dst}, " "))
		if p.Dst == "10.1.1.4" {
			return model.WhyProbe{}, model.Errorf(model.CodeNotReady, "host", "the agent of h1 did not answer")
		}
		return came[map[string]string{"10.1.1.1": "web-1", "10.1.1.2": "web-2"}[p.Dst]], nil
	})
	for _, r := range []struct {
		from, to string
		port     int
		verdict  model.Verdict
		text     string // what it ends with
		sent     string
	}{
		{"db", "web-1", 0, "allowed", "the switches agree.", "h1 default:blue:db icmp 10.1.1.1"},
		{"db", "web-2", 0, "disagree", "But a packet was sent, and nothing came back.", "h1 default:blue:db icmp 10.1.1.2"},
		{"db", "web-1", 22, "disagree", "But a packet was sent, and it was answered.", "h1 default:blue:db tcp 10.1.1.1"},
		{"db", "web-2", 22, "denied", "the switches agree.", "h1 default:blue:db tcp 10.1.1.2"},
		{"db", "web-4", 0, "unknown", "h3 was not asked: the agent of h3: no switch.", "h1 default:blue:db icmp 10.1.1.4"},
		{"8.8.8.8", "web-1", 0, "unknown", "No switch can be asked about it.", ""},
	} {
		sent = nil
		got, err := asker.Ask(t.Context(), model.WhyRequest{From: r.from, To: r.to, Port: r.port, Probe: true})
		if err != nil || got.Verdict != r.verdict || !strings.HasSuffix(got.Text, r.text) || strings.Join(sent, "; ") != r.sent || got.Probe == nil {
			t.Errorf("%s %s %d: want %s, %q and %q sent, got %s, %q and %q sent (%v)", r.from, r.to, r.port, r.verdict, r.text, r.sent, got.Verdict, got.Text, sent, err)
		}
	}
}

// The refusal of an unknown name suggests the existing name with the most similar spelling.
func TestWhyAlike(t *testing.T) {
	asker := grouped(t, nil)
	for name, want := range map[string]string{"webb": "did you mean web? it is", "wbe-1": "did you mean web-1", "endpoint/wbe-1": "did you mean endpoint/web-1", "host/bd": `nothing is called "host/bd" (it is`,
		"elephant": `nothing is called "elephant" (it is a container`} {
		_, err := asker.Ask(t.Context(), model.WhyRequest{From: name, To: "db"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want an error with %q, got %v", name, want, err)
		}
	}
}
