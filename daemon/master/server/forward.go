package server

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
	"github.com/contiv/contiv/daemon/master/access"
	"github.com/contiv/contiv/daemon/store"
)

const (
	// electionTimeout is for how long a request that only the leader may serve waits for one to be elected.
	electionTimeout = 5 * time.Second
	// lastWord is for how long one that leads no longer may take to answer what it was asked before, such as to hand over.
	lastWord = time.Second
	// answerLimit is for how long a leader may take to begin its answer. It is longer than anything that a leader does for one request.
	answerLimit = 20 * time.Second
	// catchUp is for how long a follower waits until it knows what it has just had changed.
	catchUp = time.Second
	// forwardedBy marks a request that a follower has passed on, so that it is never passed on twice.
	forwardedBy  = "X-Contiv-Forwarded-By"
	clientHeader = model.ClientHeader
)

// forwarded serves reads and streams here and passes everything else to the leader. While there is none it waits for one, so that a
// client notices nothing of a change of leaders. Requests may be repeated safely, so one that the old leader did not
// answer goes to the new one.
func (s *Server) forwarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		route := s.router.Match(q)
		if readsHere(route, q) {
			next.ServeHTTP(w, q)
			return
		}
		body, err := rest.ReadBody(q.Body, cmp.Or(route.MaxBody, rest.MaxBody))
		if err != nil {
			s.router.Refuse(w, q, err)
			return
		}
		came := s.genuine(q, body)
		from, err := s.received(q, route, came)
		q = q.WithContext(from)
		if err != nil {
			s.Recorder.refused(q, err)
			s.router.Refuse(w, q, err)
			return
		}
		refusal, until := error(s.leaderless()), time.Now().Add(electionTimeout)
		for pause := 10 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
			switch leader := s.Leadership.Leader(); {
			case s.Leadership.Leading() && s.Commit.Active():
				q.Body = io.NopCloser(bytes.NewReader(body))
				next.ServeHTTP(w, q.WithContext(attributed(q)))
				return
			case came != direct:
				s.router.Refuse(w, q, model.Errorf(model.CodeUnavailable, "", "%s does not lead", s.Internal).Try("repeat the request"))
				return
			case leader != "" && leader != s.Internal:
				answer, err := s.pass(q, leader, body)
				if err == nil {
					s.relay(w, q, answer)
					return
				}
				refusal = err
				if !errors.Is(err, syscall.ECONNREFUSED) && !errors.Is(err, errStale) && !errors.Is(err, io.EOF) && !errors.Is(err, syscall.ECONNRESET) {
					s.router.Refuse(w, q, refused(leader, err))
					return
				}
				refusal = refused(leader, err)
				q.Header.Set(model.RepeatHeader, "1") // the old leader may have carried it out
				if s.Leadership.Leader() != leader {
					until = time.Now().Add(electionTimeout)
				}
			}
			select {
			case <-q.Context().Done():
				return
			case <-time.After(pause):
			}
			if time.Now().After(until) {
				if leader := s.Leadership.Leader(); leader == "" {
					refusal = s.leaderless()
				}
				s.router.Refuse(w, q, refusal)
				return
			}
		}
	})
}

// leaderless says that no one leads, and why as far as this master knows.
func (s *Server) leaderless() *model.Error {
	e := model.Errorf(model.CodeUnavailable, "", "Leader not found")
	if waiting := s.Waiting(); len(waiting) > 0 {
		return e.Try("this netmaster waits for %s", waiting[0])
	}
	return e.Try("repeat the request; netctl node ls shows the netmasters")
}

// errStale says that the one that was asked no longer leads.
var errStale = errors.New("it no longer leads")

func refused(leader string, err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the leader %s did not answer: %v", leader, err).Because(err).Try("repeat the request; it is safe to do so")
}

// perHop are the headers of one connection, not of the request (RFC 9110, section 7.6.1), and those that a browser adds, which have
// done their duty here.
var perHop = []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade",
	"Content-Length", "Origin", "Sec-Fetch-Site", "Cookie"}

// withoutHop is a copy of a header without what is of one connection, or named by Connection.
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

// pass sends the request to the leader: to its address, whatever the request says, and with the request's path and query alone.
func (s *Server) pass(q *http.Request, leader string, body []byte) (*http.Response, error) {
	to := url.URL{Path: q.URL.Path, RawPath: q.URL.RawPath, RawQuery: q.URL.RawQuery}
	out, err := http.NewRequestWithContext(q.Context(), q.Method, s.Transport.URL(leader, to.String()), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if out.URL.Host != leader || out.URL.User != nil {
		return nil, model.Errorf(model.CodeInternal, "", "%q is not the address of a leader", leader)
	}
	out.Header = withoutHop(q.Header)
	out.Header.Del(subjectHeader)
	if who := access.Of(q.Context()); who.Known() {
		out.Header.Set(subjectHeader, who.Text())
		out.Header.Del(TokenHeader) // it has done its duty here
		out.Header.Del("Authorization")
	}
	s.sign(out, Client(q), body)
	if q.Header.Get("Accept") == "" {
		out.Header["Accept"] = nil // the answer to a client of the original stays as that client knows it
	}
	if out.UserAgent() == "" {
		out.Header["User-Agent"] = []string{""} // who does not say with what it asks is not taken for this program
	}
	ctx, answered := s.whileLeads(q.Context(), leader)
	answer, err := s.Transport.HTTP.Do(out.WithContext(ctx))
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

// errLate says that the leader has not answered in time. It may still do what it was asked.
var errLate = errors.New("it has not answered in time, and may still do what it was asked")

// whileLeads is a context that also ends, by errStale, a while after another leads or none does: one whose host or network is gone would
// never answer. It ends by errLate when the leader takes too long. Once answered is called, it ends only with ctx.
func (s *Server) whileLeads(ctx context.Context, leader string) (limited context.Context, answered func()) {
	limited, end := context.WithCancelCause(ctx)
	quiet, answer := context.WithCancel(ctx)
	late := time.NewTimer(cmp.Or(s.AnswerLimit, answerLimit))
	go func() {
		defer answer()
		defer late.Stop()
		for {
			changed := s.Leadership.Changed()
			if s.Leadership.Leader() != leader {
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
		case <-time.After(lastWord):
			end(errStale)
		case <-quiet.Done():
		}
	}()
	return limited, answer
}

// relay writes the leader's answer, once this follower knows what it says.
func (s *Server) relay(w http.ResponseWriter, q *http.Request, answer *http.Response) {
	defer func() { _ = answer.Body.Close() }()
	if rev, err := strconv.ParseUint(answer.Header.Get(model.RevisionHeader), 10, 64); err == nil {
		ctx, cancel := context.WithTimeout(q.Context(), catchUp)
		_ = s.Catalog.Wait(ctx, store.Revision(rev)) // if it is late, the client may read the state before its change
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
