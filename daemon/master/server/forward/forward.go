// SPDX-License-Identifier: Apache-2.0

// Package forward sends requests that only the leader may serve to the leader, and returns its answers.
package forward

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/server/caller"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/store"
)

const (
	// electionTimeout is how long a request that only the leader may serve waits for an election.
	electionTimeout = 5 * time.Second
	// lastAnswerTimeout is how long a netmaster that no longer leads may take to answer earlier requests, such as a handover.
	lastAnswerTimeout = time.Second
	// answerTimeout is how long a leader may take to begin its answer. It is longer than any request takes on the leader.
	answerTimeout = 20 * time.Second
	// catchUpTimeout is how long a follower waits until it has received the change that the leader has made for it.
	catchUpTimeout = time.Second
)

// Leadership reports who leads. Its methods do not block.
type Leadership interface {
	// Leader is the internal address "host:port" of the lock's holder; "" when no one holds it.
	Leader() string
	// Changed is closed when Leader next changes. Call it before Leader.
	Changed() <-chan struct{}
	// Leading reports whether this process holds the lock and may write.
	Leading() bool
}

// Callers authenticates the senders of requests, here or on behalf of another netmaster.
type Callers interface {
	// Accept returns the context of a request with its sender, and whether another netmaster has forwarded it. Errors are *model.Error.
	Accept(q *http.Request, route *rest.Route, body []byte) (sender context.Context, forwarded bool, err error)
	// Seal adds to out, which forwards q, the sender of q and a proof of it.
	Seal(out, q *http.Request, body []byte)
}

// Forwarder forwards requests to the leader. Its methods are safe for concurrent use.
type Forwarder struct {
	Leadership Leadership
	Writable   func() bool // reports whether this process may commit changes
	Callers    Callers
	Refused    func(q *http.Request, err error) // records a refusal in the audit
	Router     *rest.Router
	Internal   string                                              // own internal address, "host:port"
	Transport  peer.Transport                                      // to other netmasters, without redirections
	CatchUp    func(ctx context.Context, rev store.Revision) error // blocks until this netmaster has received a revision
	// Waiting names what is not ready yet; empty: everything is.
	Waiting func() []string
	// AnswerLimit replaces answerTimeout if it is not 0.
	AnswerLimit time.Duration
}

// Handler serves reads and streams with next and forwards all other requests to the leader. Without a leader it waits for one, so clients notice
// no change of leaders. Requests may be repeated safely, so it sends one that the old leader did not answer to the new one.
func (f *Forwarder) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		route := f.Router.Match(q)
		if caller.ServedAnywhere(route, q) {
			next.ServeHTTP(w, q)
			return
		}
		body, err := rest.ReadBody(q.Body, cmp.Or(route.MaxBody, rest.MaxBody))
		if err != nil {
			f.Router.Refuse(w, q, err)
			return
		}
		sender, forwarded, err := f.Callers.Accept(q, route, body)
		q = q.WithContext(sender)
		if err != nil {
			f.Refused(q, err)
			f.Router.Refuse(w, q, err)
			return
		}
		refusal, until := error(f.leaderless()), time.Now().Add(electionTimeout)
		for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
			switch leader := f.Leadership.Leader(); {
			case f.Leadership.Leading() && f.Writable():
				q.Body = io.NopCloser(bytes.NewReader(body))
				next.ServeHTTP(w, q.WithContext(caller.Attributed(q)))
				return
			case forwarded:
				f.Router.Refuse(w, q, model.Errorf(model.CodeUnavailable, "", "%s does not lead", f.Internal).Try("repeat the request"))
				return
			case leader != "" && leader != f.Internal:
				answer, err := f.send(q, leader, body)
				if err == nil {
					f.relay(w, q, answer)
					return
				}
				refusal = unanswered(leader, err)
				if !repeatable(err) {
					f.Router.Refuse(w, q, refusal)
					return
				}
				q.Header.Set(model.RepeatHeader, "1") // the old leader may have carried it out
				if f.Leadership.Leader() != leader {
					until = time.Now().Add(electionTimeout)
				}
			}
			select {
			case <-q.Context().Done():
				return
			case <-time.After(pause):
			}
			if time.Now().After(until) {
				if f.Leadership.Leader() == "" {
					refusal = f.leaderless()
				}
				f.Router.Refuse(w, q, refusal)
				return
			}
		}
	})
}

// repeatable reports whether another attempt may succeed after an error of send.
func repeatable(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, errStale) || errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)
}

