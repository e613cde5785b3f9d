// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
	"github.com/contiv/contiv/test/bench/report"
)

// leastOfPod is the promise: connections by the service's address to those by the pod's own.
const leastOfPod = 0.8

// How connections are opened in a turn.
const (
	clients    = 4
	connecting = time.Second
)

// Where the client's container has the directory of this program, and where the server serves.
const (
	programs = "/programs"
	port     = 8080
)

// connections measures connections a second from a pod of one host to a pod of another, by the address of a service whose only backend it
// is and by its own, in turn, on both networks.
func connections(ctx context.Context, o options, out, errOut io.Writer) (err error) {
	machine, t := harness.NewMachine(), report.Table{}
	var all []*pair
	for _, network := range []string{kube.NetworkContiv, kube.NetworkBridge} {
		c, failed := start(ctx, o, network, 2, errOut)
		if c != nil {
			defer func() { err = errors.Join(err, c.lab.Down(context.WithoutCancel(ctx))) }()
		}
		if failed != nil {
			return failed
		}
		p, failed := c.pair(ctx)
		if failed != nil {
			return failed
		}
		all = append(all, p)
	}
	for i := range o.rounds + 1 {
		for _, p := range all {
			if err := p.turn(ctx, i > 0); err != nil { // the first finds everything cold
				return fmt.Errorf("connections on %s: %w", p.network, err)
			}
		}
	}
	ours, peer := all[0].ratio(), all[1].ratio()
	t.Title = fmt.Sprintf("Kubernetes: connections a second between pods of two hosts, %d at a time, medians of %d rounds in turn; %s", clients, o.rounds, machine)
	t.Add(report.Row{What: "by ClusterIP, to those by the pod's own address; peer: bridge with kube-proxy (nftables)", Ours: fmt.Sprintf("%.2f", ours), Peer: fmt.Sprintf("%.2f", peer),
		Ratio: ours / peer, Target: fmt.Sprintf(">= %.2f of the pod's own", leastOfPod), Met: ours >= leastOfPod})
	t.Add(report.Row{What: "... by ClusterIP", Ours: report.Rate(report.Median(all[0].service)), Peer: report.Rate(report.Median(all[1].service)), Target: "-", Met: true})
	t.Add(report.Row{What: "... by the pod's own address", Ours: report.Rate(report.Median(all[0].own)), Peer: report.Rate(report.Median(all[1].own)), Target: "-", Met: true})
	return t.Write(out)
}

// pair is a client and a server on two hosts of a cluster, and what was measured between them.
type pair struct {
	*cluster
	pod, clusterIP string
	own, service   []float64 // connections a second
}

// pair makes the pods and the service.
func (c *cluster) pair(ctx context.Context) (*pair, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	run := func(name string, host int, args ...string) *corev1.Pod {
		p := &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"part": name}}}
		p.Spec = corev1.PodSpec{NodeName: loadgen.Host(host), Containers: []corev1.Container{{Name: "c", Image: lab.AgnhostImage, Args: args}}}
		return p
	}
	client, server := run("client", 0, "pause"), run("server", 1, "netexec", fmt.Sprintf("--http-port=%d", port))
	client.Spec.Volumes = []corev1.Volume{{Name: "programs", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: filepath.Dir(self)}}}}
	client.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "programs", MountPath: programs, ReadOnly: true}}
	v := &corev1.Service{TypeMeta: metav1.TypeMeta{Kind: "Service", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "server"},
		Spec: corev1.ServiceSpec{Selector: server.Labels, Ports: []corev1.ServicePort{{Port: port}}}}
	if err := c.kubectl(ctx, []any{client, server, v}, "create", "-f", "-"); err != nil {
		return nil, err
	}
	if err := c.kubectl(ctx, nil, "wait", "--namespace", namespace, "--for=condition=Ready", "--timeout=180s", "pod/client", "pod/server"); err != nil {
		return nil, err
	}
	p := &pair{cluster: c}
	if p.pod, err = c.ask(ctx, "get", "pod", "server", "--namespace", namespace, "-o", "jsonpath={.status.podIP}"); err != nil {
		return nil, err
	}
	if p.clusterIP, err = c.ask(ctx, "get", "service", "server", "--namespace", namespace, "-o", "jsonpath={.spec.clusterIP}"); err != nil {
		return nil, err
	}
	return p, c.answers(ctx, p.clusterIP)
}

// answers waits until an address answers the client: kube-proxy takes a while.
func (c *cluster) answers(ctx context.Context, address string) error {
	for end := time.Now().Add(time.Minute); ; {
		_, err := c.rate(ctx, address, 1, 10*time.Millisecond)
		if err == nil || time.Now().After(end) || ctx.Err() != nil {
			return err
		}
	}
}

// turn measures both addresses once, and keeps what comes out.
func (p *pair) turn(ctx context.Context, keep bool) error {
	for address, to := range map[string]*[]float64{p.pod: &p.own, p.clusterIP: &p.service} {
		n, err := p.rate(ctx, address, clients, connecting)
		if err != nil {
			return err
		}
		if keep {
			*to = append(*to, n)
		}
	}
	return nil
}

// ratio is what remains by the service's address.
func (p *pair) ratio() float64 { return report.Median(p.service) / report.Median(p.own) }

// rate has the client open connections to an address.
func (c *cluster) rate(ctx context.Context, address string, atOnce int, d time.Duration) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	text, err := c.ask(ctx, "exec", "--namespace", namespace, "client", "--", programs+"/"+filepath.Base(self), "-connect", net.JoinHostPort(address, strconv.Itoa(port)),
		"-at-once", strconv.Itoa(atOnce), "-for", d.String())
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(text, 64)
}

// ask runs kubectl and returns what it prints.
func (c *cluster) ask(ctx context.Context, args ...string) (string, error) {
	cmd, err := c.lab.Kubectl(ctx, args...)
	if err != nil {
		return "", err
	}
	var said strings.Builder
	cmd.Stderr = &said
	text, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return strings.TrimSpace(string(text)), nil
}
