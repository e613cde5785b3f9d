// Package kubedns answers questions about the names of a cluster of Kubernetes: of its services, their backends and its pods
// (DNS-Based Service Discovery, schema version 1.1.0).
package kubedns
