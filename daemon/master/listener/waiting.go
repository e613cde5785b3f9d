// SPDX-License-Identifier: Apache-2.0

package listener

import (
	"bytes"
	"context"
	"net/http"
	"strings"
)

// Waiting returns what netmaster waits for, or "" if it serves. It asks the handler of the addresses for /readyz, as a client does, but
// without a connection: it returns only if requests are answered.
func (f *Front) Waiting() string {
	q, err := http.NewRequestWithContext(context.Background(), http.MethodGet, "/readyz", nil)
	if err != nil {
		return err.Error()
	}
	q.Host, q.RemoteAddr, q.RequestURI = "localhost", "127.0.0.1:0", "/readyz" // as a server sets them
	w := &answer{header: http.Header{}, status: http.StatusOK}
	f.api.ServeHTTP(w, q)
	if w.status == http.StatusOK {
		return ""
	}
	var out []string
	for line := range strings.Lines(w.text.String()) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "netmaster ")
		out = append(out, strings.TrimPrefix(line, "waits for "))
	}
	return strings.Join(out, "; ")
}

// answer is an answer in memory.
type answer struct {
	header http.Header
	status int
	text   bytes.Buffer
}

func (a *answer) Header() http.Header            { return a.header }
func (a *answer) WriteHeader(status int)         { a.status = status }
func (a *answer) Write(text []byte) (int, error) { return a.text.Write(text) }
