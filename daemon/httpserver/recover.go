// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"log/slog"
	"net/http"
	"runtime/debug"

	"github.com/contiv/contiv/api/model"
)

// Recovered answers a request whose handler panicked with 500, calls met, and logs the stack. The answer of a handler that aborts it, or
// that panics after its start, is aborted.
func Recovered(log *slog.Logger, met func(), next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		out := &begun{ResponseWriter: w}
		defer func() {
			p := recover()
			if p == nil {
				return
			}
			if p == http.ErrAbortHandler {
				panic(p) // net/http closes the connection
			}
			met()
			log.Error("handler panicked", "method", q.Method, "path", q.URL.Path, "panic", p, "stack", string(debug.Stack()))
			if out.yes {
				panic(http.ErrAbortHandler)
			}
			Refuse(out, q, model.Errorf(model.CodeInternal, "", "internal error; the server's log has details").Try("report it with the log of that moment"))
		}()
		next.ServeHTTP(out, q)
	})
}

// begun records whether an answer has started.
type begun struct {
	http.ResponseWriter
	yes bool
}

// WriteHeader starts the answer.
func (b *begun) WriteHeader(status int) {
	b.yes = true
	b.ResponseWriter.WriteHeader(status)
}

// Write starts or continues the answer.
func (b *begun) Write(p []byte) (int, error) {
	b.yes = true
	return b.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach the connection.
func (b *begun) Unwrap() http.ResponseWriter { return b.ResponseWriter }
