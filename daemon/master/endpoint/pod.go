// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Pods is the state of Kubernetes. Only Await blocks.
type Pods interface {
	// Await blocks until the pod with the uid that its kubelet uses is known, for a bounded time. The caller may retry after an error.
	Await(ctx context.Context, id identity.Pod, uid string) error
	// Pod returns the current state of a pod, nil if there is none.
	Pod(id identity.Pod) *translate.Pod
	// Place returns the placement that a namespace fixes for its pods.
	Place(namespace string) record.Place
}

// The default place of a pod.
const (
	DefaultTenant  = "default"
	DefaultNetwork = "default-net"
)

// await waits until the pod of a request is known.
func (s *Service) await(ctx context.Context, q *model.PodRequest) error {
	if q == nil || s.pods == nil {
		return nil
	}
	if q.Namespace == "" || q.Name == "" {
		return model.Errorf(model.CodeInvalid, "Pod", "pod %q of namespace %q has no name", q.Name, q.Namespace).Try("set Pod.Namespace and Pod.Name")
	}
	return s.pods.Await(ctx, identity.Pod{Namespace: q.Namespace, Name: q.Name}, q.UID)
}

// place determines what a request for a pod leaves open: its tenant, network and group, and its labels. In order of precedence: the
// request, the pod's labels, its namespace's annotations, the defaults in the request, and the general defaults. A pod's label selects
// among the networks and groups of its namespace's tenant: permission to create pods in a namespace does not extend to other tenants. A
// container that has its endpoint keeps it, whatever has changed since. place returns the endpoint's pod.
func (s *Service) place(tx *commit.Tx, q *model.CreateEndpointRequest) (pod record.Pod, err error) {
	if q.Pod == nil {
		return pod, nil
	}
	id := identity.Pod{Namespace: q.Pod.Namespace, Name: q.Pod.Name}
	for _, e := range tx.EndpointsOfPod(id) {
		if e.ID.Endpoint == q.ConfigEP.Container && e.ContainerID == q.ContainerID {
			q.TenantName, q.NetworkName = e.ID.Tenant, e.ID.Name
			q.ServiceName, q.ConfigEP.ServiceName = e.Group.Name, e.Group.Name
			return e.Pod, nil
		}
	}
	pod = record.Pod{ID: id, UID: q.Pod.UID}
	asked := record.Place{Tenant: q.TenantName, Network: q.NetworkName, Group: q.ConfigEP.ServiceName}
	var own, fixed record.Place
	if s.pods != nil {
		p := s.pods.Pod(id)
		if p == nil || !p.Is(q.Pod.UID) {
			return pod, model.Errorf(model.CodeUnavailable, "Pod", "pod %s of uid %q is gone", id, q.Pod.UID).Try("nothing is to be done")
		}
		pod, q.Labels = p.Pod, maps.Clone(p.Labels)
		own, fixed = record.PlaceOf(p.Labels), s.pods.Place(id.Namespace)
	}
	base := record.Place{Tenant: q.Pod.Tenant, Network: q.Pod.Network, Group: q.Pod.Group}
	if err := kept(id, fixed, asked, own); err != nil {
		return pod, err
	}
	q.TenantName = cmp.Or(asked.Tenant, fixed.Tenant, base.Tenant, DefaultTenant)
	if own.Tenant != "" && own.Tenant != q.TenantName && asked.Tenant == "" {
		if !s.labelled && !admits(tx, own.Tenant, id.Namespace) {
			return pod, model.Errorf(model.CodeInvalid, record.PlaceTenant, "pod %s asks for tenant %s by its label, and its namespace belongs to tenant %s", id, own.Tenant, q.TenantName).
				Try("netctl edit tenant %s with %s among its kubernetesNamespaces admits such pods, kubectl annotate namespace %s %s=%s moves all pods of the namespace there; remove the label otherwise", own.Tenant, id.Namespace, id.Namespace, record.PlaceTenant, own.Tenant)
		}
		q.TenantName = own.Tenant
	}
	q.ConfigEP.ServiceName = cmp.Or(asked.Group, own.Group, fixed.Group, base.Group)
	q.ServiceName = q.ConfigEP.ServiceName
	q.NetworkName = cmp.Or(asked.Network, own.Network, fixed.Network)
	if g := tx.Group(identity.Group{Tenant: q.TenantName, Name: q.ServiceName}); q.NetworkName == "" && g != nil {
		q.NetworkName = g.Network.Name
	}
	q.NetworkName = cmp.Or(q.NetworkName, base.Network, DefaultNetwork)
	return pod, nil
}

// admits reports whether a tenant accepts pods of a namespace by their label.
func admits(tx *commit.Tx, tenant, namespace string) bool {
	t, ok := tx.Object(model.KindTenant(), tenant).(*model.Tenant)
	return ok && slices.Contains(t.KubernetesNamespaces, namespace)
}

// kept refuses a request outside of a place that a namespace fixes.
func kept(pod identity.Pod, fixed record.Place, wishes ...record.Place) error {
	for _, w := range wishes {
		for _, f := range []struct{ what, label, fixed, wish string }{
			{"tenant", record.PlaceTenant, fixed.Tenant, w.Tenant},
			{"network", record.PlaceNetwork, fixed.Network, w.Network},
			{"group", record.PlaceGroup, fixed.Group, w.Group},
		} {
			if f.fixed != "" && f.wish != "" && f.fixed != f.wish {
				return model.Errorf(model.CodeInvalid, f.label, "pod %s asks for %s %s, and its namespace fixes %s", pod, f.what, f.wish, f.fixed).
					Try("remove the pod's label %s, or change that annotation of namespace %s", f.label, pod.Namespace)
			}
		}
	}
	return nil
}

// roomOfOne is the number of changes for an endpoint and the lists of providers that it may be in.
const roomOfOne = 8

// Follow updates the endpoints of pods to their current labels and named ports, in one transaction that other requests may share; unchanged
// endpoints need none. It returns the pods that did not fit.
func (s *Service) Follow(ctx context.Context, pods []*translate.Pod) ([]*translate.Pod, error) {
	if len(pods) == 0 {
		return nil, nil
	}
	var left []*translate.Pod // it may still be written when the term ends and Join returns
	_, err := s.commit.Join(ctx, func(tx *commit.Tx) error {
		left = nil
		for i, p := range pods {
			for _, known := range tx.EndpointsOfPod(p.ID) {
				old := tx.Endpoint(known.ID)
				if old == nil || old.Pod.UID != p.UID || maps.Equal(old.Labels, p.Labels) && slices.Equal(old.Pod.Ports, p.Ports) {
					continue
				}
				if tx.Room() < roomOfOne {
					left = pods[i:]
					return nil
				}
				e := *old
				e.Pod, e.Labels = p.Pod, maps.Clone(p.Labels)
				if err := put(tx, old, &e); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return pods, err
	}
	return left, nil
}
