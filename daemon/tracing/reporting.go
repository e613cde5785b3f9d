// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"log/slog"
	"sync/atomic"

	"go.opentelemetry.io/otel/sdk/trace"
)

// reporting logs when a collector begins to refuse spans, and when it accepts them again. Lost spans are no failure of the daemon.
type reporting struct {
	trace.SpanExporter
	endpoint string
	failing  atomic.Bool
	log      *slog.Logger
}

func (r *reporting) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	err := r.SpanExporter.ExportSpans(ctx, spans)
	switch was := r.failing.Swap(err != nil); {
	case err != nil && !was:
		r.log.Warn("traces are lost: the collector does not accept them", "address", r.endpoint, "error", err)
	case err == nil && was:
		r.log.Info("the collector accepts traces again", "address", r.endpoint)
	}
	return nil
}
