// SPDX-License-Identifier: Apache-2.0

// Package client is the REST client of netmaster: generated accessors for every kind of object, the watch stream, and the state of a
// cluster. netctl, the console, the agent and the tests all reach the cluster through it.
//
// Programs outside of this repository may use it, with packages api/model and trust: the three import only the standard library and packages
// of this module. See the example of the package. Methods block until a netmaster answers or the context ends; a refusal is a *model.Error,
// whose Code is stable. Clients are safe for concurrent use.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/sanitize"
)

// DefaultBase is the default URL of netmaster.
const DefaultBase = "http://netmaster:9999"

// Client sends requests to netmaster. Its zero value works, with DefaultBase. Fields must not change after the first request.
type Client struct {
	// Base is the URL of any netmaster, "http://host:port", or of several, joined by commas: if one does not answer, the next is tried.
	Base string
	// Masters, if set, replaces Base: the URLs of all netmasters, best first, read again for each attempt.
	Masters func(ctx context.Context) []string
	// HTTP sends the requests; nil: http.DefaultClient.
	HTTP *http.Client
	// Actor returns the user behind the requests, for the history: "ann@laptop", a host's label. It is a claim. It is called for changes;
	// nil: no user is named.
	Actor func() string
	// Program is sent as the User-Agent: "netctl/1.0"; "": Go's own.
	Program string
	// Token is sent as X-Auth-Token if the URL is https; over http a token is refused.
	Token string
	// Timeout is how long a request without an answer is repeated while the cluster elects a leader; 0: every netmaster is tried once. All
	// requests of the API may be repeated.
	Timeout time.Duration
	// Moment is the earlier moment that reads are about, a revision or a time of RFC 3339; "": now. See AsOf.
	Moment string
	// Stale is called with a netmaster's URL and its reason if a read was answered by one that may lag behind the store, and no up-to-date
	// one answered. It may be called by several goroutines at a time; nil: such answers are treated like others.
	Stale func(base, reason string)
}

// Revision is the store revision of a change, 0 for an answer without one.
type Revision = uint64

const maxAnswer = 256 << 20

// maxReason bounds the reason why a netmaster may lag behind the store, in bytes.
const maxReason = 300

// preferKey marks a context with the netmaster to try first.
type preferKey struct{}

// Prefer returns a context whose requests try the netmaster at base first, and the others if it does not answer. An empty base changes
// nothing.
func Prefer(ctx context.Context, base string) context.Context {
	if base == "" {
		return ctx
	}
	return context.WithValue(ctx, preferKey{}, base)
}

// Preferred returns the base set by Prefer; "" if none is set.
func Preferred(ctx context.Context) string {
	base, _ := ctx.Value(preferKey{}).(string)
	return base
}

// bases lists the URLs to try, in order.
func (c *Client) bases(ctx context.Context) []string {
	list := []string{DefaultBase}
	switch {
	case c.Masters != nil:
		list = c.Masters(ctx)
	case c.Base != "":
		list = strings.Split(c.Base, ",")
	}
	if first := Preferred(ctx); first != "" {
		return append([]string{first}, list...)
	}
	return list
}

// call is exchange for a change: it returns the revision that the answer carries.
func (c *Client) call(ctx context.Context, method, path string, in, out any) (rev Revision, err error) {
	header, err := c.exchange(ctx, method, path, in, out)
	if h := header.Get(model.RevisionHeader); err == nil && h != "" {
		if _, err = fmt.Sscan(h, &rev); err != nil {
			return 0, fmt.Errorf("%s %s: header %s: %w", method, path, model.RevisionHeader, err)
		}
	}
	return rev, err
}

