// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"encoding/json"
	"net/netip"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/test/bench/harness"
	"github.com/contiv/contiv/test/bench/loadgen"
)

// records are a store in memory.
type records struct {
	loadgen.Crowd
	tb *harness.Stand
	db *memory.Store
}

// amounts are how much there is of each kind.
type amounts struct{ pods, policies, services int }

// newRecords is a store with a network and so much of Kubernetes.
func newRecords(ctx context.Context, tb *harness.Stand, n amounts) *records {
	r := &records{Crowd: cluster(), tb: tb, db: memory.New()}
	r.put(ctx, record.GlobalKey, record.Global{ID: "global", FwdMode: record.FwdBridge, ArpMode: record.ArpProxy, PvtSubnet: ofnet.DefaultPrivate()})
	r.put(ctx, record.Tenants+r.Network.Tenant, record.Tenant{ID: r.Network.Tenant, Tenant: r.Network.Tenant, VRF: 1})
	r.put(ctx, record.Networks+r.Network.String(), record.Network{ID: r.Network, Kind: record.DataNetwork, Encap: record.VXLAN, PktTag: 2, ExtPktTag: 1,
		Subnet: netip.MustParsePrefix("10.0.0.0/16"), Gateway: netip.MustParseAddr("10.0.255.254")})
	for i := range r.Namespaces {
		r.put(ctx, record.Namespaces+r.Crowd.Namespace(i).Name, translate.Namespace(r.Crowd.Namespace(i)))
	}
	for i := range n.pods {
		r.pod(ctx, i)
	}
	for i := range n.policies {
		r.policy(ctx, i)
	}
	for i := range n.services {
		v := translate.Service(r.Service(i))
		r.put(ctx, record.KubernetesServices+v.ID.String(), v)
		r.slice(ctx, i, loadgen.Backends*i)
	}
	return r
}

// put writes a record and returns the revision that it has then.
func (r *records) put(ctx context.Context, key string, value any) store.Revision {
	data, err := json.Marshal(value)
	if err != nil {
		r.tb.Fatal(err)
	}
	tx := &store.Tx{}
	tx.Put(key, data)
	rev, err := r.db.Commit(ctx, tx)
	if err != nil {
		r.tb.Fatal(err)
	}
	return rev
}

func (r *records) pod(ctx context.Context, i int) store.Revision {
	e := r.Endpoint(i)
	return r.put(ctx, record.Endpoints+e.ID.String(), e)
}

func (r *records) policy(ctx context.Context, i int) store.Revision {
	p := translate.NetworkPolicy(r.Policy(i))
	return r.put(ctx, record.NetworkPolicies+p.ID.String(), p)
}

// broad is policy i, but of all pods of its namespace, of which some are here.
func (r *records) broad(ctx context.Context, i int) store.Revision {
	p := r.Policy(i)
	p.Spec.PodSelector = metav1.LabelSelector{}
	v := translate.NetworkPolicy(p)
	return r.put(ctx, record.NetworkPolicies+v.ID.String(), v)
}

func (r *records) slice(ctx context.Context, i, first int) store.Revision {
	s := translate.EndpointSlice(r.Slice(i, first))
	return r.put(ctx, record.EndpointSlices+s.ID.String(), s)
}
