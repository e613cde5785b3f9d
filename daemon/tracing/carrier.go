// SPDX-License-Identifier: Apache-2.0

package tracing

import (
	"context"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
)

// FromHeader returns a context of the trace that a request belongs to; one without belongs to none.
func FromHeader(ctx context.Context, h http.Header) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.HeaderCarrier(h))
}

// FromEnviron returns a context of the trace that the variables TRACEPARENT and TRACESTATE of a process name, if they do
// (https://opentelemetry.io/docs/specs/otel/context/env-carriers/).
func FromEnviron(ctx context.Context, env map[string]string) context.Context {
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": env["TRACEPARENT"], "tracestate": env["TRACESTATE"]})
}

// Client returns an HTTP client whose requests name the trace that their context belongs to.
func Client(c *http.Client) *http.Client {
	out := *c
	out.Transport = &transport{c.Transport}
	return &out
}

// transport adds the header traceparent.
type transport struct{ base http.RoundTripper }

func (t *transport) RoundTrip(q *http.Request) (*http.Response, error) {
	carried := propagation.HeaderCarrier{}
	propagation.TraceContext{}.Inject(q.Context(), carried)
	if len(carried) > 0 {
		q = q.Clone(q.Context())
		for name, values := range carried {
			q.Header[name] = values
		}
	}
	base := t.base
	if base == nil {
		base = http.DefaultTransport
	}
	return base.RoundTrip(q)
}
