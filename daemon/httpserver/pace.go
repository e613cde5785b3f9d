package httpserver

import (
	"net/http"
	"time"
)

const (
	answerTime = time.Minute      // for the first bytes of an answer, and what it takes besides its length
	answerRate = 32 << 10         // bytes a second that a client takes of a long answer, at least
	streamTime = 10 * time.Second // for one message of a stream
)

// Whole gives an answer an end: a client that takes it too slowly loses its connection. The time begins with the answer, so that a
// handler may take as long as it needs before.
func Whole(w http.ResponseWriter) http.ResponseWriter {
	var begin time.Time
	return &paced{ResponseWriter: w, out: http.NewResponseController(w), deadline: func(now time.Time, written int64) time.Time {
		if begin.IsZero() {
			begin = now
		}
		return begin.Add(answerTime + time.Duration(written)*time.Second/answerRate)
	}}
}

// Stream gives each message of an answer an end, and the answer none.
func Stream(w http.ResponseWriter) http.ResponseWriter {
	return &paced{ResponseWriter: w, out: http.NewResponseController(w), deadline: func(now time.Time, _ int64) time.Time {
		return now.Add(streamTime)
	}}
}

// paced sets a deadline before it writes.
type paced struct {
	http.ResponseWriter
	out      *http.ResponseController
	deadline func(now time.Time, written int64) time.Time
	written  int64
}

// WriteHeader begins the answer.
func (p *paced) WriteHeader(status int) {
	p.wind(0)
	p.ResponseWriter.WriteHeader(status)
}

// Write writes a part of the answer, and fails when the client is too slow.
func (p *paced) Write(b []byte) (int, error) {
	p.wind(len(b))
	return p.ResponseWriter.Write(b)
}

// FlushError sends what is written.
func (p *paced) FlushError() error {
	p.wind(0)
	return p.out.Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (p *paced) Unwrap() http.ResponseWriter { return p.ResponseWriter }

func (p *paced) wind(n int) {
	p.written += int64(n)
	_ = p.out.SetWriteDeadline(p.deadline(time.Now(), p.written)) // what is no connection cannot stall
}
