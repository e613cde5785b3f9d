package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
)

const (
	relayLimit = 10 * time.Second // how long an agent may take to show what it has
	relayMost  = 256 << 20        // bytes of an answer: about half a million flows
)

// relayed are the names that agents show under /inspect/.
var relayed = regexp.MustCompile(`^[a-z][a-z-]{0,30}$`)

// mountRelay adds what agents show of themselves, so that who can reach a master needs no way to the agents.
func (s *Server) mountRelay(r *rest.Router) {
	relay := func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		if err := s.inspectAgent(w, q, p.ByName("host"), p.ByName("what")); err != nil {
			rest.Refuse(w, q, err, s.Log)
		}
	}
	r.GET("/api/v1/agents/:host/:what", relay)
	r.POST("/api/v1/agents/:host/:what", relay)
}

// inspectAgent passes a request for /inspect/WHAT of a host's agent on.
func (s *Server) inspectAgent(w http.ResponseWriter, q *http.Request, host, what string) error {
	ctx, cancel := context.WithTimeout(q.Context(), relayLimit)
	defer cancel()
	return s.askAgent(ctx, q.Method, host, what, q.URL.RawQuery, func(answer *http.Response) error {
		w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		if _, err := io.Copy(w, io.LimitReader(answer.Body, relayMost)); err != nil {
			s.Log.Warn("relay an agent's answer", "host", host, "what", what, "err", err)
		}
		return nil
	})
}

// askAgent asks the agent of a host as callAgent does, and lets read have the answer. It blocks until read returns.
func (s *Server) askAgent(ctx context.Context, method, host, what, query string, read func(*http.Response) error) error {
	answer, err := s.callAgent(ctx, method, host, what, query)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	return read(answer)
}

// callAgent asks the agent of a host for /inspect/WHAT and returns a good answer, whose body the caller closes. Everything else is
// an error that tells an operator what to do. It blocks until the answer begins.
func (s *Server) callAgent(ctx context.Context, method, host, what, query string) (*http.Response, error) {
	if !relayed.MatchString(what) {
		return nil, model.Errorf(model.CodeInvalid, "what", "agents show nothing called %q", what).Try("ask for flows, ports, owners, driver or malformed")
	}
	var agent string
	s.Catalog.View(func(v *catalog.View) { agent = agentOf(v, host) })
	if agent == "" {
		return nil, model.Errorf(model.CodeNotFound, "host", "no agent of host %q is registered", host).
			Try("netctl node ls shows the agents; one that is missing is down, or cannot reach the store")
	}
	to := url.URL{Scheme: "http", Host: agent, Path: "/inspect/" + what, RawQuery: query}
	ask, err := http.NewRequestWithContext(ctx, method, to.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("ask the agent of %s: %w", host, err)
	}
	answer, err := s.HTTP.Do(ask)
	if err != nil {
		var where *url.Error
		if errors.As(err, &where) {
			err = where.Err
		}
		return nil, model.Errorf(model.CodeNotReady, "host", "the agent of %s at %s did not answer: %v", host, agent, err).Because(err).
			Try("is netplugin running there? its log says more")
	}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // what it had to say is good enough
	switch said := strings.TrimSpace(string(text)); answer.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return nil, model.Errorf(model.CodeNotFound, "what", "the agent of %s shows nothing called %q", host, what).Try("it may be of another version: netctl node ls")
	case http.StatusBadRequest:
		return nil, model.Errorf(model.CodeInvalid, what, "the agent of %s: %s", host, said)
	default:
		return nil, model.Errorf(model.CodeNotReady, "host", "the agent of %s: %s", host, said).Try("netctl node ls shows whether it waits for something, its log says more")
	}
}
