// Package kubeservice says what a service of Kubernetes and its EndpointSlices are to the switch of one host. It computes only.
package kubeservice
