// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
)

// Another is a netmaster whose store is not the one known to this host.
type Another struct {
	Master      string // URL
	Known       string // id of the incarnation that the host knows
	Incarnation string // id of the store's
}

// Error describes it.
func (a *Another) Error() string {
	return fmt.Sprintf("its store is not the one of this host: got incarnation %s, want %s", a.Incarnation, a.Known)
}

// Others returns the netmasters that had another store at the last request, ordered by URL.
func (c *Client) Others() []Another {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make([]Another, 0, len(c.others))
	for _, base := range slices.Sorted(maps.Keys(c.others)) {
		out = append(out, c.others[base])
	}
	return out
}

// Incarnation returns the id of the incarnation that this host knows; "" if it knows none.
func (c *Client) Incarnation() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mark.Incarnation
}

// Know sets the host's incarnation, if no earlier batch contains it. It is called before Follow.
func (c *Client) Know(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.mark.Incarnation == "" {
		c.mark.Incarnation = id
	}
}

// identify decides from the header of an answer whether a netmaster's store is the one of this host. An error is an *Another.
func (c *Client) identify(base string, h http.Header) (record.Incarnation, error) {
	there, err := incarnationOf(h)
	if err != nil {
		return there, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.others, base)
	if record.RelationOf(c.mark.Incarnation, &there) != record.Another {
		return there, nil
	}
	a := Another{Master: base, Known: c.mark.Incarnation, Incarnation: there.ID}
	c.others[base] = a
	return there, &a
}

// incarnationOf reads the header of a netmaster's answer; the zero value is that of an earlier build, or of one that does not serve yet.
func incarnationOf(h http.Header) (record.Incarnation, error) {
	text := h.Get(model.IncarnationRecord)
	if text == "" {
		return record.Incarnation{}, nil
	}
	return record.ParseIncarnation([]byte(text))
}

// Claiming is a transport whose requests carry the incarnation that this host knows, so that a netmaster with another store refuses them.
type Claiming struct {
	Base  http.RoundTripper
	Known func() string // id; "" if none is known
}

// RoundTrip sends a request.
func (t *Claiming) RoundTrip(q *http.Request) (*http.Response, error) {
	if known := t.Known(); known != "" {
		q = q.Clone(q.Context())
		q.Header.Set(model.KnownIncarnationHeader, known)
	}
	return t.Base.RoundTrip(q)
}

// CloseIdleConnections closes those of the underlying transport.
func (t *Claiming) CloseIdleConnections() {
	if c, ok := t.Base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}
