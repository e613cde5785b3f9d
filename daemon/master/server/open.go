package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/door"
	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/daemon/master/server/auth"
)

// stranger is what someone who has proved nothing may cost at a route.
type stranger struct {
	body  int           // bytes of the longest body; 0: none is read
	text  int           // bytes of the longest text in it
	fails int           // requests of a site that may fail one after another; 0: any number, for they cost nothing
	pause time.Duration // after which one more may fail
}

// strangers are all routes that ask for no proof. Whoever adds one says here what it may cost; a test walks them.
func strangers() map[string]stranger {
	question := stranger{body: 16 << 10, text: 2 << 10, fails: 30, pause: time.Second} // to the OpenID provider
	code := question
	code.body, code.text = 40<<10, 16<<10
	return map[string]stranger{
		"GET /healthz": {},
		"GET /readyz":  {},
		"GET /version": {},

		"POST " + auth.LoginPath:                {body: 4 << 10, text: 256, fails: 20, pause: 3 * time.Second}, // a password takes a tenth of a second
		"POST " + auth.OIDCPath + "authorize":   question,
		"POST " + auth.OIDCPath + "device":      question,
		"POST " + auth.OIDCPath + "login":       code,                                                                 // the provider decides
		"POST /api/v1/join":                     {body: 64 << 10, text: 32 << 10, fails: 10, pause: 10 * time.Second}, // the token decides; a request for a certificate may have 64 names
		"POST /api/v1/certificates/renew-ended": {body: 64 << 10, text: 32 << 10, fails: 10, pause: 10 * time.Second}, // the key of the ended certificate decides
	}
}

// open are the routes that ask for no proof, with the attempts there.
type open struct {
	stranger
	attempts *door.Attempts
}

// opened has routes have the bounds of who has proved nothing. They hold for everyone who uses such a route.
func opened(r *rest.Router, now func() time.Time) map[string]open {
	out := map[string]open{}
	table := strangers()
	for route := range r.Each() {
		name := route.Method + " " + route.Path
		s, ok := table[name]
		if !ok {
			continue
		}
		o := open{stranger: s}
		if s.body > 0 {
			route.MaxBody, route.Bound = s.body, strangersGate
			o.attempts = door.NewAttempts(s.fails, s.pause, now)
		}
		out[name] = o
	}
	return out
}

// strangersGate bounds the requests with a body of who has proved nothing.
const strangersGate = "strangers"

// charged has a request for an open route count as a failed attempt of its site until it has succeeded, and refuses one attempt too many, and texts that
// are too long, before anything is computed for it. The leader counts, whichever netmaster was asked.
func (s *Server) charged(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		o, ok := s.opened[nameOf(s.router.Match(q))]
		if !ok || o.attempts == nil || access.Of(q.Context()).Anyone {
			next.ServeHTTP(w, q)
			return
		}
		site := door.Site(clientOf(q))
		if _, ok := o.attempts.Take(site, 0); !ok {
			door.Refuse(w, q, model.Errorf(model.CodeBusy, "", "too many requests of %s have failed here", site).Try("wait: each %s one more may", o.pause))
			return
		}
		body, err := rest.ReadBody(q.Body, o.body)
		if err == nil {
			err = short(body, o.text)
		}
		if err != nil {
			s.router.Refuse(w, q, err)
			return
		}
		q.Body = io.NopCloser(bytes.NewReader(body))
		out := &statusWriter{ResponseWriter: w}
		next.ServeHTTP(out, q)
		if out.status < http.StatusBadRequest || out.status >= http.StatusInternalServerError || out.status == http.StatusTooManyRequests {
			o.attempts.Back(site)
		}
	})
}

// nameOf is a route as tables name it; "" of none.
func nameOf(r *rest.Route) string {
	if r == nil {
		return ""
	}
	return r.Method + " " + r.Path
}

// short refuses JSON with a text of more bytes than most. What is no JSON is refused by who reads it.
func short(body []byte, most int) error {
	for d := json.NewDecoder(bytes.NewReader(body)); ; {
		token, err := d.Token()
		if err != nil {
			return nil
		}
		if text, ok := token.(string); ok && len(text) > most {
			return model.Errorf(model.CodeTooLarge, "", "a text of the body has %d bytes", len(text)).Try("here a text has %d at most", most)
		}
	}
}
