// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
	"github.com/contiv/contiv/test/bench/report"
	"github.com/contiv/contiv/trust"
)

// Objects of Kubernetes while changes are measured.
const (
	podsThere     = 5000
	policiesThere = 1000
	servicesThere = 1000
)

// settling is how long hosts are left alone after everything has come.
const settling = 10 * time.Second

// kubernetes is a site of two hosts whose netmaster reads a Kubernetes of many pods, most of them on hosts that are not there.
type kubernetes struct {
	*site
	loadgen.Crowd
	server *kubetest.Server // the API server
	db     store.Store
}

// measureKubernetes measures objects of Kubernetes, from the API server until they are past the barriers of two hosts' switches.
func measureKubernetes(ctx context.Context, bin, kubernetesBin string, rounds int, out, errOut io.Writer) error {
	t, machine := &report.Table{}, harness.NewMachine()
	err := harness.Measure(func(tb *harness.Stand) {
		k := settleKubernetes(ctx, tb, bin, errOut)
		k.policies(ctx, tb, t, rounds)
		k.slices(ctx, tb, t, kubernetesBin, rounds)
	})
	if err != nil {
		return err
	}
	t.Title = fmt.Sprintf("Kubernetes: one netmaster with its etcd, agents and switches of two hosts; %d policies, %d pods, %d services; %s",
		policiesThere, podsThere, servicesThere, machine)
	return t.Write(out)
}

// settleKubernetes starts all, with everything in force.
func settleKubernetes(ctx context.Context, tb *harness.Stand, bin string, errOut io.Writer) *kubernetes {
	l, err := lab.New(lab.Plan{Name: "bench-kube", Dir: lab.DefaultDir, Hosts: 2, Masters: 1, Store: lab.StoreEmbedded, Bin: bin}, filepath.Join(bin, lab.Program), errOut)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := l.Down(context.WithoutCancel(ctx)); err != nil {
			tb.Logf("%v", err)
		}
	})
	k := &kubernetes{site: &site{lab: l, hosts: []string{"h1", "h2"}}, Crowd: loadgen.Crowd{Namespaces: 50, Hosts: 50, Network: identity.Network{Tenant: tenant, Name: "default-net"}}}
	k.server = kubetest.StartAt(tb, fmt.Sprintf("10.254.%d.254:0", l.Number))
	k.fill(tb, k.server)
	l.Master = append(l.Master, "--kubeconfig", k.server.Kubeconfig(tb))
	if err := l.Up(ctx); err != nil {
		tb.Fatal(err)
	}
	api, err := l.Client()
	if err != nil {
		tb.Fatal(err)
	}
	k.api = *api
	if k.agents, err = l.HTTP(trust.Master); err != nil {
		tb.Fatal(err)
	}
	own, err := trust.Open(l.Trust(), trust.Master)
	if err != nil {
		tb.Fatal(err)
	}
	db, err := etcd.Open(etcd.Config{Endpoints: []string{fmt.Sprintf("https://10.254.%d.1:2379", l.Number)}, TLS: own.Client(trust.Master, "")})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	k.db = db
	if err := k.attach(ctx); err != nil {
		tb.Fatal(err)
	}
	if err := pause(ctx, settling); err != nil { // a cluster at rest is measured, not one that takes in 5,000 pods
		tb.Fatal(err)
	}
	return k
}

// fill gives an API server the objects of the cluster.
func (k *kubernetes) fill(tb *harness.Stand, server *kubetest.Server) {
	for i := range k.Hosts {
		n := &corev1.Node{TypeMeta: metav1.TypeMeta{Kind: "Node", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: loadgen.Host(i)}}
		n.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: loadgen.VTEP(i).String()}}
		server.Put(tb, n)
	}
	for i := range k.Namespaces {
		server.Put(tb, k.Namespace(i))
	}
	for i := range podsThere {
		server.Put(tb, k.Pod(i))
	}
	for i := range policiesThere {
		server.Put(tb, k.Policy(i))
	}
	for i := range servicesThere {
		server.Put(tb, k.Service(i), k.Slice(i, loadgen.Backends*i))
	}
	server.Forget() // lists have these
}

// attach makes the network, the hosts that are not there, and the endpoints of all pods.
func (k *kubernetes) attach(ctx context.Context) error {
	_, err := k.api.Put(ctx, &model.Network{TenantName: k.Network.Tenant, NetworkName: k.Network.Name, Encap: "vxlan", Subnet: "10.0.0.0/16", Gateway: "10.0.255.254"})
	if err != nil {
		return err
	}
	hosts := &store.Tx{}
	for i := 2; i < k.Hosts; i++ {
		text, err := json.Marshal(record.Host{Machine: loadgen.Host(i), Label: loadgen.Host(i), VTEP: loadgen.VTEP(i), Port: 4789})
		if err != nil {
			return err
		}
		hosts.Put(record.Hosts+loadgen.Host(i), text)
	}
	if _, err := k.db.Commit(ctx, hosts); err != nil {
		return err
	}
	agents := channel.Master{Client: &k.api}
	clients, bounded := errgroup.WithContext(ctx)
	clients.SetLimit(16)
	for i := range podsThere {
		clients.Go(func() error {
			e := k.Endpoint(i)
			_, _, err := agents.CreateEndpoint(bounded, model.CreateEndpointRequest{EndpointID: e.ID.Endpoint, ContainerID: e.ContainerID, EPCommonName: e.CommonName,
				ConfigEP: model.EndpointConfigRequest{Container: e.ContainerID, Host: e.Host},
				Pod:      &model.PodRequest{Namespace: e.Pod.ID.Namespace, Name: e.Pod.ID.Name, UID: e.Pod.UID}})
			return err
		})
	}
	return clients.Wait()
}
