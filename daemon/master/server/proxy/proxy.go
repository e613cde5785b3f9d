// SPDX-License-Identifier: Apache-2.0

// Package proxy is what clients of the original find at its auth proxy: all routes of netmaster, and below /api/v1/auth_proxy/ login, health,
// version, local users, authorizations and the LDAP configuration, in the proxy's own words. Each request becomes one of netmaster's own API, which
// decides who may do what; nothing is decided here.
package proxy

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/httpserver"
)

// Base is where the proxy's own routes are.
const Base = "/api/v1/auth_proxy/"

const (
	tokenHeader = "X-Auth-Token"
	loginPath   = "/api/v1/auth/login" // netmaster's own, which netctl asks for first
)

// Proxy answers as the original's auth proxy.
type Proxy struct {
	api    http.Handler // netmaster's own
	mux    *http.ServeMux
	bodies *httpserver.Gate // of requests, which are read before netmaster's API decides who they are from
}

// New makes a Proxy before netmaster's API. bodies bounds how many requests are read at a time.
func New(api http.Handler, bodies *httpserver.Gate) *Proxy {
	p := &Proxy{api: api, mux: http.NewServeMux(), bodies: bodies}
	own := func(pattern string, h http.HandlerFunc) {
		method, path, _ := strings.Cut(pattern, " ")
		p.mux.HandleFunc(method+" "+Base+path+"/{$}", h)
	}
	own("POST login", p.login)
	own("GET version", p.version)
	own("GET health", p.health)
	own("GET local_users", p.users)
	own("POST local_users", p.addUser)
	own("GET local_users/{name}", p.user)
	own("PATCH local_users/{name}", p.changeUser)
	own("DELETE local_users/{name}", p.remove("/api/v1/users/"))
	own("GET authorizations", p.authorizations)
	own("POST authorizations", p.addAuthorization)
	own("GET authorizations/{name}", p.authorization)
	own("DELETE authorizations/{name}", p.remove("/api/v1/authorizations/"))
	own("GET ldap_configuration", p.ldap)
	own("PUT ldap_configuration", p.setLDAP)
	own("PATCH ldap_configuration", p.setLDAP)
	own("DELETE ldap_configuration", func(w http.ResponseWriter, q *http.Request) { p.removeAt(w, q, ldapPath) })
	p.mux.HandleFunc(Base, func(w http.ResponseWriter, _ *http.Request) { fail(w, http.StatusNotFound, "Not found") })
	return p
}

// ServeHTTP answers one request.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if strings.HasPrefix(q.URL.Path, Base) {
		p.mux.ServeHTTP(w, q)
		return
	}
	if q.URL.Path != loginPath && q.Header.Get(tokenHeader) == "" && q.Header.Get("Authorization") == "" {
		fail(w, http.StatusUnauthorized, "Empty auth token")
		return
	}
	p.api.ServeHTTP(&worded{ResponseWriter: w}, q)
}

// fail answers with an error in the proxy's words.
func fail(w http.ResponseWriter, status int, text string) {
	answer(w, status, struct {
		Error string `json:"error"`
	}{text})
}

func answer(w http.ResponseWriter, status int, v any) {
	text, _ := json.Marshal(v) // texts, numbers and lists of them always can be
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// call asks netmaster's own API for who has sent a request.
func (p *Proxy) call(q *http.Request, method, path string, body any) reply {
	text, _ := json.Marshal(body)
	sub := q.Clone(q.Context())
	sub.Method, sub.RequestURI = method, path
	sub.URL.Path, sub.URL.RawPath, sub.URL.RawQuery = path, "", ""
	sub.Body, sub.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	sub.Header.Set("Accept", "application/json")
	sub.Header.Set("Content-Type", "application/json")
	sub.Header.Del("Content-Length")
	out := reply{httpserver.NewAnswer()}
	p.api.ServeHTTP(out, sub)
	return out
}

// reply is an answer of netmaster's own API.
type reply struct{ *httpserver.Answer }

// failed passes a refusal on in the proxy's words, and reports whether there was one.
func (r reply) failed(w http.ResponseWriter) bool {
	switch r.Status {
	case http.StatusOK:
		return false
	case http.StatusNotFound:
		w.WriteHeader(http.StatusNotFound)
	case http.StatusConflict:
		fail(w, http.StatusBadRequest, r.text())
	case http.StatusUnauthorized:
		fail(w, r.Status, "Bad token")
	case http.StatusForbidden:
		fail(w, r.Status, "access denied: "+r.text())
	default:
		fail(w, r.Status, r.text())
	}
	return true
}

// text is the text of a refusal.
func (r reply) text() string {
	var problem struct{ Detail, Remedy string }
	if json.Unmarshal(r.Body.Bytes(), &problem) != nil || problem.Detail == "" {
		return strings.TrimSpace(r.Body.String())
	}
	if problem.Remedy != "" {
		problem.Detail += " (" + problem.Remedy + ")"
	}
	return problem.Detail
}

// read decodes the answer.
func (r reply) read(out any) { _ = json.Unmarshal(r.Body.Bytes(), out) }

// longBody bounds a request of the proxy's own, in bytes: the LDAP configuration may have certificates.
const longBody = 64 << 10

// body decodes a request; false when it has answered that this is none.
func (p *Proxy) body(w http.ResponseWriter, q *http.Request, out any) bool {
	leave, err := p.bodies.Enter(httpserver.Client(q.RemoteAddr))
	if err != nil {
		fail(w, model.AsError(err).Code.Info().Status, err.Error())
		return false
	}
	text, err := rest.ReadBody(q.Body, longBody)
	leave()
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, "Failed to read the request: "+err.Error())
	}
	return err == nil
}

// remove deletes the object that the path names.
func (p *Proxy) remove(base string) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		name := q.PathValue("name")
		if !plain(name) {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		p.removeAt(w, q, base+name+"/")
	}
}

func (p *Proxy) removeAt(w http.ResponseWriter, q *http.Request, path string) {
	if !p.call(q, http.MethodDelete, path, nil).failed(w) {
		w.WriteHeader(http.StatusNoContent)
	}
}

// plain reports whether a name can be a part of a path.
func plain(name string) bool { return name != "" && !strings.ContainsAny(name, "/:?#%") }

// worded puts refusals that are the proxy's, for lack of a proof or a right, into its words.
type worded struct {
	http.ResponseWriter
	refused bool
}

// WriteHeader is http.ResponseWriter's.
func (w *worded) WriteHeader(status int) {
	switch status {
	case http.StatusUnauthorized:
		w.refused = true
		fail(w.ResponseWriter, status, "Bad token")
	case http.StatusForbidden:
		w.refused = true
		fail(w.ResponseWriter, status, "Insufficient privileges")
	default:
		w.ResponseWriter.WriteHeader(status)
	}
}

// Write is http.ResponseWriter's.
func (w *worded) Write(b []byte) (int, error) {
	if w.refused {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (w *worded) Unwrap() http.ResponseWriter { return w.ResponseWriter }
