// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// counting is an agent whose switch has counted something of endpoint c1, in a group that has a limit or not.
type counting struct {
	agent
	limit uint32
	hits  map[pipeline.Counter]bridge.Hits
	err   error
}

func (c *counting) View(fn func(*ofnet.State)) {
	s := ofnet.NewState("h1")
	s.Groups.Set("g", &ofnet.Group{Name: "g", Profile: ofnet.Profile{ReceiveRate: c.limit}})
	s.Endpoints.Set("c1", &ofnet.Endpoint{ID: "c1", Group: "g"})
	fn(s)
}

func (c *counting) HitsOf(_ context.Context, cookie flow.Cookie) (bridge.Hits, error) {
	for counter, h := range c.hits {
		if cookie == pipeline.Default().Counted(counter, "c1") {
			return h, c.err
		}
	}
	return bridge.Hits{}, c.err
}

// The traffic of an endpoint counts since the newest of the flows that count it; refused packets are reported if they are known.
func TestTraffic(t *testing.T) {
	hits := func(packets uint64, seconds uint32) bridge.Hits {
		return bridge.Hits{Packets: packets, Bytes: 100 * packets, Flows: 1, Seconds: seconds}
	}
	all := func(offered, sent, received bridge.Hits) map[pipeline.Counter]bridge.Hits {
		return map[pipeline.Counter]bridge.Hits{pipeline.Offered: offered, pipeline.Sent: sent, pipeline.Received: received}
	}
	for _, test := range []struct {
		name string
		counting
		path   string
		status int
		want   string
	}{
		{"both ways", counting{hits: all(hits(9, 61), hits(7, 60), hits(5, 60))}, "c1", 200,
			`{"since":"2026-01-02T03:03:05Z","sent":{"packets":7,"bytes":700},"refused":{"packets":2,"bytes":200},"received":{"packets":5,"bytes":500}}`},
		{"idle", counting{hits: all(hits(0, 0), hits(0, 0), hits(0, 0))}, "c1", 200,
			`{"since":"2026-01-02T03:04:05Z","sent":{"packets":0,"bytes":0},"refused":{"packets":0,"bytes":0},"received":{"packets":0,"bytes":0}}`},
		{"sent while it was read", counting{hits: all(hits(6, 60), hits(7, 60), hits(5, 60))}, "c1", 200,
			`{"since":"2026-01-02T03:03:05Z","sent":{"packets":7,"bytes":700},"refused":{"packets":0,"bytes":0},"received":{"packets":5,"bytes":500}}`},
		{"the flow that counts what is sent was put back", counting{hits: all(hits(9, 60), hits(1, 5), hits(5, 60))}, "c1", 200,
			`{"since":"2026-01-02T03:04:00Z","sent":{"packets":1,"bytes":100},"received":{"packets":5,"bytes":500}}`},
		{"with a limit for receiving", counting{limit: 1000, hits: all(hits(7, 60), hits(7, 60), hits(5, 9))}, "c1", 200,
			`{"since":"2026-01-02T03:03:56Z","sent":{"packets":7,"bytes":700},"refused":{"packets":0,"bytes":0},"received":{"packets":5,"bytes":500},"limited":true}`},
		{"of another host", counting{hits: all(hits(9, 60), hits(7, 60), hits(5, 60))}, "c2", 404, `endpoint "c2" has no flows here; is it attached to this host?`},
		{"no switch", counting{err: errors.New("gone")}, "c1", 503, "read the counters of endpoint c1: gone"},
	} {
		t.Run(test.name, func(t *testing.T) {
			o := Options{Forward: &test.counting, Pipeline: pipeline.Default(), Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
			w := httptest.NewRecorder()
			o.traffic(w, httptest.NewRequest(http.MethodGet, "/inspect/traffic?of="+test.path, nil))
			if got := w.Body.String(); w.Code != test.status || got != test.want+"\n" {
				t.Errorf("want %d %s, got %d %s", test.status, test.want, w.Code, got)
			}
		})
	}
}

// counted is an agent whose switch has counted of two endpoints here and, before it was moved, of one that is elsewhere.
type counted struct{ agent }

func (counted) View(fn func(*ofnet.State)) {
	s := ofnet.NewState("h1")
	for id, host := range map[string]string{"t:n:c1": "h1", "red:n:c1": "h1", "t:n:c2": "h2"} {
		s.Endpoints.Set(id, &ofnet.Endpoint{ID: id, Group: "t:g", Host: host})
	}
	fn(s)
}

func (counted) Hits(_ context.Context, feature uint8) (map[uint64]bridge.Hits, error) {
	of := func(id string) uint64 { return flow.Owner(ofnet.Key{Kind: ofnet.KindEndpoint, Name: id}) }
	n := uint64(2)
	if feature == pipeline.Default().Number(string(pipeline.Received)) {
		n = 5
	}
	h := bridge.Hits{Packets: n, Bytes: 100 * n}
	return map[uint64]bridge.Hits{of("t:n:c1"): h, of("red:n:c1"): h, of("t:n:c2"): h}, nil
}

// The counters of a tenant are those of its endpoints on this host.
func TestCounters(t *testing.T) {
	o := Options{Forward: &counted{}, Pipeline: pipeline.Default(), Called: func(string) string { return "t/web" }, Now: func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }}
	w := httptest.NewRecorder()
	o.counters(w, httptest.NewRequest(http.MethodGet, "/inspect/counters?of=t", nil))
	const want = `{"host":"","took":"2026-01-02T03:04:05Z","endpoints":[{"endpoint":"t:n:c1","container":"t/web","group":"t:g","sent":{"packets":2,"bytes":200},"received":{"packets":5,"bytes":500}}]}`
	if got := w.Body.String(); w.Code != http.StatusOK || got != want+"\n" {
		t.Errorf("got %d %s", w.Code, got)
	}
}
