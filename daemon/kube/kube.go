// Package kube reads what a Kubernetes API server has, and keeps up with it. It has no memory of its own: objects are trimmed to what is
// needed of them as they arrive, and handed on. The one thing that it writes there is the status of services.
package kube

// Kind is a kind of objects that is read.
type Kind string

// The kinds, by the names of their resources, and what the Value of an Object is.
const (
	Namespaces             Kind = "namespaces"             // *record.Namespace
	Nodes                  Kind = "nodes"                  // *record.KubernetesNode
	Pods                   Kind = "pods"                   // *translate.Pod; not those on their nodes' own network
	NetworkPolicies        Kind = "networkpolicies"        // *record.NetworkPolicy
	ClusterNetworkPolicies Kind = "clusternetworkpolicies" // *record.ClusterNetworkPolicy
	Services               Kind = "services"               // *translate.Balanced
	EndpointSlices         Kind = "endpointslices"         // *record.EndpointSlice
)

// Object is an object of a kind.
type Object struct {
	Key   string // "namespace:name", or "name" of an object that is in no namespace
	Value any
}

// Sink takes in what there is. Levels are promised, and not every change on the way to them: an object may be put that is there already, or
// deleted that is not, and after a gap All tells of everything again. Calls for one kind come one after the other, those for several at once.
// While the API server is away none come.
type Sink interface {
	// All says that these are all objects of the kind. It is called first, and with none where the API server says that no such kind is defined.
	All(k Kind, all []Object)
	Put(k Kind, o Object)
	Delete(k Kind, key string)
}
