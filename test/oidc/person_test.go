// SPDX-License-Identifier: Apache-2.0

package oidc

import (
	"context"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/master/audit"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/netctl/command"
	"github.com/contiv/contiv/netctl/term"
	"github.com/contiv/contiv/trust"
)

func admin() trust.Identity { return trust.Identity{Role: trust.User, Name: "admin"} }

func auditAll() audit.Filter { return audit.Filter{} }

// person types netctl's commands, and has a browser.
type person struct {
	t        *testing.T
	m        *mastertest.Master
	p        *running
	name     string
	home     string
	out, err strings.Builder
	typed    bool // the code of a device
}

func newPerson(t *testing.T, m *mastertest.Master, p *running, name string) *person {
	t.Helper()
	return &person{t: t, m: m, p: p, name: name, home: t.TempDir()}
}

// netctl runs a command, whose output is in out and err.
func (n *person) netctl(args ...string) int {
	n.t.Helper()
	n.out.Reset()
	n.err.Reset()
	n.typed = false
	f := &command.Factory{Streams: term.Streams{In: strings.NewReader(""), Out: &n.out, Err: &n.err, ErrTTY: true, Now: time.Now}, Home: n.home, Getenv: func(string) string { return "" }, HTTP: plain{http.DefaultTransport},
		Browse: func(at string) error { n.p.browse(n.t, at, n.name, true); return nil }, After: n.typing}
	return command.Run(context.Background(), f, append([]string{"--netmaster", "https://" + strings.TrimPrefix(n.m.URL, "http://")}, args...))
}

// typing is the time between two questions of netctl: in the second, the person types the code.
func (n *person) typing(time.Duration) <-chan time.Time {
	code := regexp.MustCompile(`enter the code (\S+)`).FindStringSubmatch(n.out.String())
	if n.typed && code != nil {
		n.p.allow(n.t, code[1], n.name)
	}
	n.typed = true
	out := make(chan time.Time, 1)
	out <- time.Now()
	return out
}

// plain sends over HTTP what is for an https URL: the netmaster of a test has no certificate.
type plain struct{ next http.RoundTripper }

// RoundTrip sends the request.
func (p plain) RoundTrip(q *http.Request) (*http.Response, error) {
	out := q.Clone(q.Context())
	out.URL.Scheme = "http"
	return p.next.RoundTrip(out)
}
