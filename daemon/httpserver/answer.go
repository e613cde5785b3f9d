package httpserver

import (
	"bytes"
	"net/http"
)

// Answer is an http.ResponseWriter that keeps what a handler answers, for who asks it within the process. It is for one request.
type Answer struct {
	Status int // 0: nothing has been written
	Body   bytes.Buffer

	header http.Header
}

// NewAnswer returns an Answer to which nothing has been written.
func NewAnswer() *Answer { return &Answer{header: http.Header{}} }

// Header is of http.ResponseWriter.
func (a *Answer) Header() http.Header { return a.header }

// WriteHeader is of http.ResponseWriter: the first status counts.
func (a *Answer) WriteHeader(status int) {
	if a.Status == 0 {
		a.Status = status
	}
}

// Write is of http.ResponseWriter.
func (a *Answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.Body.Write(b)
}
