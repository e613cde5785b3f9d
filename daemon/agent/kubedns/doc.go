// Package kubedns answers queries about the names of a Kubernetes cluster: of its services, their backends and its pods (DNS-Based Service
// Discovery, schema version 1.1.0).
package kubedns
