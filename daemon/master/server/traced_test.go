// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/tracing"
)

// Only requests that belong to a sampled trace are traced, with the transaction that they need, and only those of callers that prove who they are.
func TestTraced(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for _, row := range []struct {
		name, traceparent, body string
		secure                  bool
		want                    []string
		failed                  bool
	}{
		{"traced", parent, `{"tenantName":"t"}`, false, []string{"POST /api/v1/tenants/:key/", "store transaction"}, false},
		{"refused", parent, `{"tenantName":"-"}`, false, []string{"POST /api/v1/tenants/:key/"}, true},
		{"not traced", "", `{"tenantName":"t"}`, false, nil, false},
		{"not sampled", strings.TrimSuffix(parent, "1") + "0", `{"tenantName":"t"}`, false, nil, false},
		{"a stranger's", parent, `{"tenantName":"t"}`, true, nil, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			kept := tracetest.NewInMemoryExporter()
			r := tracing.Export(kept, tracing.Service{Name: "netmaster"})
			m := mastertest.Start(t, mastertest.Options{Traces: r, Secure: row.secure})
			q, err := http.NewRequestWithContext(t.Context(), http.MethodPost, m.URL+"/api/v1/tenants/t/", strings.NewReader(row.body))
			if err != nil {
				t.Fatal(err)
			}
			q.Header.Set("Traceparent", row.traceparent)
			answer, err := http.DefaultClient.Do(q)
			if err != nil {
				t.Fatal(err)
			}
			if err := answer.Body.Close(); err != nil {
				t.Fatal(err)
			}
			if err := r.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
			var names []string
			failed := false
			for _, s := range kept.GetSpans() {
				names = append(names, s.Name)
				failed = failed || s.Status.Code == codes.Error
				if got := s.SpanContext.TraceID().String(); !strings.Contains(parent, got) {
					t.Errorf("%s: got trace %s, want the caller's", s.Name, got)
				}
			}
			slices.Sort(names)
			if !slices.Equal(names, row.want) || failed != row.failed {
				t.Errorf("spans: got %v, failed %v, want %v, %v; status %d", names, failed, row.want, row.failed, answer.StatusCode)
			}
		})
	}
}
