// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Tasks return what keeps the certificates in use as they are in their directory, and renews them, also while the netmaster has no store.
func (c *Own) Tasks(log *slog.Logger) []task.Task {
	if c.Holder == nil {
		return nil
	}
	return []task.Task{
		task.Func("certificates", func(ctx context.Context, ready func()) error {
			ready()
			c.Holder.Watch(ctx, log)
			return nil
		}),
		task.Func("renewal of the certificate", func(ctx context.Context, ready func()) error {
			ready()
			c.Holder.Renew(ctx, c.renewed, log)
			return nil
		}),
		task.Func("renewal of the user's certificate", func(ctx context.Context, ready func()) error {
			ready()
			c.keepUser(ctx, log)
			return nil
		}),
	}
}

// renewTimeout is how long netmaster waits for a leader that lists a new certificate.
const renewTimeout = 10 * time.Second

// renewed certifies another key of this netmaster: the leader does, so that the certificate is listed and can be revoked; while there is none, it does so itself,
// as every netmaster can.
func (c *Own) renewed(ctx context.Context, r *trust.Request) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, renewTimeout)
	defer cancel()
	way := &http.Transport{TLSClientConfig: c.Holder.Client(trust.Master, ""), DisableKeepAlives: true}
	own := client.Client{Base: "https://" + c.Internal, HTTP: &http.Client{Transport: way}, Program: "netmaster"}
	if out, err := own.RenewCertificate(limited, model.RenewRequest{Request: string(r.PEM())}); err == nil {
		return []byte(out.Certificate), nil
	}
	a, err := c.Holder.Dir().Authority()
	if err != nil {
		return nil, err
	}
	made, err := a.Issue(r, c.Holder.Identity(), time.Now(), trust.Lifetime)
	if err != nil {
		return nil, err
	}
	return trust.CertificatePEM(made), nil
}
