// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	answerTimeout = 5 * time.Second // for each answer of a provider
	maxAnswer     = 1 << 20
)

// fetcher reaches a provider, only over TLS, and bounds the length of answers.
type fetcher struct{ client *http.Client }

// newFetcher returns a fetcher for a provider with certificates of authorities, in PEM; "": those of this machine.
func newFetcher(ca string) (*fetcher, error) {
	t := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM([]byte(ca)) {
			return nil, errors.New("caCertificate has no certificate in PEM")
		}
	}
	base := &http.Transport{Proxy: http.ProxyFromEnvironment, TLSClientConfig: t, ForceAttemptHTTP2: true, TLSHandshakeTimeout: answerTimeout, ResponseHeaderTimeout: answerTimeout, IdleConnTimeout: time.Minute, MaxIdleConnsPerHost: 2}
	return &fetcher{&http.Client{Transport: bounded{base}, Timeout: 2 * answerTimeout, CheckRedirect: func(q *http.Request, _ []*http.Request) error {
		return fmt.Errorf("it sends on to %s, where no secret is to go", quoted(q.URL.String()))
	}}}, nil
}

// with returns a context in which the libraries use the fetcher.
func (w *fetcher) with(ctx context.Context) context.Context { return oidc.ClientContext(ctx, w.client) }

// proving is with, for requests in which the oauth2 library does not authenticate the client: those of a device code.
func (w *fetcher) proving(ctx context.Context, c *oauth2.Config) context.Context {
	if c.ClientSecret == "" {
		return w.with(ctx)
	}
	client := *w.client
	client.Transport = proved{w.client.Transport, c}
	return oidc.ClientContext(ctx, &client)
}

// proved adds the client's secret to a request (RFC 6749, section 2.3.1), in its header, which every provider must accept.
type proved struct {
	next http.RoundTripper
	c    *oauth2.Config
}

// RoundTrip sends the request.
func (p proved) RoundTrip(q *http.Request) (*http.Response, error) {
	out := q.Clone(q.Context())
	out.SetBasicAuth(url.QueryEscape(p.c.ClientID), url.QueryEscape(p.c.ClientSecret))
	return p.next.RoundTrip(out)
}

// bounded refuses plain HTTP, and bounds answers.
type bounded struct{ next http.RoundTripper }

// RoundTrip sends the request.
func (b bounded) RoundTrip(q *http.Request) (*http.Response, error) {
	if q.URL.Scheme != "https" {
		return nil, fmt.Errorf("%s is not https", quoted(q.URL.String()))
	}
	a, err := b.next.RoundTrip(q)
	if err != nil {
		return nil, err
	}
	a.Body = &ending{http.MaxBytesReader(nil, a.Body, maxAnswer)}
	return a, nil
}

// ending names the server of a too long answer.
type ending struct{ io.ReadCloser }

// Read implements io.Reader.
func (e *ending) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	var long *http.MaxBytesError
	if errors.As(err, &long) {
		err = fmt.Errorf("the provider's answer has more than %d bytes", long.Limit)
	}
	return n, err
}

// quoted quotes an external text for an error.
func quoted(s string) string { return fmt.Sprintf("%.200q", s) }
