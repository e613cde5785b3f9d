// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"bytes"
	"net/http"
)

// Answer is an http.ResponseWriter that keeps the response, for callers within the process. It is for one request.
type Answer struct {
	Status int // 0: nothing has been written
	Body   bytes.Buffer

	header http.Header
}

// NewAnswer returns an empty Answer.
func NewAnswer() *Answer { return &Answer{header: http.Header{}} }

// Header implements http.ResponseWriter.
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter. Only the first call has an effect.
func (a *Answer) WriteHeader(status int) {
	if a.Status == 0 {
		a.Status = status
	}
}

// Write implements http.ResponseWriter.
func (a *Answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.Body.Write(b)
}