// leaderless is the refusal while no netmaster leads, with the reason as far as this one knows it.
func (f *Forwarder) leaderless() *model.Error {
	e := model.Errorf(model.CodeUnavailable, "", "Leader not found")
	if waiting := f.Waiting(); len(waiting) > 0 {
		return e.Try("this netmaster waits for %s", waiting[0])
	}
	return e.Try("repeat the request; netctl node ls shows the netmasters")
}

// errStale means that the netmaster of a request no longer leads.
var errStale = errors.New("it no longer leads")

// unanswered is the refusal after the leader failed to answer.
func unanswered(leader string, err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the leader %s did not answer: %v", leader, err).Because(err).Try("repeat the request; it is safe to do so")
}

// perHop are the headers of one connection and not of the request (RFC 9110, section 7.6.1), and those of browsers that only the first netmaster
// needs.
var perHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Content-Length", "Origin", "Sec-Fetch-Site", "Cookie"}

// withoutHop returns a copy of a header without perHop and the headers that Connection names.
func withoutHop(h http.Header) http.Header {
	out := h.Clone()
	for _, list := range h.Values("Connection") {
		for name := range strings.SplitSeq(list, ",") {
			out.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range perHop {
		out.Del(name)
	}
	return out
}

// send sends the request to the leader's address, whatever host the request names, with only the path and the query of its URL. It blocks until the
// answer begins; the caller closes its body.
func (f *Forwarder) send(q *http.Request, leader string, body []byte) (*http.Response, error) {
	to := url.URL{Path: q.URL.Path, RawPath: q.URL.RawPath, RawQuery: q.URL.RawQuery}
	out, err := http.NewRequestWithContext(q.Context(), q.Method, f.Transport.URL(leader, to.String()), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if out.URL.Host != leader || out.URL.User != nil {
		return nil, model.Errorf(model.CodeInternal, "", "%q is not the address of a leader", leader)
	}
	out.Header = withoutHop(q.Header)
	f.Callers.Seal(out, q, body)
	if q.Header.Get("Accept") == "" {
		out.Header["Accept"] = nil // clients of the original get the answer that they know
	}
	if out.UserAgent() == "" {
		out.Header["User-Agent"] = []string{""} // do not name this program as the client's
	}
	ctx, answered := f.whileLeads(q.Context(), leader)
	answer, err := f.Transport.HTTP.Do(out.WithContext(ctx))
	answered()
	if err != nil {
		if cause := context.Cause(ctx); errors.Is(cause, errStale) || errors.Is(cause, errLate) {
			return nil, cause
		}
		return nil, err
	}
	if answer.StatusCode == http.StatusServiceUnavailable {
		_ = answer.Body.Close()
		return nil, errStale
	}
	return answer, nil
}

// errLate means that the leader has not answered in time. It may still carry out the request.
var errLate = errors.New("it has not answered in time, and may still do what it was asked")

// whileLeads returns a context that also ends, with errStale, lastAnswerTimeout after leader stops to lead: a leader without host or network would never
// answer. It ends with errLate when the leader takes too long. After a call of answered it ends only with ctx.
func (f *Forwarder) whileLeads(ctx context.Context, leader string) (limited context.Context, answered func()) {
	limited, end := context.WithCancelCause(ctx)
	quiet, answer := context.WithCancel(ctx)
	late := time.NewTimer(cmp.Or(f.AnswerLimit, answerTimeout))
	go func() {
		defer answer()
		defer late.Stop()
		for {
			changed := f.Leadership.Changed()
			if f.Leadership.Leader() != leader {
				break
			}
			select {
			case <-changed:
			case <-late.C:
				end(errLate)
				return
			case <-quiet.Done():
				return
			}
		}
		select {
		case <-time.After(lastAnswerTimeout):
			end(errStale)
		case <-quiet.Done():
		}
	}()
	return limited, answer
}

// relay writes the leader's answer, after this follower has received the change that it reports.
func (f *Forwarder) relay(w http.ResponseWriter, q *http.Request, answer *http.Response) {
	defer func() { _ = answer.Body.Close() }()
	if rev, err := strconv.ParseUint(answer.Header.Get(model.RevisionHeader), 10, 64); err == nil {
		ctx, cancel := context.WithTimeout(q.Context(), catchUpTimeout)
		_ = f.CatchUp(ctx, store.Revision(rev)) // if it is late, the client may read the state before its change
		cancel()
	}
	length := answer.Header.Get("Content-Length")
	maps.Copy(w.Header(), withoutHop(answer.Header))
	if length != "" {
		w.Header().Set("Content-Length", length)
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}
