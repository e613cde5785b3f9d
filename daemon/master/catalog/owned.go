// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"iter"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kubeview"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// owned is a kind of objects that Kubernetes owns: records that are shown as objects. An object is made from its record for each request,
// since there may be many, and few are requested.
type owned struct {
	kind    *model.Kind
	prefix  string                                                // of the records' store keys
	show    func(v *View, key string) (model.Object, error)       // makes the object from the record
	blank   func(namespace, name string, why string) model.Object // makes the object of a record that cannot be read
	changes func(v *View, key string)                             // updates what else depends on a record; nil: nothing
}

// ownedKinds are the kinds of Kubernetes' objects.
var ownedKinds = []owned{
	{kind: model.KindKubeNamespace(), prefix: record.Namespaces, changes: (*View).touchServices,
		show: showing(record.Namespaces, func(_ *View, n *record.Namespace) model.Object { return kubeview.Namespace(n) }),
		blank: func(_, name, why string) model.Object {
			return &model.KubeNamespace{Namespace: name, Unread: []string{why}}
		}},
	{kind: model.KindNetworkPolicy(), prefix: record.NetworkPolicies,
		show: showing(record.NetworkPolicies, func(_ *View, p *netpolicy.Policy) model.Object { return kubeview.NetworkPolicy(p) }),
		blank: func(namespace, name, why string) model.Object {
			return &model.NetworkPolicy{Namespace: namespace, Name: name, Unread: []string{why + ": all pods of the namespace are isolated"}}
		}},
	{kind: model.KindClusterNetworkPolicy(), prefix: record.ClusterNetworkPolicies,
		show: showing(record.ClusterNetworkPolicies, func(_ *View, p *netpolicy.ClusterPolicy) model.Object { return kubeview.ClusterNetworkPolicy(p) }),
		blank: func(_, name, why string) model.Object {
			return &model.ClusterNetworkPolicy{Name: name, Unread: []string{why + ": all pods are isolated"}}
		}},
	{kind: model.KindKubeService(), prefix: record.KubernetesServices, changes: (*View).addressed,
		show: showing(record.KubernetesServices, func(v *View, s *record.KubernetesService) model.Object {
			return kubeview.Service(s, v.SlicesOf(s.ID), v.TenantOfService(s.ID))
		}),
		blank: func(namespace, name, why string) model.Object {
			return &model.KubeService{Namespace: namespace, Name: name, Unread: []string{why + ": it is not carried out"}}
		}},
}

// showing returns a function that makes an object from a record below a prefix.
func showing[R any](prefix string, show func(v *View, r *R) model.Object) func(*View, string) (model.Object, error) {
	return func(v *View, key string) (model.Object, error) {
		r, err := read[R](v, prefix+key)
		if err != nil {
			return nil, err
		}
		return show(v, r), nil
	}
}

// at returns the keyspace of the records.
func (o owned) at() keyspace {
	return keyspace{prefix: o.prefix, set: func(v *View, key string, value []byte) error {
		ref := Ref{o.kind.Name, strings.TrimPrefix(key, o.prefix)}
		now := &entry{Ref: ref, links: o.links(ref.Key)}
		had := false
		if value == nil {
			_, had = v.objects.Delete(ref)
		} else {
			_, had = v.objects.Set(ref, now)
		}
		v.touch(ref)
		if had == (value == nil) { // it was created or deleted
			v.touch(now.links...)
		}
		if o.changes != nil {
			o.changes(v, ref.Key)
		}
		return nil
	}}
}

// links returns the objects that an object links to, which follow from its key.
func (o owned) links(key string) []Ref {
	namespace, name, ok := identity.Cut(key)
	if !ok {
		return nil
	}
	return linksOf(o.blank(namespace, name, ""))
}

// ownedSpaces returns the keyspaces of all of them, namespaces first.
func ownedSpaces() (out []keyspace) {
	for _, o := range ownedKinds {
		out = append(out, o.at())
	}
	return out
}

// of returns an entry's object, without links. The caller must not change it.
func (v *View) of(e *entry) model.Object {
	if e.object != nil {
		return e.object
	}
	i := slices.IndexFunc(ownedKinds, func(o owned) bool { return o.kind.Name == e.Kind })
	o, err := ownedKinds[i].show(v, e.Key)
	if err != nil {
		namespace, name, ok := identity.Cut(e.Key)
		if !ok {
			namespace, name = "", e.Key
		}
		o = ownedKinds[i].blank(namespace, name, "the record: "+err.Error())
	}
	o.SetKey(e.Key)
	return o
}

// touchServices records that the services of a namespace may belong to another tenant.
func (v *View) touchServices(namespace string) {
	for key := range v.ownedIn(model.KindKubeService(), namespace) {
		v.touch(Ref{model.KindKubeService().Name, key})
	}
}

// ownedIn yields the keys of the objects of a kind that are in a namespace, in order.
func (v *View) ownedIn(k *model.Kind, namespace string) iter.Seq[string] {
	prefix := identity.Join(namespace, "")
	return func(yield func(string) bool) {
		for e := range objectsInOrder.From(&v.objects, &entry{Ref: Ref{k.Name, prefix}}) {
			if e.Kind != k.Name || !strings.HasPrefix(e.Key, prefix) || !yield(e.Key) {
				return
			}
		}
	}
}

// CountInNamespace returns the number of objects of a kind in a namespace of Kubernetes.
func (v *View) CountInNamespace(k *model.Kind, namespace string) (n int) {
	for range v.ownedIn(k, namespace) {
		n++
	}
	return n
}
