// SPDX-License-Identifier: Apache-2.0

// Package kube reads the objects of a Kubernetes API server, and follows their changes. It has no memory of its own: objects are trimmed to
// the needed fields as they arrive, and forwarded. It writes only status there, and the ConfigMap
// that names the embedded store.
package kube

// Kind is a kind of objects.
type Kind string

// The kinds, by the names of their resources, and what the Value of an Object is.
const (
	Namespaces             Kind = "namespaces"             // *record.Namespace
	Nodes                  Kind = "nodes"                  // *record.KubernetesNode
	Pods                   Kind = "pods"                   // *translate.Pod; not those on their nodes' own network
	NetworkPolicies        Kind = "networkpolicies"        // *netpolicy.Policy
	ClusterNetworkPolicies Kind = "clusternetworkpolicies" // *netpolicy.ClusterPolicy
	Services               Kind = "services"               // *translate.Balanced
	EndpointSlices         Kind = "endpointslices"         // *record.EndpointSlice
)

// Object is an object of a kind.
type Object struct {
	Key   string // "namespace:name", or "name" of a cluster-scoped object
	Value any
}

// Sink receives objects. It receives the latest state, and not every change on the way to it: an object may be put that exists already, or
// deleted that does not, and after a gap All is called again. Calls for one kind come one after the other, those for several concurrently.
// While the API server is away no calls come.
type Sink interface {
	// All is called with all objects of the kind. It is called first, and without objects if the API server does not define the kind.
	All(k Kind, all []Object)
	Put(k Kind, o Object)
	Delete(k Kind, key string)
}
