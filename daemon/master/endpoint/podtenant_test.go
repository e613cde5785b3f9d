// SPDX-License-Identifier: Apache-2.0

package endpoint_test

import (
	"context"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/enginetest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// labelled is a Kubernetes whose pods all have a label with a tenant, and whose namespaces have none but "fixed".
type labelled string

func (labelled) Await(context.Context, identity.Pod, string) error { return nil }

func (l labelled) Pod(id identity.Pod) *translate.Pod {
	return &translate.Pod{Pod: record.Pod{ID: id, UID: "u"}, Labels: map[string]string{record.PlaceTenant: string(l)}}
}

func (labelled) Place(namespace string) record.Place {
	if namespace == "fixed" {
		return record.Place{Tenant: "default"}
	}
	return record.Place{}
}

// A pod's label enters another tenant only where that tenant lists the pod's namespace, or netmaster is started as the original was, and
// nowhere out of a namespace that has a tenant.
func TestPodTenants(t *testing.T) {
	for _, as := range []bool{false, true} {
		w := enginetest.Start(t, enginetest.Options{Pods: labelled("acme"), PodTenants: as})
		w.Must(t, "tenant acme kubernetesNamespaces=guest,fixed", "network net encap=vxlan subnet=10.1.0.0/16", "network net tenantName=acme encap=vxlan subnet=10.2.0.0/16")
		for namespace, enters := range map[string]bool{"any": as, "fixed": false, "guest": true} {
			e, _, err := w.Service.Create(t.Context(), model.CreateEndpointRequest{NetworkName: "net", EndpointID: "c" + namespace, ContainerID: "c" + namespace,
				ConfigEP: model.EndpointConfigRequest{Container: "c" + namespace, Host: "h1"}, Pod: &model.PodRequest{Namespace: namespace, Name: "p", UID: "u"}})
			switch {
			case enters && (err != nil || e.ID.Tenant != "acme"):
				t.Errorf("as the original %t, namespace %s: got %s, %v", as, namespace, e.ID, err)
			case !enters && !strings.HasPrefix(enginetest.Say(err), "invalid io.contiv.tenant"):
				t.Errorf("as the original %t, namespace %s: got %s, %v", as, namespace, e.ID, err)
			}
		}
	}
}
