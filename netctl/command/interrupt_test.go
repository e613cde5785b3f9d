// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/netctl/term"
)

// Commands that continue until interrupted end well then; a list does not wait for it.
func TestInterrupted(t *testing.T) {
	for line, catches := range map[string]int{"network ls -a": 0, "network ls -a -w": 1} {
		caught := 0
		watched := make(chan struct{}, 1)
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			switch q.URL.Path {
			case "/api/v1/watch":
				watched <- struct{}{}
				<-q.Context().Done()
			case "/api/v1/networks/":
				_, _ = w.Write([]byte(`[{"tenantName":"default","networkName":"n"}]`))
			default:
				_, _ = w.Write([]byte(`{"tenantName":"default"}`))
			}
		}))
		var out, errs bytes.Buffer
		f := &Factory{Streams: term.Streams{Out: &out, Err: &errs, Now: time.Now}, Home: t.TempDir(),
			Getenv: func(name string) string { return map[string]string{"NETMASTER": s.URL}[name] },
			Interrupted: func(ctx context.Context) (context.Context, context.CancelFunc) {
				caught++
				ctx, end := context.WithCancel(ctx)
				go func() { <-watched; end() }()
				return ctx, end
			}}
		code := Run(t.Context(), f, strings.Fields(line))
		s.Close()
		if code != 0 || errs.Len() > 0 || caught != catches {
			t.Errorf("netctl %s: want %d interruptions caught and success, got %d, exit %d, %s", line, catches, caught, code, &errs)
		}
	}
}
