// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"net/http"
	"time"
)

const (
	answerTime = time.Minute      // until the first bytes of an answer, in addition to the time for its length
	answerRate = 32 << 10         // minimum rate at which a client reads a long answer, in bytes per second
	streamTime = 10 * time.Second // for one message of a stream
)

// Whole sets a deadline for an answer: a client that reads it too slowly loses its connection. The time starts with the answer, so
// the handler may take any time before it.
func Whole(w http.ResponseWriter) http.ResponseWriter {
	var begin time.Time
	return &paced{ResponseWriter: w, out: http.NewResponseController(w), deadline: func(now time.Time, written int64) time.Time {
		if begin.IsZero() {
			begin = now
		}
		return begin.Add(answerTime + time.Duration(written)*time.Second/answerRate)
	}}
}

// Stream sets a deadline for each message of an answer, and none for the answer.
func Stream(w http.ResponseWriter) http.ResponseWriter {
	return &paced{ResponseWriter: w, out: http.NewResponseController(w), deadline: func(now time.Time, _ int64) time.Time {
		return now.Add(streamTime)
	}}
}

// paced sets a deadline before each write.
type paced struct {
	http.ResponseWriter
	out      *http.ResponseController
	deadline func(now time.Time, written int64) time.Time
	written  int64
}

// WriteHeader starts the answer.
func (p *paced) WriteHeader(status int) {
	p.wind(0)
	p.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the answer, and fails if the client is too slow.
func (p *paced) Write(b []byte) (int, error) {
	p.wind(len(b))
	return p.ResponseWriter.Write(b)
}

// FlushError sends buffered data.
func (p *paced) FlushError() error {
	p.wind(0)
	return p.out.Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *paced) wind(n int) {
	p.written += int64(n)
	_ = p.out.SetWriteDeadline(p.deadline(time.Now(), p.written)) // other writers have no deadline
}
