// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/contiv/contiv/api/model"
)

func TestFlows(t *testing.T) {
	flows := []model.Flow{
		{Table: "classify", TableID: "0", Priority: 100, Owner: "endpoint/n.t-c", Match: "from endpoint n.t-c", Does: "continue at source",
			Flow: "table=classify,in_port=5", Packets: 7, Bytes: 700, Age: 90, Rate: &model.FlowRate{Packets: 1.25, Bytes: 125}},
		{Table: "source", TableID: "4", Match: "any packet", Does: "drop", Flow: "table=source,priority=0 actions=drop", Drop: true, Packets: 2, Bytes: 84, Age: 3600},
		{Table: "overlay", TableID: "2", Match: "any packet", Does: "drop", Drop: true, Owner: "switch/h1"},
	}
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.URL.Path != "/api/v1/agents/h1/flows" {
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"code":"not-found","status":404,"detail":"no agent of host \"h9\" is registered"}`))
			return
		}
		if q.URL.Query().Get("owner") == "endpoint/n.t-c" && q.URL.Query().Get("table") == "0" {
			_ = json.NewEncoder(w).Encode(flows[:1])
			return
		}
		_ = json.NewEncoder(w).Encode(flows)
	}))
	defer master.Close()
	const head = "Table     Prio  Match                Does                Packets  Pkt/s  Bytes  Byte/s  Age     Owner\n" +
		"-----     ----  -----                ----                -------  -----  -----  ------  ---     -----\n"
	const first = "classify  100   from endpoint n.t-c  continue at source  7        1.2    700    125.0   1m30s   endpoint/n.t-c\n"
	rows := []struct {
		line []string
		code int
		out  string
	}{
		{[]string{"flows", "h1"}, 0, head + first +
			"source    0     any packet           drop                2        ?      84     ?       1h0m0s  none\n" +
			"overlay   0     any packet           drop                0        ?      0      ?       0s      switch/h1\n"},
		{[]string{"flows", "h1", "--drops"}, 0, "Table   Prio  Match       Does  Packets  Pkt/s  Bytes  Byte/s  Age     Owner\n" +
			"-----   ----  -----       ----  -------  -----  -----  ------  ---     -----\n" +
			"source  0     any packet  drop  2        ?      84     ?       1h0m0s  none\n"},
		{[]string{"flows", "h1", "--never", "-o", "jsonpath={[*].owner}"}, 0, "switch/h1\n"},
		{[]string{"flows", "h1", "--owner", "endpoint/n.t-c", "--table", "0", "-o", "jsonpath={[*].table}"}, 0, "classify\n"},
		{[]string{"flows", "h9"}, 3, ""},
		{[]string{"flows"}, 1, ""},
	}
	for _, r := range rows {
		got := netctl(t, context.Background(), master.URL, r.line...)
		if got.code != r.code || r.out != "" && got.out != r.out {
			t.Errorf("%v: want %d\n%s\ngot %d\n%s%s", r.line, r.code, r.out, got.code, got.out, got.err)
		}
	}
}
