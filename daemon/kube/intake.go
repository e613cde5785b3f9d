// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/identity"
)

// source describes how the objects of a kind are read.
type source struct {
	kind Kind
	// versions are the supported versions of its group, the preferred one first. Versions with the same schema have one type.
	versions []schema.GroupVersion
	empty    runtime.Object       // of its type
	trim     func(object any) any // returns the needed part of one; nil: nothing
	// optional means that an API server may not have the kind.
	optional bool
}

// sources are all kinds that are read.
func sources() []source {
	all := []source{
		read(Namespaces, corev1.SchemeGroupVersion, &corev1.Namespace{}, translate.Namespace),
		read(Nodes, corev1.SchemeGroupVersion, &corev1.Node{}, translate.Node),
		read(Pods, corev1.SchemeGroupVersion, &corev1.Pod{}, translate.PodOf),
		read(Services, corev1.SchemeGroupVersion, &corev1.Service{}, translate.BalancedService),
		read(EndpointSlices, discoveryv1.SchemeGroupVersion, &discoveryv1.EndpointSlice{}, translate.EndpointSlice),
		read(NetworkPolicies, networkingv1.SchemeGroupVersion, &networkingv1.NetworkPolicy{}, translate.NetworkPolicy),
		read(ClusterNetworkPolicies, clusterPolicyVersions()[0], &v1alpha2.ClusterNetworkPolicy{}, translate.StatedPolicy),
	}
	last := &all[len(all)-1]
	last.versions, last.optional = clusterPolicyVersions(), true
	return all
}

// clusterPolicyVersions are those of ClusterNetworkPolicy whose fields are those of v1alpha2: network-policy-api changed none in v1beta1
// (v0.3.0).
func clusterPolicyVersions() []schema.GroupVersion {
	group := v1alpha2.GroupVersion.Group
	return []schema.GroupVersion{{Group: group, Version: "v1beta1"}, {Group: group, Version: v1alpha2.GroupVersion.Version}}
}

func read[T runtime.Object, V any](k Kind, group schema.GroupVersion, empty T, trim func(T) *V) source {
	return source{kind: k, versions: []schema.GroupVersion{group}, empty: empty, trim: func(object any) any {
		if v := trim(object.(T)); v != nil {
			return v
		}
		return nil
	}}
}

// trimmed is a trimmed object in a list that client-go collects, which finds it by its names.
type trimmed struct {
	namespace, name string
	value           any // nil: it is irrelevant
}

// GetObjectMeta implements client-go's interface, which finds names by it.
func (t *trimmed) GetObjectMeta() metav1.Object {
	return &metav1.ObjectMeta{Namespace: t.namespace, Name: t.name}
}

// intake forwards what a reflector reads. It is a cache.ReflectorStore without a memory.
type intake struct {
	source
	sink     Sink
	received int    // number of existing objects sent to the sink
	listed   func() // called with each full list
}

// Transformer trims objects while a list of them is collected.
func (i *intake) Transformer() cache.TransformFunc {
	return func(object any) (any, error) { return i.trimmed(object) }
}

func (i *intake) trimmed(object any) (*trimmed, error) {
	if t, done := object.(*trimmed); done {
		return t, nil
	}
	m, ok := object.(metav1.Object)
	if !ok || reflect.TypeOf(object) != reflect.TypeOf(i.empty) {
		return nil, fmt.Errorf("read %s: %T came", i.kind, object)
	}
	return &trimmed{m.GetNamespace(), m.GetName(), i.trim(object)}, nil
}

func (t *trimmed) key() string {
	if t.namespace == "" {
		return t.name
	}
	return identity.Join(t.namespace, t.name)
}

// Add forwards an object.
func (i *intake) Add(object any) error {
	i.received++
	t, err := i.trimmed(object)
	switch {
	case err != nil:
		return err
	case t.value == nil:
		i.sink.Delete(i.kind, t.key())
	default:
		i.sink.Put(i.kind, Object{t.key(), t.value})
	}
	return nil
}

// Update is Add.
func (i *intake) Update(object any) error { return i.Add(object) }

// Delete forwards the deletion of an object.
func (i *intake) Delete(object any) error {
	t, err := i.trimmed(object)
	if err == nil {
		i.sink.Delete(i.kind, t.key())
	}
	return err
}

// Replace forwards a full list.
func (i *intake) Replace(list []any, _ string) error {
	all := make([]Object, 0, len(list))
	for _, object := range list {
		t, err := i.trimmed(object)
		if err != nil {
			return err
		}
		if t.value != nil {
			all = append(all, Object{t.key(), t.value})
		}
	}
	i.received += len(all)
	i.sink.All(i.kind, all)
	i.listed()
	return nil
}

// Resync does nothing: intake keeps no objects.
func (i *intake) Resync() error { return nil }
