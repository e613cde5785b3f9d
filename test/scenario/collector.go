// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"context"
	"errors"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	otlp "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/grpc"
)

// collector is an OpenTelemetry collector: it keeps the spans that daemons send by OTLP over gRPC.
type collector struct {
	otlp.UnimplementedTraceServiceServer
	mu      sync.Mutex
	spans   map[string]span // by id
	changed chan struct{}   // holds one when spans came since it was last read
}

// span is a span as its service has sent it.
type span struct {
	*trace.Span
	service string
}

// Export keeps spans.
func (c *collector) Export(_ context.Context, q *otlp.ExportTraceServiceRequest) (*otlp.ExportTraceServiceResponse, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range q.ResourceSpans {
		service := ""
		for _, a := range r.Resource.GetAttributes() {
			if a.Key == "service.name" {
				service = a.Value.GetStringValue()
			}
		}
		for _, scope := range r.ScopeSpans {
			for _, s := range scope.Spans {
				c.spans[string(s.SpanId)] = span{s, service}
			}
		}
	}
	select {
	case c.changed <- struct{}{}:
	default:
	}
	return &otlp.ExportTraceServiceResponse{}, nil
}

// paths lists all spans, each as "service: name" after those of its parents, with " > " between them, and "failed" behind one that did.
func (c *collector) paths() (out []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.spans {
		var path []string
		for ok := true; ok && len(path) < 20; s, ok = c.spans[string(s.ParentSpanId)] {
			step := s.service + ": " + s.Name
			if s.Status.GetCode() == trace.Status_STATUS_CODE_ERROR && len(path) == 0 {
				step += " failed"
			}
			path = append(path, step)
		}
		slices.Reverse(path)
		out = append(out, strings.Join(path, " > "))
	}
	slices.Sort(out)
	return out
}

// doCollector starts the collector at the machine's address in the lab, and sets $collector to its URL.
func (s *Session) doCollector([]string) error {
	machine, err := s.addressed(pageAddress + "254") // the machine's own, in the network of netmasters
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(machine, "0"))
	if err != nil {
		return err
	}
	s.spans = &collector{spans: map[string]span{}, changed: make(chan struct{}, 1)}
	srv := grpc.NewServer()
	otlp.RegisterTraceServiceServer(srv, s.spans)
	go func() { _ = srv.Serve(listener) }()
	s.Defer(srv.Stop)
	s.Setenv("collector", "http://"+listener.Addr().String())
	return nil
}

// doTraces waits until the collector has a span for each expression.
func (s *Session) doTraces(args []string) error {
	if err := need(args, 1, "traces REGEXP..."); err != nil {
		return err
	}
	if s.spans == nil {
		return errors.New("there is no collector yet")
	}
	for _, pattern := range args {
		re, err := regexp.Compile("^" + pattern + "$")
		if err != nil {
			return err
		}
		for late := time.After(patience); !slices.ContainsFunc(s.spans.paths(), re.MatchString); {
			select {
			case <-s.spans.changed:
			case <-late:
				return fmt.Errorf("want a span %s, got:\n%s", pattern, strings.Join(s.spans.paths(), "\n"))
			}
		}
	}
	return nil
}
