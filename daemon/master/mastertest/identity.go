// SPDX-License-Identifier: Apache-2.0

package mastertest

import (
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/url"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/trust"
)

// identityHeader stands for the certificate of a client's connection. No netmaster but that of a test knows it.
const identityHeader = "X-Test-Identity"

// certified is a request as it comes over a connection whose client has proved what the header says.
func certified(q *http.Request) *http.Request {
	u, err := url.Parse(q.Header.Get(identityHeader))
	q.Header.Del(identityHeader)
	if err != nil || u.Scheme == "" {
		return q
	}
	out := q.Clone(q.Context())
	out.TLS = &tls.ConnectionState{VerifiedChains: [][]*x509.Certificate{{{URIs: []*url.URL{u}}}}}
	return out
}

// As is a client that proves by a certificate to be someone.
func (m *Master) As(i trust.Identity) channel.Master { return m.with(identityHeader, i.String()) }

// Holding is a client that sends a token.
func (m *Master) Holding(token string) channel.Master { return m.with("X-Auth-Token", token) }

// Stranger is a client that proves nothing.
func (m *Master) Stranger() channel.Master { return m.with("X-Test", "") }

func (m *Master) with(name, value string) channel.Master {
	return channel.Master{Client: &client.Client{Base: m.URL, HTTP: &http.Client{Transport: stamped{name, value, m.Client.HTTP.Transport}}}}
}

// stamped adds a header to each request.
type stamped struct {
	name, value string
	next        http.RoundTripper
}

// RoundTrip sends the request.
func (s stamped) RoundTrip(q *http.Request) (*http.Response, error) {
	out := q.Clone(q.Context())
	out.Header.Set(s.name, s.value)
	return s.next.RoundTrip(out)
}
