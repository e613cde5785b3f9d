// SPDX-License-Identifier: Apache-2.0

// Package certificates keeps the certificates of a netmaster's host: it renews them, refuses revoked ones, and replaces the cluster's authority.
package certificates

import (
	"context"
	"io/fs"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// Own are the certificates of this host. The zero Own is of an insecure netmaster, which has none.
type Own struct {
	Holder   *trust.Holder // nil: everything is plain HTTP
	Internal string        // address "host:port" of this netmaster
	Embedded bool          // the store runs in this process, and reads the authorities only at its start
}

// Part returns the part of a netmaster over its store. reseal seals the secrets of the store by the authority that signs.
func (c *Own) Part(known *catalog.Catalog, committer *commit.Committer, reseal func(*commit.Tx) error, log *slog.Logger) part.Part {
	return part.Part{Tasks: []task.Task{c.revocation(known, log), c.rotation(known, committer, reseal, log)}, Waiting: []func() string{c.Revoked}, Metrics: c.metrics()}
}

// metrics returns when netmaster's certificate ends; nothing without certificates.
func (c *Own) metrics() []prometheus.Collector {
	if c.Holder == nil {
		return nil
	}
	return []prometheus.Collector{part.Gauge("certificate_expiry_timestamp_seconds", "Time at which netmaster's certificate ends, in seconds since 1970.",
		func() float64 { return float64(c.Holder.Certificate().NotAfter.Unix()) })}
}

// Validity returns when this netmaster's certificate is valid; nil: it has none.
func (c *Own) Validity() *model.Validity {
	if c.Holder == nil {
		return nil
	}
	own := c.Holder.Certificate()
	return &model.Validity{From: own.NotBefore.UTC().Format(time.RFC3339), Until: own.NotAfter.UTC().Format(time.RFC3339)}
}

// Seal returns what seals netmaster's own secrets; fs.ErrNotExist: the authority's key is not on this host, or there is no authority.
func (c *Own) Seal() (*trust.Seal, error) {
	if c.Holder == nil {
		return nil, fs.ErrNotExist
	}
	return c.Holder.Dir().Seal()
}

// Revoked returns why this netmaster may not lead: its certificate is revoked. It returns "" if it may.
func (c *Own) Revoked() string {
	if c.Holder == nil {
		return ""
	}
	return c.Holder.RevokedReason()
}

// revocation has netmaster, and its embedded store, refuse the certificates that the store lists as revoked.
func (c *Own) revocation(known *catalog.Catalog, log *slog.Logger) task.Task {
	return part.Started("revoked certificates", func(ctx context.Context) error {
		if c.Holder != nil {
			membership.FollowRevocations(ctx, known, func(serials []string) {
				c.Holder.Revoke(serials)
				if !c.Embedded {
					return
				}
				if err := c.Holder.Dir().SaveRevoked(serials); err != nil {
					log.Error("the embedded store continues to accept revoked certificates", "error", err)
				}
			})
		}
		<-ctx.Done()
		return nil
	})
}
