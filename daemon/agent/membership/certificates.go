// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/part"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Scheme returns the scheme of the URLs of netmasters.
func Scheme(h *trust.Holder) string {
	if h == nil {
		return "http"
	}
	return "https"
}

// tls returns the TLS configuration for netmasters; nil: plain.
func (m *Membership) tls() *tls.Config {
	if m.Trust == nil {
		return nil
	}
	return m.Trust.Client(trust.Master, "")
}

// transport returns the client for netmasters.
func (m *Membership) transport() *http.Client {
	out := channel.NewHTTP(m.Trust)
	if m.Trust != nil {
		out.Transport = m.Trust.Explain(out.Transport)
	}
	return out
}

// certificates returns the tasks that maintain the agent's certificate in its directory.
func (m *Membership) certificates() []task.Task {
	if m.Trust == nil {
		return nil
	}
	return []task.Task{
		part.Started("certificates", func(ctx context.Context) error { m.Trust.Watch(ctx, m.Log); return nil }),
		part.Started("renewal of the certificate", func(ctx context.Context) error { m.Trust.Renew(ctx, m.renewed, m.Log); return nil }),
		part.Started("authorities", func(ctx context.Context) error { m.followAuthorities(ctx); return nil }),
		part.Started("revoked certificates", func(ctx context.Context) error { m.revoked.Run(ctx); return nil }),
	}
}

// revoke makes the agent refuse certificates.
func (m *Membership) revoke(serials []string) {
	if m.Trust != nil {
		m.Trust.Revoke(serials)
	}
}

// once returns a client for netmasters with a connection for one request.
func (m *Membership) once() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: m.tls(), DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// askRevoked asks the netmaster at a URL for the revoked certificates.
func (m *Membership) askRevoked(ctx context.Context, url string) (out []record.Revocation, err error) {
	one := client.Client{Base: url, HTTP: m.once(), Program: "netplugin"}
	err = one.Raw(ctx, channel.RevokedPath, &out)
	return out, err
}

// askDate asks the netmaster at a URL for its time, from the Date header (RFC 9110, section 6.6.1).
func (m *Membership) askDate(ctx context.Context, url string) (time.Time, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		return time.Time{}, err
	}
	answer, err := m.once().Do(q)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	return http.ParseTime(answer.Header.Get("Date"))
}

// renewed lets a netmaster certify another key of the agent. No handshake accepts an expired certificate: its key signs the request
// instead.
func (m *Membership) renewed(ctx context.Context, r *trust.Request) ([]byte, error) {
	if m.Trust.Ended() {
		return m.renewedAfterEnd(ctx, r)
	}
	masters := client.Client{Masters: m.Netmasters.Find, HTTP: m.once(), Program: "netplugin"}
	out, err := masters.RenewCertificate(ctx, model.RenewRequest{Request: string(r.PEM())})
	if err != nil {
		return nil, m.Trust.Refused(err)
	}
	return []byte(out.Certificate), nil
}

// renewedAfterEnd lets a netmaster certify another key of the agent by its expired certificate.
func (m *Membership) renewedAfterEnd(ctx context.Context, r *trust.Request) ([]byte, error) {
	certificate, signature, err := m.Trust.SignRequest(r)
	if err != nil {
		return nil, err
	}
	visitor := &http.Client{Transport: &http.Transport{TLSClientConfig: m.Trust.Visitor(), DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	masters := client.Client{Masters: m.Netmasters.Find, HTTP: visitor, Program: "netplugin"}
	out, err := masters.RenewEndedCertificate(ctx, model.RenewEndedRequest{Request: string(r.PEM()), Certificate: string(certificate), Signature: signature, Machine: m.Self.Machine})
	return []byte(out.Certificate), err
}
