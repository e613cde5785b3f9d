// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/trust"
)

// AskLimit is how long an agent may take to show what it has.
const AskLimit = 10 * time.Second

const maxRelayed = 256 << 20 // bytes of an answer: about half a million flows

// relayed are the names that agents show under /inspect/.
var relayed = regexp.MustCompile(`^[a-z][a-z-]{0,30}$`)

// Register adds the routes that relay to agents, so that clients need to reach only a netmaster.
func (p *Peers) Register(r *rest.Router, log *slog.Logger) {
	relay := func(w http.ResponseWriter, q *http.Request, params httprouter.Params) {
		host, what := params.ByName("host"), params.ByName("what")
		ctx, cancel := context.WithTimeout(q.Context(), AskLimit)
		defer cancel()
		answer, err := p.Call(ctx, q.Method, host, what, q.URL.RawQuery)
		if err != nil {
			r.Refuse(w, q, err)
			return
		}
		p.copy(w, answer, host, what, log)
	}
	shown := r.GET("/api/v1/agents/:host/:what", relay).Allow(rest.Needs(rights.Relay))
	shown.Bound, shown.Audit = "traces", rest.Audit{Verb: "relay", Path: true}
	repair := r.POST("/api/v1/agents/:host/:what", relay).Allow(rest.Needs(rights.Repair))
	repair.Bound, repair.Audit.Verb = "traces", "repair"
	r.GET("/metrics/:host", func(w http.ResponseWriter, q *http.Request, params httprouter.Params) {
		ctx, cancel := context.WithTimeout(q.Context(), AskLimit)
		defer cancel()
		answer, err := p.call(ctx, http.MethodGet, params.ByName("host"), "/metrics", "metrics", "")
		if err != nil {
			r.Refuse(w, q, err)
			return
		}
		p.copy(w, answer, params.ByName("host"), "metrics", log)
	}).Allow(rest.Needs(rights.Read, trust.Monitor))
}

// copy copies the answer of a host's agent.
func (p *Peers) copy(w http.ResponseWriter, answer *http.Response, host, what string, log *slog.Logger) {
	defer func() { _ = answer.Body.Close() }()
	w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
	if _, err := io.Copy(w, io.LimitReader(answer.Body, maxRelayed)); err != nil {
		log.Warn("relay an agent's answer", "host", host, "path", what, "error", err)
	}
}

// Trace asks the agent of a host what its switch would do with a packet. It blocks until the answer is there.
func (p *Peers) Trace(ctx context.Context, host string, ask model.TraceRequest) (out model.Trace, err error) {
	text, err := json.Marshal(ask)
	if err != nil {
		return out, err
	}
	answer, err := p.Call(ctx, http.MethodGet, host, "trace", url.Values{"of": {string(text)}}.Encode())
	if err != nil {
		return out, err
	}
	defer func() { _ = answer.Body.Close() }()
	err = json.NewDecoder(http.MaxBytesReader(nil, answer.Body, 16<<20)).Decode(&out)
	return out, err
}

// Call asks the agent of a host for /inspect/WHAT and returns a good answer, whose body the caller closes. All other answers are
// errors with a remedy for the operator. It blocks until the answer begins.
func (p *Peers) Call(ctx context.Context, method, host, what, query string) (*http.Response, error) {
	if !relayed.MatchString(what) {
		return nil, model.Errorf(model.CodeInvalid, "what", "agents show nothing called %q", what).Try("ask for flows, ports, owners, driver or malformed")
	}
	return p.call(ctx, method, host, "/inspect/"+what, what, query)
}

// call is Call for a path.
func (p *Peers) call(ctx context.Context, method, host, path, what, query string) (*http.Response, error) {
	agent := p.Agent(host)
	if agent == "" {
		return nil, model.Errorf(model.CodeNotFound, "host", "no agent of host %q is registered", host).
			Try("netctl node ls shows the agents; one that is missing is down, or cannot reach the store")
	}
	to := p.transport.URL(agent, (&url.URL{Path: path, RawQuery: query}).String())
	ask, err := http.NewRequestWithContext(ctx, method, to, nil)
	if err != nil {
		return nil, fmt.Errorf("ask the agent of %s: %w", host, err)
	}
	leave := func() {}
	if what != capture && what != Observed {
		if leave, err = p.turns.acquire(ctx, agent); err != nil {
			return nil, model.Errorf(model.CodeNotReady, "host", "the agent of %s at %s is still answering others: %v", host, agent, err).Because(err).
				Try("it is asked one question at a time: repeat the request")
		}
	}
	answer, err := p.transport.Agents.Do(ask)
	if err != nil {
		leave()
		if where, ok := errors.AsType[*url.Error](err); ok {
			err = where.Err
		}
		return nil, model.Errorf(model.CodeNotReady, "host", "the agent of %s at %s did not answer: %v", host, agent, err).Because(err).
			Try("is netplugin running there? its log says more")
	}
	answer.Body = &read{answer.Body, leave}
	if answer.StatusCode == http.StatusOK {
		return answer, nil
	}
	defer func() { _ = answer.Body.Close() }()
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 4096)) // a part of its text is enough
	switch said := strings.TrimSpace(string(text)); answer.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed:
		return nil, model.Errorf(model.CodeNotFound, "what", "the agent of %s shows nothing called %q", host, what).Try("it may be of another version: netctl node ls")
	case http.StatusBadRequest:
		return nil, model.Errorf(model.CodeInvalid, what, "the agent of %s: %s", host, said)
	default:
		return nil, model.Errorf(model.CodeNotReady, "host", "the agent of %s: %s", host, said).Try("netctl node ls shows whether it waits for something, its log says more")
	}
}

// The streams of agents, which hold up no other request to the agent.
const (
	capture  = "capture"
	Observed = "observed"
)

// read is an answer whose end lets the next question be asked.
type read struct {
	io.ReadCloser
	leave func()
}

func (r *read) Close() error {
	defer r.leave()
	return r.ReadCloser.Close()
}
