// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	api "go.opentelemetry.io/otel/trace"

	"github.com/contiv/contiv/sanitize"
)

// maxText bounds a text in a span, in bytes.
const maxText = 1000

// End ends a span with its outcome; nil: it succeeded.
type End func(err error)

// Step begins a step of the trace that ctx belongs to, and does nothing if ctx belongs to none that is recorded. pairs are attributes, each a
// name and a value. The caller ends the step.
func Step(ctx context.Context, name string, pairs ...string) (context.Context, End) {
	parent := api.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, func(error) {}
	}
	return begin(ctx, parent.TracerProvider(), name, []api.SpanStartOption{attributes(pairs)})
}

func begin(ctx context.Context, provider api.TracerProvider, name string, options []api.SpanStartOption) (context.Context, End) {
	ctx, span := provider.Tracer(scope).Start(ctx, name, options...)
	return ctx, func(err error) {
		if err != nil {
			span.SetStatus(codes.Error, sanitize.Text(err.Error(), maxText))
		}
		span.End()
	}
}

// attributes are pairs of a name and a value, without empty values.
func attributes(pairs []string) api.SpanStartEventOption {
	var out []attribute.KeyValue
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			out = append(out, attribute.String(pairs[i], sanitize.Text(pairs[i+1], maxText)))
		}
	}
	return api.WithAttributes(out...)
}
