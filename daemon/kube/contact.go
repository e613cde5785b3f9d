package kube

import (
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

// contact notes whether the API server answers.
type contact struct {
	log   *slog.Logger
	mu    sync.Mutex
	away  error     // of the last request; nil: it answered
	since time.Time // when that changed last; zero: it has always answered
}

// Away says why the API server does not answer; "" while it does.
func (c *contact) Away() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away == nil {
		return ""
	}
	return c.away.Error()
}

// Since is when the API server was lost, or when it came back; zero when it was never away.
func (c *contact) Since() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.since
}

// over notes the outcome of all requests that go through next.
func (c *contact) over(next http.RoundTripper) http.RoundTripper { return overContact{c, next} }

// overContact is a contact in front of a transport.
type overContact struct {
	*contact
	next http.RoundTripper
}

// RoundTrip asks, and notes the outcome. One outage is logged once.
func (c overContact) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := c.next.RoundTrip(q)
	if q.Context().Err() != nil {
		return answer, err
	}
	now := err
	if err == nil && answer.StatusCode >= http.StatusInternalServerError {
		now = fmt.Errorf("%s: %s", q.URL.Host, answer.Status)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case now != nil && c.away == nil:
		c.log.Warn("lost the Kubernetes API server; what is known of it stays", "address", q.URL.Host, "error", now)
	case now == nil && c.away != nil:
		c.log.Info("the Kubernetes API server is back", "address", q.URL.Host)
	}
	if (now == nil) != (c.away == nil) {
		c.since = time.Now()
	}
	c.away = now
	return answer, err
}
