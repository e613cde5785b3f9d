// SPDX-License-Identifier: Apache-2.0

// Package kube describes a Kubernetes cluster on the hosts of a lab: keys, files and command lines. It starts nothing.
package kube

import "net/netip"

// Dir is the host's directory of the files of its cluster.
const Dir = "/run/lab/kubernetes"

// Addresses and names of the cluster.
const (
	ServiceRange = "10.96.0.0/16,fd00:96::/108" // of services, in each family; the first address is that of the API server
	NameServer   = "10.96.0.10"                 // the service of the pods' name server
	Domain       = "cluster.local"              // of the names of services and pods
)

// Ports of parts; those of etcd and of health are this package's choice, the others Kubernetes' own.
const (
	apiPort        = "6443"
	etcdPort       = "2479"
	etcdPeerPort   = "2480"
	etcdHealthPort = "2481"
)

// Cluster is a cluster whose control plane runs on one host.
type Cluster struct {
	Name  string     // of the lab
	Plane netip.Addr // of the host with the control plane
}

// Node is a host that runs pods.
type Node struct {
	Name      string
	Addresses []netip.Addr // the first is the one where its parts serve
	Cgroup    string       // control group of its pods, from the top of the hierarchy
}

// Server is the URL of the API server.
func (c Cluster) Server() string { return "https://" + netip.AddrPortFrom(c.Plane, 6443).String() }

// Health is the URL of the readiness of a part of a host with this address, "" if it has none.
func Health(part string, address netip.Addr) string {
	at := func(scheme string, port uint16, path string) string {
		return scheme + "://" + netip.AddrPortFrom(address, port).String() + path
	}
	switch part {
	case Etcd:
		return at("http", 2481, "/health")
	case APIServer:
		return at("https", 6443, "/readyz")
	case Controllers:
		return at("https", 10257, "/healthz")
	case Scheduler:
		return at("https", 10259, "/healthz")
	case Kubelet:
		return at("http", 10248, "/healthz")
	case Proxy:
		return at("http", 10256, "/livez")
	}
	return ""
}
