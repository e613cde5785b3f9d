// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"flag"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/compare"
	"github.com/contiv/contiv/daemon/metricstest"
	"github.com/contiv/contiv/daemon/usage"
)

var update = flag.Bool("update", false, "write docs/reference/metrics.md")

// all are options with which an agent has all of its metrics.
func all() Options {
	a := &agent{}
	o := Options{Forward: a, Attach: a, Drift: drift{a}, Now: time.Now, Version: model.Version{Version: "1.2.3", GitCommit: "abc"}, Names: &Names{}, ICMPErrors: func() uint64 { return 0 },
		Expires: func() time.Time { return time.Unix(1700000000, 0) }, Metrics: append(compare.New(compare.Options{}).Metrics(), attach.New(attach.Options{}).Durations(),
			usage.NewCollector("agent", func() []model.Resource { return nil }))}
	o.panics = new(atomic.Uint64)
	return o
}

func TestMetricsPage(t *testing.T) {
	types := map[string]string{"contiv_agent_attach_duration_seconds": "histogram"}
	metricstest.Page(t, "../../../docs/reference/metrics.md", "netplugin", metricstest.Declared(t, types, registry(all())), *update)
}

// The agent's build and the end of its certificate are metrics.
func TestBuildAndCertificate(t *testing.T) {
	a := &agent{}
	w := httptest.NewRecorder()
	o := a.options()
	o.Version, o.Expires = model.Version{Version: "1.2.3", GitCommit: "abc"}, func() time.Time { return time.Unix(1700000000, 0) }
	Handler(o).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	for _, want := range []string{`contiv_agent_build_info{goversion="go`, `revision="abc",version="1.2.3"} 1`, "contiv_agent_certificate_expiry_timestamp_seconds 1.7e+09"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("want %s in the metrics", want)
		}
	}
}
