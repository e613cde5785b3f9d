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

// knowledge is what Kubernetes has told in a term.
type knowledge struct {
	complete map[kube.Kind]struct{}          // kinds of which everything is known
	want     map[string][]byte               // records, by store key
	differs  map[string]struct{}             // keys that may be otherwise in the store
	pods     map[identity.Pod]*translate.Pod // those that endpoints may be of
	changed  map[identity.Pod]struct{}       // pods whose endpoints may say something else
	taken    int                             // how many of both are being compared
	places   map[string]record.Place         // of namespaces
	changes  uint64                          // how often a record was to change
	written  uint64                          // up to which of these the store has them
	nodes    nodes
	found    map[kube.Kind][]string // keys of what the store had when the term began, of kinds that are not known
	balances
	policies
}

func newKnowledge(found map[kube.Kind][]string) *knowledge {
	return &knowledge{found: found, complete: map[kube.Kind]struct{}{}, want: map[string][]byte{}, differs: map[string]struct{}{},
		pods: map[identity.Pod]*translate.Pod{}, changed: map[identity.Pod]struct{}{}, places: map[string]record.Place{}, nodes: nodes{}, balances: newBalances(), policies: newPolicies()}
}

// kinds are all that there is to know, and where their records are; "" of pods, which have none.
func prefixes() map[kube.Kind]string {
	return map[kube.Kind]string{kube.Namespaces: record.Namespaces, kube.Nodes: record.KubernetesNodes, kube.Pods: "",
		kube.NetworkPolicies: record.NetworkPolicies, kube.ClusterNetworkPolicies: record.ClusterNetworkPolicies,
		kube.Services: record.KubernetesServices, kube.EndpointSlices: record.EndpointSlices}
}

func prefixOf(k kube.Kind) string { return prefixes()[k] }

// missing says which kinds are not known, "" of none.
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

// due tells that there may be something to write.
func (k *knowledge) due() bool { return len(k.differs)+len(k.changed) > 0 }

// differing is how much is still to be compared.
func (k *knowledge) differing() int { return len(k.differs) + len(k.changed) + k.taken }

// set says what the record of a key is to be; nil: there is to be none.
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

// replace says what all records of a kind are to be. What is in the store when a term hears of the kind first is not compared again: nothing else
// of this term is about to write it. Services are, for what they have of load balancers.
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

// found are the keys of all records of Kubernetes in a view, by their kinds.
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

// all takes over what pods, namespaces, nodes, services and cluster-wide policies there are.
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

// put takes over a pod, a namespace, a node, a service or a cluster-wide policy.
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

// drop forgets a pod, a namespace, a node, a service or a cluster-wide policy.
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

// sameEndpoint tells that a pod's endpoint says of both the same.
func sameEndpoint(was, now *translate.Pod) bool {
	return was != nil && was.UID == now.UID && maps.Equal(was.Labels, now.Labels) && slices.Equal(was.Ports, now.Ports)
}
