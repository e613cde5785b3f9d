// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"net/netip"
	"strings"
)

// Names of the parts, which are those of Kubernetes' programs; etcd is not that of Contiv's store.
const (
	Etcd        = "kube-etcd"
	APIServer   = "kube-apiserver"
	Controllers = "kube-controller-manager"
	Scheduler   = "kube-scheduler"
	Kubelet     = "kubelet"
	Proxy       = "kube-proxy"
)

// Plane are the parts of the control plane, in the order in which they start.
func Plane() []string { return []string{Etcd, APIServer, Controllers, Scheduler} }

// program is the program of all of Kubernetes' roles, which the next argument names.
const program = "kube"

// PlaneArgs is the command line of a part of the control plane, nil for any other.
func (c Cluster) PlaneArgs(part string) []string {
	address := c.Plane.String()
	switch part {
	case Etcd:
		client, peer := "http://127.0.0.1:"+etcdPort, "http://127.0.0.1:"+etcdPeerPort
		return []string{"etcd", "--name", "kubernetes", "--data-dir", Dir + "/etcd", "--unsafe-no-fsync",
			"--listen-client-urls", client, "--advertise-client-urls", client,
			"--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", "kubernetes=" + peer,
			"--listen-metrics-urls", "http://" + address + ":" + etcdHealthPort}
	case APIServer:
		return append([]string{program, APIServer, "--etcd-servers", "http://127.0.0.1:" + etcdPort,
			"--bind-address", address, "--advertise-address", address, "--secure-port", apiPort, "--cert-dir", Dir,
			"--service-cluster-ip-range", ServiceRange, "--authorization-mode", "Node,RBAC", "--enable-admission-plugins", "NodeRestriction",
			"--allow-privileged", "--kubelet-preferred-address-types", "InternalIP", "--service-account-issuer", "https://kubernetes.default.svc." + Domain},
			c.apiKeys()...)
	case Controllers:
		return []string{program, Controllers, "--kubeconfig", Dir + "/controllers.conf", "--authentication-kubeconfig", Dir + "/controllers.conf",
			"--authorization-kubeconfig", Dir + "/controllers.conf", "--bind-address", address, "--cert-dir", Dir + "/controllers",
			"--use-service-account-credentials", "--service-account-private-key-file", Dir + "/accounts.key", "--root-ca-file", Dir + "/ca.crt",
			"--leader-elect=false"}
	case Scheduler:
		return []string{program, Scheduler, "--kubeconfig", Dir + "/scheduler.conf", "--authentication-kubeconfig", Dir + "/scheduler.conf",
			"--authorization-kubeconfig", Dir + "/scheduler.conf", "--bind-address", address, "--cert-dir", Dir + "/scheduler", "--leader-elect=false"}
	}
	return nil
}

// apiKeys are the keys by which the API server authenticates others, and others it.
func (c Cluster) apiKeys() []string {
	return []string{"--client-ca-file", Dir + "/ca.crt", "--tls-cert-file", Dir + "/apiserver.crt", "--tls-private-key-file", Dir + "/apiserver.key",
		"--kubelet-client-certificate", Dir + "/apiserver-kubelet.crt", "--kubelet-client-key", Dir + "/apiserver-kubelet.key",
		"--service-account-key-file", Dir + "/accounts.key", "--service-account-signing-key-file", Dir + "/accounts.key"}
}

// NodeArgs is the command line of a part of a node, nil for any other.
func (n Node) NodeArgs(part string) []string {
	switch part {
	case Kubelet:
		return []string{program, Kubelet, "--config", Dir + "/kubelet.json", "--kubeconfig", Dir + "/kubelet.conf",
			"--hostname-override", n.Name, "--node-ip", join(n.Addresses)}
	case Proxy:
		// Limits of connection tracking are set on the machine.
		return []string{program, Proxy, "--kubeconfig", Dir + "/proxy.conf", "--proxy-mode", "nftables", "--hostname-override", n.Name,
			"--conntrack-max-per-core", "0", "--conntrack-tcp-timeout-established", "0", "--conntrack-tcp-timeout-close-wait", "0",
			"--healthz-bind-address", netip.AddrPortFrom(n.Addresses[0], 10256).String(), "--metrics-bind-address", "127.0.0.1:10249"}
	}
	return nil
}

func join(addresses []netip.Addr) string {
	var words []string
	for _, a := range addresses {
		words = append(words, a.String())
	}
	return strings.Join(words, ",")
}