// exchange sends one request, decodes the answer into out (unless nil; a func(io.Reader) error reads it as it comes) and returns its
// header. It blocks until an answer, ctx's end, or the end of the client's timeout. A refusal is a *model.Error.
func (c *Client) exchange(ctx context.Context, method, path string, in, out any) (http.Header, error) {
	var body []byte
	if in != nil {
		var err error
		if body, err = json.Marshal(in); err != nil {
			return nil, fmt.Errorf("encode %s %s: %w", method, path, err)
		}
	}
	deadline := time.Now().Add(c.Timeout)
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 500*time.Millisecond) {
		header, err := c.round(ctx, method, path, body, out)
		ctx = repeating(ctx)
		if err == nil || !unavailable(err) || rejected(err) || time.Now().Add(pause).After(deadline) {
			return header, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// repeatKey marks the context of a request that has been sent before.
type repeatKey struct{}

func repeating(ctx context.Context) context.Context { return context.WithValue(ctx, repeatKey{}, true) }

// round tries each netmaster in turn until one answers. If none succeeds, the error contains the reason of each: those of running
// netmasters before those of addresses without an answer.
func (c *Client) round(ctx context.Context, method, path string, body []byte, out any) (http.Header, error) {
	var said, silent []error
	bases, old := c.bases(ctx), ""
	if method == http.MethodGet && len(bases) > 1 {
		ctx = context.WithValue(ctx, currentKey{}, true)
	}
	for _, base := range bases {
		header, err := c.one(ctx, base, method, path, body, out)
		if err == nil || !unavailable(err) || ctx.Err() != nil {
			return header, err
		}
		if _, stale := errors.AsType[*staleError](err); stale && old == "" {
			old = base
		}
		if _, unreached := errors.AsType[*url.Error](err); unreached {
			silent = append(silent, err)
		} else {
			said = append(said, err)
		}
		ctx = repeating(ctx)
	}
	if old != "" { // a stale answer is better than none, and is marked as such
		return c.one(context.WithValue(ctx, currentKey{}, nil), old, method, path, body, out)
	}
	switch {
	case len(said) > 0:
		return nil, said[0]
	case len(silent) == 1:
		return nil, silent[0]
	case len(silent) > 1:
		return nil, none(silent)
	}
	return nil, model.Errorf(model.CodeUnavailable, "", "no netmaster is known").Try("start one, or name it with --netmaster")
}

// currentKey marks the context of a request that only an up-to-date netmaster may answer.
type currentKey struct{}

// staleError is the refusal of a netmaster that may lag behind.
type staleError struct{ error }

// Unwrap is the refusal.
func (e *staleError) Unwrap() error { return e.error }

// none returns the error for the case that no netmaster answers, with the reason of each.
func none(silent []error) error {
	var each []string
	for _, err := range silent {
		if u, ok := errors.AsType[*url.Error](err); ok {
			each = append(each, fmt.Sprintf("%s: %v", hostOf(u.URL), u.Err))
		}
	}
	return model.Errorf(model.CodeUnavailable, "", "none of %d netmasters answers: %s", len(silent), strings.Join(each, "; ")).
		Try("do netmasters run, and are the addresses right?").Because(errors.Join(silent...))
}

// hostOf returns the address in a URL.
func hostOf(text string) string {
	if u, err := url.Parse(text); err == nil {
		return u.Host
	}
	return text
}

func (c *Client) one(ctx context.Context, base, method, path string, body []byte, out any) (http.Header, error) {
	answer, err := c.send(ctx, base, method, path, "application/json", body)
	if err != nil {
		return nil, err
	}
	defer drain(answer.Body)
	if err := c.accepted(base, answer); err != nil {
		return nil, err
	}
	in := io.LimitReader(answer.Body, maxAnswer)
	switch out := out.(type) {
	case nil:
		return answer.Header, nil
	case func(io.Reader) error:
		if err := out(in); err != nil {
			return nil, fmt.Errorf("%s %s%s: read the answer: %w", method, base, path, err)
		}
		return answer.Header, nil
	}
	if err := json.NewDecoder(in).Decode(out); err != nil {
		return nil, fmt.Errorf("%s %s%s: decode the answer: %w", method, base, path, err)
	}
	return answer.Header, nil
}

// accepted returns the error of a refusal, nil for any other answer. It reports a stale one.
func (c *Client) accepted(base string, answer *http.Response) error {
	reason := answer.Header.Get(model.StaleHeader)
	switch {
	case answer.StatusCode == http.StatusServiceUnavailable && reason != "":
		return &staleError{Refusal(answer)}
	case answer.StatusCode != http.StatusOK:
		return Refusal(answer)
	case reason != "" && c.Stale != nil:
		c.Stale(base, sanitize.Line(reason, maxReason))
	}
	return nil
}

func (c *Client) send(ctx context.Context, base, method, path, accept string, body []byte) (*http.Response, error) {
	if err := checkBase(base); err != nil {
		return nil, err
	}
	path, err := c.asOf(method, path)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(base, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, model.Errorf(model.CodeInvalid, "netmaster", "netmaster URL %q is not valid: %v", base, err)
	}
	request.Header.Set("Accept", accept)
	if c.Actor != nil && method != http.MethodGet {
		request.Header.Set(model.ActorHeader, c.Actor())
	}
	if c.Program != "" {
		request.Header.Set("User-Agent", c.Program)
	}
	if ctx.Value(currentKey{}) != nil {
		request.Header.Set(model.CurrentHeader, "1")
	}
	if ctx.Value(repeatKey{}) != nil {
		request.Header.Set(model.RepeatHeader, "1")
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		if request.URL.Scheme != "https" {
			return nil, model.Errorf(model.CodeInvalid, "netmaster", "a token may only be sent over https").Try("use an https:// URL, or log out by removing ~/.netctl/config.json")
		}
		request.Header.Set("X-Auth-Token", c.Token)
	}
	sender := c.HTTP
	if sender == nil {
		sender = http.DefaultClient
	}
	careful := *sender
	careful.CheckRedirect = c.redirected(sender.CheckRedirect)
	answer, err := careful.Do(request)
	if err != nil {
		if refusal, ok := errors.AsType[*model.Error](err); ok {
			return nil, refusal
		}
		return nil, model.Errorf(model.CodeUnavailable, "", "%s %s: %v", method, request.URL.Redacted(), errors.Unwrap(err)).
			Try("is netmaster running and is the address right?").Because(err)
	}
	if err := c.ofMoment(base, answer); err != nil {
		drain(answer.Body)
		return nil, err
	}
	return answer, nil
}

// maxRedirects is the maximum number of redirections.
const maxRedirects = 5

// redirected decides whether a redirection is followed: never from https to http, and to another host only for requests with neither a
// token nor a body. then decides about the others; nil: all are followed.
func (c *Client) redirected(then func(*http.Request, []*http.Request) error) func(*http.Request, []*http.Request) error {
	return func(next *http.Request, sent []*http.Request) error {
		first := sent[0]
		refuse := func(why string) error {
			return model.Errorf(model.CodeInvalid, "netmaster", "%s redirects to %s://%s, and %s", first.URL.Host, next.URL.Scheme, next.URL.Host, why).
				Try("name that one with --netmaster if you trust it")
		}
		switch {
		case len(sent) > maxRedirects:
			return refuse("there are too many redirections")
		case first.URL.Scheme == "https" && next.URL.Scheme != "https":
			return refuse("a request over https is not repeated over http")
		case next.URL.Host != first.URL.Host && (c.Token != "" || first.ContentLength > 0):
			return refuse("neither a token nor a change is sent to another host")
		}
		if then != nil {
			return then(next, sent)
		}
		return nil
	}
}

// Refusal returns the error of an answer other than 200; if netmaster gives a reason, a *model.Error. It reads the body.
func Refusal(answer *http.Response) error {
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<20))
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	if kind == "application/problem+json" {
		var p model.Problem
		if err := json.Unmarshal(text, &p); err == nil {
			return p.Error()
		}
	}
	code, message := model.CodeInternal, strings.TrimSpace(string(text))
	switch answer.StatusCode {
	case http.StatusNotFound:
		code, message = model.CodeNotFound, "Page not found!"
	case http.StatusForbidden, http.StatusUnauthorized:
		code, message = model.CodeInvalid, "Access denied!"
	case http.StatusInternalServerError:
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		code = model.CodeUnavailable
	default:
		message = answer.Status
	}
	e := model.Errorf(code, "", "%s", message)
	if answer.StatusCode == http.StatusNotFound && answer.Request != nil { // a netmaster's own error would name what is missing
		e = e.Try("is %s the address of a netmaster?", answer.Request.URL)
	}
	return e
}

func unavailable(err error) bool { return IsCode(err, model.CodeUnavailable) }

// rejected reports whether a server ended the TLS handshake, for instance because of the client's certificate: a retry would end the same
// way.
func rejected(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "remote error" // as crypto/tls names the alerts of the other side
}

// IsCode reports whether err is a refusal with this code.
func IsCode(err error, code model.Code) bool {
	var e *model.Error
	return errors.As(err, &e) && e.Code == code
}

func drain(body io.ReadCloser) {
	_, _ = io.Copy(io.Discard, io.LimitReader(body, 64<<10))
	_ = body.Close()
}
