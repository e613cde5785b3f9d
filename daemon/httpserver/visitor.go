// SPDX-License-Identifier: Apache-2.0

package httpserver

import (
	"encoding/json"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/contiv/contiv/api/model"
)

// AllowedHosts is the flag that adds names to Names.
const AllowedHosts = "allowed-hosts"

// Names are the host names under which a server is reached. A page of someone else, in a browser that can reach the server, may give its
// own name the server's address (DNS rebinding), and then counts as a page of the server: only its name differs. Addresses, names without
// a dot, and names that no public name server answers for cannot be such a page's. Methods of Names are safe for concurrent use.
type Names struct{ now atomic.Pointer[names] }

type names struct {
	exact  map[string]bool
	suffix []string // with a dot in front
	any    bool
}

// private are domains reserved for use within a host, a site or a cluster: RFC 6761, ICANN's .internal, and those that Kubernetes
// serves.
var private = []string{".localhost", ".internal", ".svc", ".cluster.local"}

// NewNames returns the names of this host, and more: "api.example.org", "*.example.org", or "*" for all names.
func NewNames(more ...string) *Names {
	n := &Names{}
	n.Set(more...)
	return n
}

// Set replaces the names by those of this host, and more.
func (n *Names) Set(more ...string) { n.now.Store(newNames(more)) }

func newNames(more []string) *names {
	n := &names{exact: map[string]bool{}, suffix: slices.Clone(private)}
	if own, err := os.Hostname(); err == nil {
		more = append(more, own)
	}
	for _, name := range more {
		name = canonical(name)
		switch rest, wild := strings.CutPrefix(name, "*."); {
		case name == "*":
			n.any = true
		case wild:
			n.suffix = append(n.suffix, "."+rest)
		default:
			n.exact[name] = true
		}
	}
	return n
}

// canonical returns a name without a port and a final dot, in lower case, for comparisons.
func canonical(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// Has reports whether a Host header names the server. An empty one does: HTTP/1.0 has none, and every browser sends it.
func (n *Names) Has(host string) bool { return n.now.Load().has(host) }

func (n *names) has(host string) bool {
	name := canonical(host)
	if n.any || name == "" || n.exact[name] || !strings.Contains(name, ".") && !strings.Contains(name, ":") {
		return true
	}
	if _, err := netip.ParseAddr(strings.Trim(name, "[]")); err == nil {
		return true
	}
	return slices.ContainsFunc(n.suffix, func(s string) bool { return strings.HasSuffix(name, s) })
}

// Visitors refuses requests that a page of another site makes a browser send: requests under a name that is not the server's, and
// changes whose Origin is not the server (Fetch standard, RFC 6454). Clients other than browsers send no Origin. It also refuses a
// request target that is not a path, such as one for a proxy (RFC 9112, section 3.2). Paths in free may be requested under any
// name.
func Visitors(names *Names, free []string, next http.Handler) http.Handler {
	cross := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case !originForm(q):
			Refuse(w, q, model.Errorf(model.CodeInvalid, "", "the request target is not a path").Try("request /PATH; this server is not a proxy"))
		case !names.Has(q.Host) && !slices.Contains(free, q.URL.Path):
			Refuse(w, q, model.Errorf(model.CodeForbidden, "", "this server is not called %.80q", q.Host).
				Try("use its address, or start it with --%s and the name", AllowedHosts))
		case cross.Check(q) != nil:
			Refuse(w, q, model.Errorf(model.CodeForbidden, "", "changes from pages of another origin are refused: Origin %.80q", q.Header.Get("Origin")).
				Try("use netctl, or a client other than a browser"))
		default:
			next.ServeHTTP(w, q)
		}
	})
}

// originForm reports whether a request's target is a path, with an optional query. "*" is a target of OPTIONS, which this server does not
// serve.
func originForm(q *http.Request) bool {
	return strings.HasPrefix(q.RequestURI, "/") && q.URL.Scheme == "" && q.URL.Host == "" && q.URL.User == nil && q.URL.Opaque == "" && strings.HasPrefix(q.URL.Path, "/")
}

func writeProblem(w http.ResponseWriter, q *http.Request, e *model.Error, p model.Problem) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	if q.Header.Get("Accept") == "" { // a client of the original, or a person's tool
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.WriteHeader(p.Status)
		_, _ = w.Write([]byte(e.Error() + "\n"))
		return
	}
	text, _ := json.Marshal(p)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(text, '\n'))
}
