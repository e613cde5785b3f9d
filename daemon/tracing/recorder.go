// SPDX-License-Identifier: Apache-2.0

// Package tracing records how long the steps of an attachment take, as spans of OpenTelemetry, and sends them to a collector by OTLP over gRPC
// (https://opentelemetry.io/docs/specs/otlp/). One trace leads through the plugin, the agent, netmaster, the store and the switch: it crosses
// HTTP in the header traceparent (https://www.w3.org/TR/trace-context/).
package tracing

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/sdk/trace"
	api "go.opentelemetry.io/otel/trace"

	"github.com/contiv/contiv/daemon/task"
)

// flushTimeout bounds how long a daemon that ends waits for a collector.
const flushTimeout = 2 * time.Second

// scope names the instrumentation in each span.
const scope = "github.com/contiv/contiv/daemon/tracing"

// Service is what sends spans.
type Service struct {
	Name    string // "netplugin" or "netmaster"
	Version string
	Host    string
}

// Recorder begins traces. A nil Recorder records nothing. Its methods are safe for concurrent use.
type Recorder struct{ provider *trace.TracerProvider }

// New returns a Recorder that sends spans to the collector of the settings, nil if they name none. It does not block: it connects with the
// first spans. Headers and certificates come from the variables OTEL_EXPORTER_OTLP_*.
func New(s Settings, of Service, log *slog.Logger) (*Recorder, error) {
	if s.Endpoint == "" {
		return nil, nil
	}
	exporter, err := otlptracegrpc.New(context.Background(), otlptracegrpc.WithEndpointURL(s.Endpoint))
	if err != nil {
		return nil, fmt.Errorf("--otlp-endpoint %s: %w", s.Endpoint, err)
	}
	return Export(&reporting{SpanExporter: exporter, endpoint: s.Endpoint, log: log}, of), nil
}

// Export returns a Recorder that sends spans to an exporter.
func Export(to trace.SpanExporter, of Service) *Recorder {
	self := resource.NewSchemaless(attribute.String("service.name", of.Name), attribute.String("service.version", of.Version), attribute.String("host.name", of.Host))
	return &Recorder{trace.NewTracerProvider(trace.WithBatcher(to), trace.WithResource(self), trace.WithSampler(trace.ParentBased(trace.AlwaysSample())))}
}

// Begin begins a span: a step of the trace that ctx belongs to, or the first one of a new trace. started is when it began, the zero Time: now.
// pairs are attributes, each a name and a value. The caller ends the span with its outcome.
func (r *Recorder) Begin(ctx context.Context, name string, started time.Time, pairs ...string) (context.Context, End) {
	if r == nil {
		return ctx, func(error) {}
	}
	var options []api.SpanStartOption
	if !started.IsZero() {
		options = append(options, api.WithTimestamp(started))
	}
	return begin(ctx, r.provider, name, append(options, attributes(pairs)))
}

// Flush sends the spans that have ended, and blocks until the collector has answered or ctx ends.
func (r *Recorder) Flush(ctx context.Context) error { return r.provider.ForceFlush(ctx) }

// Task returns the task that sends what is left when the daemon ends.
func (r *Recorder) Task() task.Task {
	return task.Func("traces", func(ctx context.Context, ready func()) error {
		ready()
		<-ctx.Done()
		if r == nil {
			return nil
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), flushTimeout)
		defer cancel()
		_ = r.provider.Shutdown(ctx) // the exporter has reported why spans are lost
		return nil
	})
}
