// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"bufio"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/bgp"
	"github.com/contiv/contiv/ofnet/capture"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// FuzzRoutes asks an agent anything: no request is a defect, and no answer is long.
func FuzzRoutes(f *testing.F) {
	for _, seed := range [][2]string{{"GET", "/inspect/flows?owner=%ff&table=%00"}, {"GET", "/inspect/%ff"}, {"GET", "/inspect/trace?of={"}, {"GET", "/inspect/trace?of={\"from\":\"endpoint/x\"}"},
		{"GET", "/inspect/capture?endpoint=t:n:c1&filter=((((&packets=1"}, {"GET", "/status?revision=18446744073709551615"}, {"POST", "/inspect/drift"}, {"GET", "/inspect/rules?of=:::%ff"},
		{"DELETE", "/debug/reclaimEndpoint/%2f%ff"}, {"GET", "/metrics?name[]=%ff"}, {"GET", "/inspect/services?of=:"}, {"GET", "/inspect/published?of=%ff"}, {"PUT", "x:@10.0.0.1:80/p"}, {"CONNECT", "h:1"}, {"GET", "/../inspect//ports"}} {
		f.Add(seed[0], seed[1])
	}
	a := &agent{}
	h := Handler(Options{Forward: a, Attach: a, Ports: a, Pipeline: pipeline.Default(), Now: time.Now, Drift: drift{a}, Waiting: func() []string { return nil },
		Status: func() model.AgentStatus { return model.AgentStatus{Host: "h1"} }, Malformed: func() []string { return nil }, Services: a.services,
		Called: func(string) string { return "web" },
		Driver: func() Driver { return Driver{Bridge: "contiv0"} }, Router: func() (bgp.Status, error) { return bgp.Status{}, nil },
		Packets: func(string) (capture.Source, error) { return nil, errors.New("no interface") }})
	f.Fuzz(func(t *testing.T, method, target string) {
		q, err := http.ReadRequest(bufio.NewReader(strings.NewReader(method + " " + target + " HTTP/1.1\r\nHost: 10.0.0.1\r\n\r\n")))
		if err != nil || q.URL.Path == "/status" && q.URL.Query().Has("revision") {
			return // a wait of seconds, by design
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, q)
		if w.Code == http.StatusInternalServerError || w.Body.Len() > 1<<20 {
			t.Errorf("%q %q: %d, %d bytes: %.300s", method, target, w.Code, w.Body.Len(), w.Body)
		}
	})
}
