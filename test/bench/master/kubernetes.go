// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
	"github.com/contiv/contiv/test/bench/report"
)

// Objects of Kubernetes, and the targets.
const (
	manyPods     = 100_000
	manyPolicies = 75_000
	mostStart    = 5 * time.Second
	mostResident = 1200 << 20
)

// starting is how long a netmaster may take that writes all policies.
const starting = 3 * time.Minute

// kubernetesStarts measures a netmaster that reads a large Kubernetes, from its start until nothing differs from the store: when the
// store has no policy yet, and when it has everything.
func kubernetesStarts(ctx context.Context, dir, netmaster string, rounds int) (*report.Table, error) {
	t, machine := &report.Table{}, harness.NewMachine()
	err := harness.Measure(func(tb *harness.Stand) {
		etcd, err := startServer(filepath.Join(dir, "etcd-kubernetes"))
		if err != nil {
			tb.Fatal(err)
		}
		tb.Cleanup(func() { _ = etcd.Close() })
		c := loadgen.Crowd{Namespaces: 1000, Hosts: 1000, Network: identity.Network{Tenant: "default", Name: "default-net"}}
		server := kubetest.Start(tb)
		server.Stream()
		populate(tb, server, c)
		network := &model.Network{TenantName: c.Network.Tenant, NetworkName: c.Network.Name, Encap: "vlan", NwType: "data", PktTag: 1, Subnet: "10.0.0.0/8"}
		if err := fill(ctx, etcd, network, manyPods, func(i int) record.Endpoint { return c.Endpoint(i - 1) }); err != nil {
			tb.Fatal(err)
		}
		flags := []string{"--etcd-endpoints", etcd.url, "--kubeconfig", server.Kubeconfig(tb)}
		var took, used []time.Duration
		var resident []int
		for i := range rounds + 1 {
			one, err := untilSettled(ctx, netmaster, filepath.Join(dir, fmt.Sprintf("kubernetes%d.log", i)), flags)
			if err != nil {
				tb.Fatal(err)
			}
			if i == 0 {
				t.Add(report.Row{What: "from its start until all policies are in the store, which had none; the most memory that it had; its processor time",
					Ours: report.Millis(one.took) + "; " + mebibytes(one.peak) + "; " + report.Millis(one.used), Target: "-", Met: true})
				continue
			}
			took, resident, used = append(took, one.took), append(resident, one.peak), append(used, one.used)
		}
		p50, most := report.Median(took), report.Median(resident)
		t.Add(report.Row{What: fmt.Sprintf("from its start until nothing differs, median of %d; its processor time %s", rounds, report.Millis(report.Median(used))), Ours: report.Millis(p50), Target: "<= " + report.Millis(mostStart), Met: p50 <= mostStart})
		t.Add(report.Row{What: "... the most memory that it had", Ours: mebibytes(most), Target: "<= " + mebibytes(mostResident), Met: most <= mostResident})
	})
	t.Title = fmt.Sprintf("netmaster reads Kubernetes: %d pods, all of them with endpoints, %d policies (etcd beside netmaster, fsync); %s", manyPods, manyPolicies, machine)
	return t, err
}

// populate gives an API server the objects of the cluster.
func populate(tb *harness.Stand, server *kubetest.Server, c loadgen.Crowd) {
	for i := range c.Hosts {
		n := &corev1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: loadgen.Host(i)}}
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: loadgen.VTEP(i).String()}}
		server.Put(tb, n)
	}
	for i := range c.Namespaces {
		server.Put(tb, c.Namespace(i))
	}
	for i := range manyPods {
		server.Put(tb, c.Pod(i))
	}
	for i := range manyPolicies {
		server.Put(tb, c.Policy(i))
	}
	server.Forget() // lists have these
}

// settling is what a netmaster took until nothing differed.
type settling struct {
	took, used time.Duration // since its start, and of processors
	peak       int           // the most memory that it had resident, in bytes
}

// untilSettled starts a netmaster, waits until nothing differs, and ends it.
func untilSettled(ctx context.Context, netmaster, log string, flags []string) (out settling, err error) {
	ctx, cancel := context.WithTimeout(ctx, starting)
	defer cancel()
	began := time.Now()
	m, err := launch(ctx, netmaster, log, flags...)
	if err != nil {
		return out, err
	}
	defer m.end(syscall.SIGTERM)
	for {
		s, err := m.Kubernetes(ctx)
		if err == nil && s.Leads && s.Missing == "" && s.Differs == 0 {
			out.took = time.Since(began)
			break
		}
		select {
		case <-ctx.Done():
			return out, errors.Join(fmt.Errorf("netmaster says of Kubernetes: %s; %d differ", s, s.Differs), err)
		case <-time.After(20 * time.Millisecond):
		}
	}
	var failed error
	out.used, err = harness.CPU(m.cmd.Process.Pid)
	out.peak, failed = peakOf(m.cmd.Process.Pid)
	return out, errors.Join(err, failed)
}

// peakOf is the most memory that a process had resident, in bytes (VmHWM, proc_pid_status(5)).
func peakOf(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(rest), " kB"))
			return n << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status does not say VmHWM", pid)
}

func mebibytes(n int) string { return fmt.Sprintf("%.0f MiB", float64(n)/(1<<20)) }
