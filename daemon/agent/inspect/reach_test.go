// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/ofnet/link"
)

// reachable has two endpoints; only its engine knows the namespace of one.
type reachable struct{}

func (reachable) List() []attach.Attachment {
	return []attach.Attachment{{StateID: "t:n:c1", Netns: "/run/netns/c1"}, {StateID: "t:n:c2"}}
}
func (reachable) Reclaim(context.Context, string) error { return nil }

// Queries are checked, and answers are described in words.
func TestReach(t *testing.T) {
	var got link.Reached
	var failed error
	var sent string
	a := &agent{}
	h := Handler(Options{Forward: a, Attach: reachable{}, Drift: drift{a}, Waiting: func() []string { return nil }, Now: time.Now,
		Reach: func(_ context.Context, netns, protocol string, to netip.AddrPort) (link.Reached, error) {
			sent = fmt.Sprint(netns, " ", protocol, " ", to)
			return got, failed
		}})
	const fast = 400 * time.Microsecond
	for _, r := range []struct {
		query string
		came  link.Reached
		err   error
		code  int
		want  string
		sent  string
	}{
		{"endpoint=t:n:c1&to=10.1.1.2&protocol=tcp&port=80", link.Reached{How: link.Answered, Duration: fast}, nil, 200, `"verdict":"allowed","text":"a connection was opened within 400µs, and closed again","micros":400`, "/run/netns/c1 tcp 10.1.1.2:80"},
		{"endpoint=t:n:c1&to=2001:db8::1&protocol=icmp", link.Reached{How: link.Answered, Duration: fast}, nil, 200, `"it was answered within 400µs"`, "/run/netns/c1 icmp [2001:db8::1]:0"},
		{"endpoint=t:n:c1&to=10.1.1.2&protocol=udp&port=53", link.Reached{How: link.Refused, Duration: fast}, nil, 200, `"verdict":"allowed","text":"it was refused within 400µs: packets go there and back, but nothing listens at udp port 53"`, "/run/netns/c1 udp 10.1.1.2:53"},
		{"endpoint=t:n:c1&to=10.1.1.2&protocol=udp&port=53", link.Reached{How: link.Silent, Duration: time.Second}, nil, 200, `"verdict":"unknown","text":"nothing came back within 1s`, "/run/netns/c1 udp 10.1.1.2:53"},
		{"endpoint=t:n:c1&to=10.1.1.2&protocol=tcp&port=53", link.Reached{How: link.Silent, Duration: time.Second}, nil, 200, `"verdict":"denied","text":"nothing came back within 1s"`, "/run/netns/c1 tcp 10.1.1.2:53"},
		{"endpoint=t:n:c1&to=8.8.8.8&protocol=icmp", link.Reached{How: link.Unreachable, Reason: "network is unreachable"}, nil, 200, `"verdict":"denied","text":"the container's kernel, or a router, says: network is unreachable"`, "/run/netns/c1 icmp 8.8.8.8:0"},
		{"endpoint=t:n:c1&to=8.8.8.8&protocol=icmp", link.Reached{}, fmt.Errorf("%w: it ended", link.ErrNoNamespace), 200, `nothing could be sent: the container's network namespace /run/netns/c1 is gone`, "/run/netns/c1 icmp 8.8.8.8:0"},
		{"endpoint=t:n:c1&to=8.8.8.8&protocol=icmp", link.Reached{}, errors.New("no memory"), 503, "no memory", "/run/netns/c1 icmp 8.8.8.8:0"},
		{"endpoint=t:n:c2&to=8.8.8.8&protocol=icmp", link.Reached{}, nil, 200, `"verdict":"unknown","text":"nothing was sent: only the container's engine knows`, ""},
		{"endpoint=t:n:c3&to=8.8.8.8&protocol=icmp", link.Reached{}, nil, 400, `endpoint "t:n:c3" is not attached here`, ""},
		{"endpoint=t:n:c1&to=web&protocol=icmp", link.Reached{}, nil, 400, `to: "web" is not an address`, ""},
		{"endpoint=t:n:c1&to=8.8.8.8&protocol=gre", link.Reached{}, nil, 400, `protocol: "gre" is none of`, ""},
		{"endpoint=t:n:c1&to=8.8.8.8&protocol=tcp&port=70000", link.Reached{}, nil, 400, `port: "70000" is no port`, ""},
	} {
		got, failed, sent = r.came, r.err, ""
		w := ask(h, http.MethodPost, r.query)
		if w.Code != r.code || !strings.Contains(w.Body.String(), r.want) || sent != r.sent {
			t.Errorf("%s: want %d, %s and %q sent, got %d, %s and %q", r.query, r.code, r.want, r.sent, w.Code, w.Body, sent)
		}
	}
	if w := ask(h, http.MethodGet, "endpoint=t:n:c1&to=10.1.1.2&protocol=icmp"); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("a question that only reads sends nothing: want 405, got %d", w.Code)
	}
}

func ask(h http.Handler, method, query string) *httptest.ResponseRecorder {
	w, q := httptest.NewRecorder(), httptest.NewRequest(method, "/inspect/reach?"+query, nil)
	q.Host = "127.0.0.1"
	h.ServeHTTP(w, q)
	return w
}
