// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"bytes"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// knowledge is the state of Kubernetes as received in a term.
type knowledge struct {
	complete map[kube.Kind]struct{}          // kinds of which everything is known
	want     map[string][]byte               // records, by store key
	differs  map[string]struct{}             // keys whose value in the store may differ
	pods     map[identity.Pod]*translate.Pod // those that may have endpoints
	changed  map[identity.Pod]struct{}       // pods whose endpoints may be outdated
	taken    int                             // number of both that are being compared
	places   map[string]record.Place         // of namespaces
	changes  uint64                          // number of changed records
	written  uint64                          // up to which of these the store has them
	nodes    nodes
	found    map[kube.Kind][]string // keys in the store at the beginning of the term, of kinds that are not known yet
	balances
	policies
}

func newKnowledge(found map[kube.Kind][]string) *knowledge {
	return &knowledge{found: found, complete: map[kube.Kind]struct{}{}, want: map[string][]byte{}, differs: map[string]struct{}{},
		pods: map[identity.Pod]*translate.Pod{}, changed: map[identity.Pod]struct{}{}, places: map[string]record.Place{}, nodes: nodes{}, balances: newBalances(), policies: newPolicies()}
}

// prefixes returns the store prefix of the records of each kind; "" for pods, which have none.
func prefixes() map[kube.Kind]string {
	return map[kube.Kind]string{kube.Namespaces: record.Namespaces, kube.Nodes: record.KubernetesNodes, kube.Pods: "",
		kube.NetworkPolicies: record.NetworkPolicies, kube.ClusterNetworkPolicies: record.ClusterNetworkPolicies,
		kube.Services: record.KubernetesServices, kube.EndpointSlices: record.EndpointSlices}
}

func prefixOf(k kube.Kind) string { return prefixes()[k] }

// missing names the kinds that are not known, "" if there are none.
func (k *knowledge) missing() string {
	var out []string
	for kind := range prefixes() {
		if _, ok := k.complete[kind]; !ok {
			out = append(out, string(kind))
		}
	}
	if len(out) == 0 {
		return ""
	}
	slices.Sort(out)
	return strings.Join(out, ", ") + " of Kubernetes"
}

// due reports whether something may have to be written.
func (k *knowledge) due() bool { return len(k.differs)+len(k.changed) > 0 }

// differing returns the number of pending comparisons.
func (k *knowledge) differing() int { return len(k.differs) + len(k.changed) + k.taken }

// set sets the expected record of a key; nil: none.
func (k *knowledge) set(key string, text []byte) {
	have, had := k.want[key]
	switch {
	case text == nil && !had, had && bytes.Equal(have, text):
		return
	case text == nil:
		delete(k.want, key)
	default:
		k.want[key] = text
	}
	k.differs[key] = struct{}{}
	k.changes++
}

// replace sets all expected records of a kind. Records in the store when a term first learns of the kind are not compared again, since
// nothing else in the term writes them, except those of services, for their load balancers.
func (k *knowledge) replace(kind kube.Kind, values map[string][]byte, v *catalog.View) {
	prefix := prefixOf(kind)
	for key := range k.want {
		if !strings.HasPrefix(key, prefix) {
			continue
		}
		if _, still := values[key]; !still {
			k.set(key, nil)
		}
	}
	_, again := k.complete[kind]
	for key, text := range values {
		if have := v.Value(key); !again && kind != kube.Services && bytes.Equal(have, text) {
			k.want[key] = have
			continue
		}
		k.set(key, text)
	}
	for _, key := range k.found[kind] {
		if _, wanted := k.want[key]; !wanted {
			k.differs[key] = struct{}{}
			k.changes++
		}
	}
	delete(k.found, kind)
}

// found returns the keys of all records of Kubernetes in a view, by their kinds.
func found(v *catalog.View) map[kube.Kind][]string {
	out := map[kube.Kind][]string{}
	kinds := prefixes()
	for key := range v.Values() {
		if !strings.HasPrefix(key, record.Kubernetes) {
			continue
		}
		for kind, prefix := range kinds {
			if prefix != "" && strings.HasPrefix(key, prefix) {
				out[kind] = append(out[kind], key)
			}
		}
	}
	return out
}

// all replaces the pods, namespaces, nodes, services or cluster-wide policies.
func (k *knowledge) all(kind kube.Kind, objects []kube.Object) {
	_, again := k.complete[kind]
	k.complete[kind] = struct{}{}
	switch kind {
	case kube.Pods:
		was := k.pods
		k.pods = map[identity.Pod]*translate.Pod{}
		for _, o := range objects {
			p := o.Value.(*translate.Pod)
			k.pods[p.ID] = p
			if !again || !sameEndpoint(was[p.ID], p) {
				k.changed[p.ID] = struct{}{}
			}
		}
	case kube.Namespaces:
		k.places = map[string]record.Place{}
		for _, o := range objects {
			k.places[o.Key] = o.Value.(*record.Namespace).Place
		}
		k.moved("")
	case kube.Nodes:
		clear(k.nodes)
		for _, o := range objects {
			k.nodes[o.Key] = o.Value.(*record.KubernetesNode)
		}
	case kube.Services:
		k.balances.replace(objects)
	case kube.ClusterNetworkPolicies:
		k.readAll(objects)
	}
}

// put records a pod, a namespace, a node, a service or a cluster-wide policy.
func (k *knowledge) put(kind kube.Kind, o kube.Object) {
	switch kind {
	case kube.Pods:
		p := o.Value.(*translate.Pod)
		if was := k.pods[p.ID]; was != nil && !sameEndpoint(was, p) {
			k.changed[p.ID] = struct{}{}
		}
		k.pods[p.ID] = p
	case kube.Namespaces:
		was, now := k.places[o.Key], o.Value.(*record.Namespace).Place
		if k.places[o.Key] = now; was.Tenant != now.Tenant {
			k.moved(o.Key)
		}
	case kube.Nodes:
		k.nodes[o.Key] = o.Value.(*record.KubernetesNode)
	case kube.Services:
		k.balances.put(o.Key, o.Value.(*translate.Balanced))
	case kube.ClusterNetworkPolicies:
		k.read(o.Key, o.Value.(*translate.ClusterPolicy))
	}
}

// drop removes a pod, a namespace, a node, a service or a cluster-wide policy.
func (k *knowledge) drop(kind kube.Kind, key string) {
	switch kind {
	case kube.Pods:
		if id, err := identity.ParsePod(key); err == nil {
			delete(k.pods, id)
			delete(k.changed, id)
		}
	case kube.Namespaces:
		delete(k.places, key)
	case kube.Nodes:
		delete(k.nodes, key)
	case kube.Services:
		k.balances.drop(key)
	case kube.ClusterNetworkPolicies:
		k.forget(key)
	}
}

// sameEndpoint reports whether two versions of a pod have the same endpoint record.
func sameEndpoint(was, now *translate.Pod) bool {
	return was != nil && was.UID == now.UID && maps.Equal(was.Labels, now.Labels) && slices.Equal(was.Ports, now.Ports)
}
