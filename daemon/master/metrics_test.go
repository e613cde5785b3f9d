// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/certificates"
	"github.com/contiv/contiv/daemon/master/maintenance"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/master/storage"
	"github.com/contiv/contiv/daemon/metricstest"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/daemon/storeconfig"
	"github.com/contiv/contiv/daemon/usage"
	"github.com/contiv/contiv/trust"
)

// saving is a store that has snapshots.
type saving struct{ store.Store }

func (saving) Snapshot(context.Context) (io.ReadCloser, error) { return nil, io.ErrUnexpectedEOF }
func (saving) Read(context.Context, string) (item store.Item, err error) {
	return item, io.ErrUnexpectedEOF
}

// The page of metrics has those of a whole netmaster: of its server, its certificates, its store and its snapshots.
func TestMetricsPage(t *testing.T) {
	log := slog.New(slog.DiscardHandler)
	dir := trust.Dir(t.TempDir())
	authority, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := authority.PEM()
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.SaveAuthority(certificate, key); err != nil {
		t.Fatal(err)
	}
	if err := dir.Certify(authority, trust.Identity{Role: trust.Master, Name: "h1"}, time.Now(), "h1"); err != nil {
		t.Fatal(err)
	}
	holder, err := trust.Open(dir, trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	all := []prometheus.Collector{mastertest.Start(t, mastertest.Options{}).Metrics, (&maintenance.Space{}).Metrics()}
	snapshots := storage.Snapshots{}
	snapshots.Interval, snapshots.Dir = time.Hour, t.TempDir()
	saved, _ := snapshots.Part(saving{memory.New()}, storeconfig.Config{}, holder, log)
	all = append(all, saved.Metrics...)
	all = append(all, usage.NewCollector("master", func() []model.Resource { return nil }))
	all = append(all, (&certificates.Own{Holder: holder}).Part(nil, nil, nil, log).Metrics...)
	types := map[string]string{"contiv_master_request_seconds": "histogram"}
	metricstest.Page(t, "../../docs/reference/metrics.md", "netmaster", metricstest.Declared(t, types, all...), *update)
}
