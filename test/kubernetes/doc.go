// SPDX-License-Identifier: Apache-2.0

// Package kubernetes tests with a real Kubernetes on the hosts of a lab: etcd, the API server, controllers and scheduler on h1, containerd
// and a kubelet on every host. make test-kubernetes builds what they need and runs them.
//
// A test starts a cluster, applies objects and looks at what pods can do:
//
//	c := start(t, lab.Plan{Name: "kpolicy"})
//	web := c.run(pod{name: "web", host: "h1", labels: "app=web", serves: 8080})
//	client := c.run(pod{name: "client", host: "h2"})
//	c.apply(`{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", ...}`)
//	client.connects(false, web.address(4), 8080)
package kubernetes
