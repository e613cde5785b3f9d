// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
	"github.com/contiv/contiv/test/bench/report"
)

// restful is how long kube-proxy is left alone between two changes: within a second of one it puts the next off.
const restful = 1200 * time.Millisecond

// slices changes slices, in turn at the API server that netmaster reads, and at another that kube-proxy reads, with the same services.
func (k *kubernetes) slices(ctx context.Context, tb *harness.Stand, t *report.Table, kubernetesBin string, rounds int) {
	var ours, theirs []time.Duration
	var peer *kubeProxy
	if _, err := os.Stat(filepath.Join(kubernetesBin, "kube")); kubernetesBin != "" && err == nil {
		server := kubetest.StartAt(tb, fmt.Sprintf("10.254.%d.254:0", k.lab.Number))
		k.fill(tb, server)
		peer = k.startKubeProxy(ctx, tb, filepath.Join(kubernetesBin, "kube"), server)
	}
	for i := range rounds + 1 {
		before := k.Slice(i, loadgen.Backends*i)
		key := record.EndpointSlices + before.Namespace + ":" + before.Name
		was, err := k.db.Read(ctx, key)
		if err != nil {
			tb.Fatal(err)
		}
		changed := k.Slice(i, loadgen.Backends*i+1)
		began := time.Now()
		k.server.Put(tb, changed)
		each, err := k.since(ctx, began, key, was.Revision)
		if err != nil {
			tb.Fatalf("slice of service %d: %v", i, err)
		}
		if i > 0 {
			ours = append(ours, each)
		}
		if peer == nil {
			continue
		}
		if each = peer.change(tb, changed); i > 0 {
			theirs = append(theirs, each)
		}
		if err := pause(ctx, restful); err != nil {
			tb.Fatal(err)
		}
	}
	row := report.Row{What: fmt.Sprintf("an EndpointSlice changed at the API server, until past the barriers of both switches, p50 of %d in turn", rounds),
		Ours: report.Millis(report.Median(ours)), Peer: "not measured: make kubernetes builds it", Target: "sooner than kube-proxy", Met: true}
	if peer != nil {
		a, b := report.Median(ours), report.Median(theirs)
		row.Peer, row.Ratio, row.Met = report.Millis(b)+" kube-proxy (nftables) of one host", a.Seconds()/b.Seconds(), a < b
	}
	t.Add(row)
}

// hostPID is the first process of a host of a lab.
func hostPID(dir, host string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, host, "init.pid"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}
