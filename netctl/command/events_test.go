// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

// Changes and findings are printed by time, optionally of one kind, and the newest of both.
func TestEvents(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2030, 1, 2, 3, 4, s, 0, time.UTC) }
	history := []model.HistoryEntry{{Sequence: 1, Revision: 7, Time: at(1), Verb: "create", Kind: "network", Key: "t:n", By: model.Actor{Proved: "ann"}},
		{Sequence: 2, Revision: 9, Time: at(5), Verb: "delete", Kind: "network", Key: "t:n", By: model.Actor{Proved: "ann"}}}
	timeline := []model.TimelineEvent{{Number: 1, Time: at(3), Code: "mtu-small", Severity: model.SeverityError, Host: "h1", Object: "host/h1", Evidence: "it has 1400"},
		{Number: 2, Time: at(6), Ended: true, Code: "mtu-small", Host: "h1", Object: "host/h1"}}
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/api/v1/history", "/api/v1/history/network":
			_ = json.NewEncoder(w).Encode(history)
		case "/api/v1/timeline":
			_ = json.NewEncoder(w).Encode(timeline)
		default:
			http.NotFound(w, q)
		}
	}))
	defer master.Close()
	for line, want := range map[string]string{
		"events": `2030-01-02T03:04:01Z  7        create      network t:n  by ann  |
2030-01-02T03:04:03Z  error    found       host/h1  mtu-small: it has 1400|
2030-01-02T03:04:05Z  9        delete      network t:n  by ann  |
2030-01-02T03:04:06Z           ended       host/h1  mtu-small|
`,
		"events --limit 1":                "2030-01-02T03:04:06Z           ended       host/h1  mtu-small|\n",
		"events --kind finding -j":        `{"number":1,"time":"2030-01-02T03:04:03Z","ended":false,"code":"mtu-small","severity":"error","host":"h1","object":"host/h1","evidence":"it has 1400"}|` + "\n" + `{"number":2,"time":"2030-01-02T03:04:06Z","ended":true,"code":"mtu-small","severity":"","host":"h1","object":"host/h1"}|` + "\n",
		"events --kind network --limit 1": `2030-01-02T03:04:05Z  9        delete      network t:n  by ann  |` + "\n",
	} {
		got := netctl(t, t.Context(), master.URL, strings.Fields(line)...)
		if text := strings.ReplaceAll(got.out, "\n", "|\n"); text != want || got.err != "" {
			t.Errorf("%s: want\n%s\ngot\n%s%s", line, want, text, got.err)
		}
	}
}
