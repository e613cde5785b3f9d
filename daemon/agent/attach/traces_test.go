// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"errors"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/contiv/contiv/daemon/tracing"
)

// An attachment is a trace of its steps, and a step that fails reports the reason.
func TestAttach_Traced(t *testing.T) {
	w, kept := newWorld(), tracetest.NewInMemoryExporter()
	e := w.engine()
	e.Traces = tracing.Export(kept, tracing.Service{Name: "netplugin"})
	if _, err := e.Attach(t.Context(), Request{ContainerID: "c1", IfName: "eth0", Netns: "/n", Tenant: "t", Network: "net"}); err != nil {
		t.Fatal(err)
	}
	w.fail["create"] = errors.New("the pool is exhausted")
	if _, err := e.Attach(t.Context(), Request{ContainerID: "c2", IfName: "eth0", Netns: "/n", Tenant: "t", Network: "net"}); err == nil {
		t.Fatal("want an error")
	}
	if err := e.Traces.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	var names, failed []string
	for _, s := range kept.GetSpans() {
		names = append(names, s.Name)
		if s.Status.Code == codes.Error {
			failed = append(failed, s.Name+": "+s.Status.Description)
		}
	}
	for _, want := range []string{"attach", "request endpoint", "program flows", "add port", "configure interface"} {
		if !slices.Contains(names, want) {
			t.Errorf("spans: got %v, want %s", names, want)
		}
	}
	if want := "request endpoint: the pool is exhausted"; !slices.Contains(failed, want) {
		t.Errorf("failed spans: got %q, want %q", failed, want)
	}
}
