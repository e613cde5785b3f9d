// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
)

// contact records whether the API server answers.
type contact struct {
	log   *slog.Logger
	mu    sync.Mutex
	away  error     // of the last request; nil: it answered
	since time.Time // of the last change; zero: it has always answered
}

// Away returns why the API server does not answer; "" while it does.
func (c *contact) Away() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.away == nil {
		return ""
	}
	return c.away.Error()
}

// errLate is part of the error of an API server that has not answered in time.
var errLate = errors.New("it has not answered")

// Silent reports whether the API server has only not answered in time, so that its state is unknown.
func (c *contact) Silent() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	late, ok := errors.AsType[net.Error](c.away)
	return errors.Is(c.away, errLate) || ok && late.Timeout()
}

// Since returns when the API server was lost, or came back; zero if it was never away.
func (c *contact) Since() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.since
}

// over records the outcome of all requests through next.
func (c *contact) over(next http.RoundTripper) http.RoundTripper { return overContact{c, next} }

// overContact is a contact in front of a transport.
type overContact struct {
	*contact
	next http.RoundTripper
}

// RoundTrip sends a request, and records the outcome. One outage is logged once.
func (c overContact) RoundTrip(q *http.Request) (*http.Response, error) {
	answer, err := c.next.RoundTrip(q)
	if q.Context().Err() != nil {
		return answer, err
	}
	now := err
	if err == nil && answer.StatusCode >= http.StatusInternalServerError {
		now = fmt.Errorf("%s: %s", q.URL.Host, answer.Status)
	}
	c.record(q.URL.Host, now)
	return answer, err
}

// record records the outcome of a request.
func (c *contact) record(address string, now error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case now != nil && c.away == nil:
		c.log.Warn("lost the Kubernetes API server; keeping its last known state", "address", address, "error", now)
	case now == nil && c.away != nil:
		c.log.Info("the Kubernetes API server is back", "address", address)
	}
	if (now == nil) != (c.away == nil) {
		c.since = time.Now()
	}
	c.away = now
}

// watchOver requests one namespace from the API server regularly, until ctx ends: the watches of a failed server are as silent as those
// without changes.
func (c *contact) watchOver(ctx context.Context, core *rest.RESTClient, every time.Duration) {
	one := metav1.ListOptions{Limit: 1, ResourceVersion: "0"} // from the API server's memory
	next := time.NewTicker(every)
	defer next.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-next.C:
		}
		q := core.Get().Resource(string(Namespaces)).VersionedParams(&one, metav1.ParameterCodec)
		asked, cancel := context.WithTimeout(ctx, every)
		err := q.Do(asked).Error()
		late := asked.Err() != nil && ctx.Err() == nil
		cancel()
		if err != nil && late {
			c.record(q.URL().Host, fmt.Errorf("%w within %v", errLate, every))
		}
	}
}
