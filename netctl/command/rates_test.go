// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// counting is a netmaster whose switches count: at each look, c1 of group web has sent 500 packets of 1000 bytes more within two seconds.
func counting(t *testing.T) *httptest.Server {
	looks := uint64(0)
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		n := model.FlowCount{Packets: 500 * looks, Bytes: 500_000 * looks}
		looks++
		h := model.HostCounters{Host: "h1", ReadAt: time.Unix(int64(2*looks), 0),
			Endpoints: []model.EndpointCounter{{Endpoint: "default:blue:c1", Group: "default:web", Sent: n}, {Endpoint: "default:blue:c2", Container: "db", Group: "default:web"}},
			Rules:     []model.RuleCounter{{Rule: "default:p:1", Group: "default:web", Hits: model.FlowCount{Packets: 3 * looks}}}}
		if q.URL.Query().Get("tenant") == "red" {
			h.Endpoints, h.Rules = nil, nil
		}
		_ = json.NewEncoder(w).Encode(model.Counters{Hosts: []model.HostCounters{h, {Host: "h2", Unknown: "no agent runs there"}}})
	}))
	t.Cleanup(master.Close)
	return master
}

// Rates follow from two looks, and a host that says nothing is named.
func TestTop(t *testing.T) {
	const silent = "host h2 not sampled: no agent runs there\n"
	for _, r := range []struct {
		line string
		code int
		out  string
		err  string
	}{
		{"top", 0, "Endpoint         Container  Host  Sends       Packets  Receives  Packets\n" +
			"--------         ---------  ----  -----       -------  --------  -------\n" +
			"default:blue:c1             h1    2 Mbit/s    250 /s   0 bit/s   0 /s\n" +
			"default:blue:c2  db         h1    0 bit/s     0 /s     0 bit/s   0 /s\n", silent},
		{"top groups", 0, "Group        Sends     Packets  Receives  Packets\n" +
			"-----        -----     -------  --------  -------\n" +
			"default:web  2 Mbit/s  250 /s   0 bit/s   0 /s\n", silent},
		{"top endpoints -n 1 -o name", 0, "endpoint/default:blue:c1\n", silent},
		{"top hosts -t red -o jsonpath={[*].sent.bytes}", 0, "0\n", silent},
		{"top rules", 0, "Rule         Decides about  Packets\n" +
			"----         -------------  -------\n" +
			"default:p:1  0 bit/s        1.5 /s\n", silent},
		{"top tenants", 1, "", "endpoints, groups, hosts, rules"},
		{"top --interval 1ms", 1, "", "--interval: got 1ms, want 500ms to 1m"},
		{"top --limit -1", 1, "", "--limit: got -1"},
	} {
		args := strings.Fields(r.line)
		if r.code == 0 {
			args = append(args, "--interval", "500ms")
		}
		got := netctl(t, context.Background(), counting(t).URL, args...)
		if got.code != r.code || !strings.Contains(got.err, r.err) || squeezed(got.out) != squeezed(r.out) {
			t.Errorf("%s: got %d\n%s%s", r.line, got.code, got.out, got.err)
		}
	}
}

// With --watch lines have a past, until the person interrupts.
func TestTopWatch(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	got := netctl(t, ctx, counting(t).URL, "top", "groups", "-w", "--interval", "500ms")
	if got.code != 0 || strings.Count(got.out, "default:web") < 2 || !strings.Contains(got.out, "██\n") {
		t.Errorf("got %d\n%s%s", got.code, got.out, got.err)
	}
}

// squeezed is a table without the widths of its columns.
func squeezed(table string) string {
	var out []string
	for line := range strings.Lines(table) {
		if strings.Trim(line, "- \n") != "" {
			out = append(out, strings.Join(strings.Fields(line), " "))
		}
	}
	return strings.Join(out, "\n")
}
