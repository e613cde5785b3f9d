package node

import (
	"context"
	"crypto/tls"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// scheme is that of the URLs of netmasters.
func (n *Node) scheme() string {
	if n.Trust == nil {
		return "http"
	}
	return "https"
}

// secure is how netmasters are spoken to; nil: in plain.
func (c *Config) secure() *tls.Config {
	if c.Trust == nil {
		return nil
	}
	return c.Trust.Client(trust.Master, "")
}

// way is how netmasters are reached.
func (n *Node) way() *http.Client {
	out := channel.NewHTTP(n.Trust)
	if n.Trust != nil {
		out.Transport = n.Trust.Explain(out.Transport)
	}
	out.Transport = &channel.Claiming{Base: out.Transport, Known: func() string { return n.told.Incarnation() }}
	return out
}

// certificates keep what proves the agent as it is in its folder.
func (n *Node) certificates() []task.Task {
	if n.Trust == nil {
		return nil
	}
	return []task.Task{
		task.Func("certificates", func(ctx context.Context, ready func()) error {
			ready()
			n.Trust.Watch(ctx, n.Log)
			return nil
		}),
		task.Func("renewal of the certificate", func(ctx context.Context, ready func()) error {
			ready()
			n.Trust.Renew(ctx, n.renewed, n.Log)
			return nil
		}),
		task.Func("revoked certificates", func(ctx context.Context, ready func()) error {
			ready()
			n.distrust.Run(ctx)
			return nil
		}),
	}
}

// revoke has the agent refuse certificates.
func (n *Node) revoke(serials []string) {
	if n.Trust != nil {
		n.Trust.Revoke(serials)
	}
}

// once is how netmasters are reached by a connection for one request.
func (n *Node) once() *http.Client {
	return &http.Client{Transport: &http.Transport{TLSClientConfig: n.secure(), DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// askRevoked is what a netmaster says is revoked.
func (n *Node) askRevoked(ctx context.Context, url string) (out []record.Revocation, err error) {
	one := client.Client{Base: url, HTTP: n.once(), Program: "netplugin"}
	err = one.Raw(ctx, channel.RevokedPath, &out)
	return out, err
}

// askDate asks the netmaster at a URL for its time, as its answers say (RFC 9110, section 6.6.1).
func (n *Node) askDate(ctx context.Context, url string) (time.Time, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/healthz", nil)
	if err != nil {
		return time.Time{}, err
	}
	answer, err := n.once().Do(q)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	return http.ParseTime(answer.Header.Get("Date"))
}

// renewed has a netmaster certify another key of the agent. A certificate that has ended is accepted in no handshake: its key signs the request.
func (n *Node) renewed(ctx context.Context, r *trust.Request) ([]byte, error) {
	if n.Trust.Ended() {
		return n.renewedAfterEnd(ctx, r)
	}
	masters := client.Client{Masters: n.Find, HTTP: n.once(), Program: "netplugin"}
	out, err := masters.RenewCertificate(ctx, model.RenewRequest{Request: string(r.PEM())})
	if err != nil {
		return nil, n.Trust.Refused(err)
	}
	return []byte(out.Certificate), nil
}

// renewedAfterEnd has a netmaster certify another key of the agent by the certificate that has ended.
func (n *Node) renewedAfterEnd(ctx context.Context, r *trust.Request) ([]byte, error) {
	certificate, signature, err := n.Trust.Vouch(r)
	if err != nil {
		return nil, err
	}
	way := &http.Client{Transport: &http.Transport{TLSClientConfig: n.Trust.Visitor(), DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	masters := client.Client{Masters: n.Find, HTTP: way, Program: "netplugin"}
	out, err := masters.RenewEndedCertificate(ctx, model.RenewEndedRequest{Request: string(r.PEM()), Certificate: string(certificate), Signature: signature, Machine: n.Machine})
	return []byte(out.Certificate), err
}
