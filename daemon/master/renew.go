package main

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

// proof keeps the certificates of netmaster in use as they are in their folder, and renews its own. Without a holder there is nothing to keep.
func (c *config) proof(log *slog.Logger) []task.Task {
	if c.holder == nil {
		return nil
	}
	return []task.Task{
		task.Func("certificates", func(ctx context.Context, ready func()) error {
			ready()
			c.holder.Watch(ctx, log)
			return nil
		}),
		task.Func("renewal of the certificate", func(ctx context.Context, ready func()) error {
			ready()
			c.holder.Renew(ctx, c.renewed, log)
			return nil
		}),
		task.Func("renewal of the user's certificate", func(ctx context.Context, ready func()) error {
			ready()
			c.keepUser(ctx, log)
			return nil
		}),
	}
}

// renewLimit is for how long a leader is waited for that lists a new certificate.
const renewLimit = 10 * time.Second

// renewed certifies another key of this netmaster: the leader does, so that the certificate is listed and can be revoked; while there is none, it does so itself,
// as every netmaster can.
func (c *config) renewed(ctx context.Context, r *trust.Request) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	way := &http.Transport{TLSClientConfig: c.holder.Client(trust.Master, ""), DisableKeepAlives: true}
	own := client.Client{Base: "https://" + c.Internal, HTTP: &http.Client{Transport: way}, Program: "netmaster"}
	if out, err := own.RenewCertificate(limited, model.RenewRequest{Request: string(r.PEM())}); err == nil {
		return []byte(out.Certificate), nil
	}
	a, err := c.holder.Dir().Authority()
	if err != nil {
		return nil, err
	}
	made, err := a.Issue(r, c.holder.Identity(), time.Now(), trust.Lifetime)
	if err != nil {
		return nil, err
	}
	return trust.CertificatePEM(made), nil
}
