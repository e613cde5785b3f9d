// SPDX-License-Identifier: Apache-2.0

package rates_test

import (
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
)

func host(name string, second int, endpoints ...model.EndpointCounter) model.HostCounters {
	return model.HostCounters{Host: name, ReadAt: time.Unix(int64(second), 0), Endpoints: endpoints}
}

func endpoint(name, group string, sent, received uint64) model.EndpointCounter {
	return model.EndpointCounter{Endpoint: name, Container: "of " + name, Group: group, Sent: model.FlowCount{Packets: sent / 100, Bytes: sent}, Received: model.FlowCount{Packets: received / 100, Bytes: received}}
}

func names(lines []rates.Line) (out []string) {
	for _, l := range lines {
		out = append(out, l.Name)
	}
	return out
}

// Rates follow from two readings, added up by group and by host, the largest first.
func TestMeter(t *testing.T) {
	var m rates.Meter
	m.Add(&model.Counters{Hosts: []model.HostCounters{
		host("h1", 10, endpoint("t:n:a", "t:web", 1000, 0), endpoint("t:n:b", "", 0, 0)), host("h2", 50, endpoint("t:n:c", "t:web", 0, 5000))}})
	if m.Known() || len(m.Lines(rates.Endpoints)) != 0 {
		t.Error("one reading has no rate")
	}
	m.Add(&model.Counters{Hosts: []model.HostCounters{
		host("h1", 12, endpoint("t:n:a", "t:web", 3000, 0), endpoint("t:n:b", "", 0, 0)), host("h2", 54, endpoint("t:n:c", "t:web", 0, 13000))}})
	if got, want := names(m.Lines(rates.Endpoints)), []string{"t:n:c", "t:n:a", "t:n:b"}; !m.Known() || !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	a := m.Lines(rates.Endpoints)[1]
	if a.Sent != (rates.Flow{Packets: 10, Bytes: 1000}) || a.Received != (rates.Flow{}) || a.On != "h1" || a.Container != "of t:n:a" {
		t.Errorf("got %+v", a)
	}
	if g := m.Lines(rates.Groups); len(g) != 1 || g[0].Sent.Bytes != 1000 || g[0].Received.Bytes != 2000 || g[0].On != "" {
		t.Errorf("got groups %+v", g)
	}
	if h := m.Lines(rates.Hosts); len(h) != 2 || h[0].Name != "h2" || h[0].Total() != 2000 || h[1].Total() != 1000 {
		t.Errorf("got hosts %+v", h)
	}
}

// An endpoint that leaves takes nothing from the rate of those that stay; one that comes counts from its first packet; a counter that
// begins again counts what it shows.
func TestMeterBeginsAgain(t *testing.T) {
	var m rates.Meter
	m.Add(&model.Counters{Hosts: []model.HostCounters{host("h1", 1, endpoint("a", "g", 8000, 0), endpoint("b", "g", 100, 0))}})
	m.Add(&model.Counters{Hosts: []model.HostCounters{host("h1", 2, endpoint("b", "g", 300, 0), endpoint("c", "g", 50, 0))}})
	if g := m.Lines(rates.Groups)[0]; g.Sent.Bytes != 250 {
		t.Errorf("got %v", g)
	}
	m.Add(&model.Counters{Hosts: []model.HostCounters{host("h1", 3, endpoint("b", "g", 7, 0))}})
	if g := m.Lines(rates.Groups)[0]; g.Sent.Bytes != 7 || !slices.Equal(g.Past, []float64{250, 7}) {
		t.Errorf("got %v", g)
	}
}

// A host that is unknown, or was for longer than a minute, has no rate, instead of 0 or a wrong one.
func TestMeterUnknown(t *testing.T) {
	var m rates.Meter
	silent := model.HostCounters{Host: "h1", Unknown: "no answer"}
	for _, h := range []model.HostCounters{host("h1", 1, endpoint("a", "g", 0, 0)), silent, host("h1", 3, endpoint("a", "g", 9000, 0))} {
		m.Add(&model.Counters{Hosts: []model.HostCounters{h}})
		if got := m.Lines(rates.Hosts); len(got) != 0 {
			t.Errorf("got %v", got)
		}
	}
	m.Add(&model.Counters{Hosts: []model.HostCounters{host("h1", 100, endpoint("a", "g", 99000, 0))}})
	if got := m.Lines(rates.Hosts); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	m.Add(&model.Counters{Hosts: []model.HostCounters{host("h1", 101, endpoint("a", "g", 99000, 0))}})
	if got := m.Lines(rates.Hosts); len(got) != 1 || got[0].Total() != 0 {
		t.Errorf("a quiet host: got %v", got)
	}
}

// A rule that several groups and hosts have is one line; the past is bounded.
func TestMeterRules(t *testing.T) {
	var m rates.Meter
	for i := range 2 * rates.Kept {
		n := model.FlowCount{Packets: uint64(i), Bytes: uint64(100 * i)}
		m.Add(&model.Counters{Hosts: []model.HostCounters{{Host: "h1", ReadAt: time.Unix(int64(i), 0), Rules: []model.RuleCounter{
			{Rule: "t:p:1", Group: "t:a", Hits: n}, {Rule: "t:p:1", Group: "t:b", Hits: n}}}}})
	}
	r := m.Lines(rates.Rules)
	if len(r) != 1 || r[0].Sent != (rates.Flow{Packets: 2, Bytes: 200}) || len(r[0].Past) != rates.Kept || r[0].Past[3] != 2 {
		t.Errorf("got %+v", r)
	}
}
