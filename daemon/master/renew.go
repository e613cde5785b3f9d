package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// proof keeps the certificates of netmaster in use as they are in their folder, and renews its own, by the authority that every netmaster has. Without a holder there is
// nothing to keep.
func proof(holder *trust.Holder, log *slog.Logger) []task.Task {
	if holder == nil {
		return nil
	}
	sign := func(_ context.Context, r *trust.Request) ([]byte, error) {
		a, err := holder.Dir().Authority()
		if err != nil {
			return nil, err
		}
		c, err := a.Issue(r, holder.Identity(), time.Now(), trust.Lifetime)
		if err != nil {
			return nil, err
		}
		return trust.CertificatePEM(c), nil
	}
	return []task.Task{
		task.Func("certificates", func(ctx context.Context, ready func()) error {
			ready()
			holder.Watch(ctx, log)
			return nil
		}),
		task.Func("renewal of the certificate", func(ctx context.Context, ready func()) error {
			ready()
			holder.Renew(ctx, sign, log)
			return nil
		}),
	}
}
