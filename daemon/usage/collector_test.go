// SPDX-License-Identifier: Apache-2.0

package usage

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/contiv/contiv/api/model"
)

func TestCollector(t *testing.T) {
	r := prometheus.NewRegistry()
	r.MustRegister(NewCollector("agent", func() []model.Resource {
		return []model.Resource{{Name: "descriptors", Used: 8, Max: 10}, {Name: "disk", Of: "/run\xff", Used: 1, Max: 2}, {Name: "meters", Used: 1}}
	}))
	w := httptest.NewRecorder()
	promhttp.HandlerFor(r, promhttp.HandlerOpts{}).ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	var got []string
	for line := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(line, "#") {
			got = append(got, strings.TrimSpace(line))
		}
	}
	want := []string{`contiv_agent_resource_limit{of="",resource="descriptors"} 10`, `contiv_agent_resource_limit{of="/run?",resource="disk"} 2`,
		`contiv_agent_resource_used{of="",resource="descriptors"} 8`, `contiv_agent_resource_used{of="/run?",resource="disk"} 1`}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
