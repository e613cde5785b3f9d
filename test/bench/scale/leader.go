// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/test/bench/report"
)

// leaders measures netmasters that begin to lead: one that starts, and one that has followed, when the leader is killed.
func (w *world) leaders(ctx context.Context, t *report.Table) error {
	began := time.Now()
	first, err := launch(ctx, w.netmaster, w.listen, filepath.Join(w.dir, "first.log"), w.etcd.client)
	if err != nil {
		return err
	}
	w.masters = append(w.masters, first)
	if err := first.takes(ctx, "one"); err != nil {
		return err
	}
	took := time.Since(began)
	t.Add(report.Row{What: "a netmaster starts, until it takes changes", Ours: seconds(took), Target: "5 s", Met: took <= 5*time.Second})
	most, err := peak(first.cmd.Process.Pid)
	if err != nil {
		return err
	}
	t.Add(report.Row{What: "... its memory, at most", Ours: megabytes(most), Target: "1 GB", Met: most <= 1e9})
	second, err := launch(ctx, w.netmaster, w.listen, filepath.Join(w.dir, "second.log"), w.etcd.client)
	if err != nil {
		return err
	}
	w.masters = append(w.masters, second)
	began = time.Now()
	first.end(syscall.SIGKILL)
	w.masters = w.masters[1:]
	if err := second.takes(ctx, "two"); err != nil {
		return err
	}
	took = time.Since(began)
	t.Add(report.Row{What: "the leader killed, until the one that followed takes changes", Ours: seconds(took), Target: "3 s", Met: took <= 3*time.Second})
	if most, err = peak(second.cmd.Process.Pid); err != nil {
		return err
	}
	t.Add(report.Row{What: "... its memory, at most", Ours: megabytes(most), Target: "1 GB", Met: most <= 1e9})
	etcd, err := resident(w.etcd.cmd.Process.Pid)
	if err != nil {
		return err
	}
	t.Add(report.Row{What: "the store's memory", Ours: megabytes(etcd), Target: "-", Met: true})
	t.Title = fmt.Sprintf("leaders: %d endpoints, %d entries of what happened, %d changes remembered, one etcd", w.endpoints, w.history, w.revisions)
	return nil
}

// takes waits until the netmaster carries out a change.
func (m *master) takes(ctx context.Context, tenant string) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c := &client.Client{Base: m.url, Timeout: timeout}
	_, err := c.Tenants().Put(ctx, &model.Tenant{TenantName: tenant})
	return err
}
