// SPDX-License-Identifier: Apache-2.0

package mastertest

import (
	"context"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/netpolicy"
)

// Kubernetes writes records of what Kubernetes owns, as the part of a netmaster does that reads it.
func (m *Master) Kubernetes(tb testing.TB, records ...any) {
	tb.Helper()
	_, err := m.Commit.Do(context.Background(), func(tx *commit.Tx) error {
		for _, r := range records {
			if err := tx.Put(keyOf(tb, r), r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
}

// keyOf is the store key of a record.
func keyOf(tb testing.TB, r any) string {
	tb.Helper()
	switch r := r.(type) {
	case *record.Namespace:
		return record.Namespaces + r.Name
	case *netpolicy.Policy:
		return record.NetworkPolicies + r.ID.String()
	case *netpolicy.ClusterPolicy:
		return record.ClusterNetworkPolicies + r.Name
	case *record.KubernetesService:
		return record.KubernetesServices + r.ID.String()
	case *record.EndpointSlice:
		return record.EndpointSlices + r.ID.String()
	case *record.Service:
		return r.Key()
	case record.Endpoint:
		return record.Endpoints + r.ID.String()
	}
	tb.Fatalf("%T is no record of Kubernetes", r)
	return ""
}

// Pod makes the endpoint of a pod, whose container has the pod's name.
func (m *Master) Pod(tb testing.TB, network, namespace, name string, labels map[string]string) record.Endpoint {
	tb.Helper()
	id := namespace + "-" + name
	e, _, err := m.CreateEndpoint(context.Background(), model.CreateEndpointRequest{TenantName: "default", NetworkName: network, EndpointID: id,
		ConfigEP: model.EndpointConfigRequest{Container: id, Host: "h1"}, Pod: &model.PodRequest{Namespace: namespace, Name: name}})
	if err != nil {
		tb.Fatal(err)
	}
	e.CommonName, e.Labels = name, labels
	m.Kubernetes(tb, e)
	return e
}
