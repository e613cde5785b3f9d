// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"net/netip"
)

// Files are texts by their names in Dir.
type Files map[string][]byte

// object is what JSON calls one; each of these files may be JSON as well as YAML.
type object = map[string]any

// PlaneFiles are the files of the host with the control plane: its keys, the kubeconfigs of its parts and of an administrator (admin.conf),
// and the permissions of the netmasters (RightsFile).
func (c Cluster) PlaneFiles(a *Authority) (Files, error) {
	out := Files{"ca.crt": a.PEM}
	var err error
	if out["accounts.key"], err = newKey(); err != nil {
		return nil, err
	}
	server, err := a.Server([]string{"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc." + Domain},
		[]netip.Addr{c.Plane, netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("10.96.0.1"), netip.MustParseAddr("fd00:96::1")})
	if err != nil {
		return nil, err
	}
	out.pair("apiserver", server)
	client, err := a.Client("kube-apiserver-kubelet-client", "system:masters")
	if err != nil {
		return nil, err
	}
	out.pair("apiserver-kubelet", client)
	for _, u := range []struct{ file, name, group string }{
		{"admin.conf", "admin", "system:masters"},
		{"controllers.conf", "system:kube-controller-manager", ""}, {"scheduler.conf", "system:kube-scheduler", ""},
	} {
		if err := out.user(c, a, u.file, u.name, u.group); err != nil {
			return nil, err
		}
	}
	out[RightsFile], err = json.MarshalIndent(rights(), "", "  ")
	return out, err
}

// NodeFiles are the files of a node, including the kubeconfig of its netmaster (NetmasterConf).
func (c Cluster) NodeFiles(a *Authority, n Node) (Files, error) {
	out := Files{"ca.crt": a.PEM}
	if err := out.user(c, a, "kubelet.conf", "system:node:"+n.Name, "system:nodes"); err != nil {
		return nil, err
	}
	if err := out.user(c, a, NetmasterConf, "netmaster", netmasterGroup); err != nil {
		return nil, err
	}
	if err := out.user(c, a, "proxy.conf", "system:kube-proxy", ""); err != nil {
		return nil, err
	}
	var err error
	out["kubelet.json"], err = json.MarshalIndent(n.kubelet(), "", "  ")
	return out, err
}

// kubelet is the configuration of the kubelet: its pods in the node's control group, of either version, and no change of the score by which
// the kernel ends processes, which needs a capability that a container's root does not have.
func (n Node) kubelet() object {
	return object{
		"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration",
		"address": n.Addresses[0], "healthzBindAddress": n.Addresses[0],
		"authentication":           object{"x509": object{"clientCAFile": Dir + "/ca.crt"}, "anonymous": object{"enabled": false}},
		"containerRuntimeEndpoint": "unix:///run/containerd/containerd.sock", "volumePluginDir": "/var/lib/kubelet/volumeplugins",
		"staticPodPath": Dir + "/static", "failCgroupV1": false, "cgroupDriver": "cgroupfs", "cgroupRoot": "/" + n.Cgroup,
		"enforceNodeAllocatable": []string{}, "oomScoreAdj": 0, "localStorageCapacityIsolation": false, "imageGCHighThresholdPercent": 100,
		"evictionHard":  object{"memory.available": "50Mi", "nodefs.available": "1%", "imagefs.available": "1%"},
		"clusterDomain": Domain, "clusterDNS": []string{NameServer}, "resolvConf": "", "maxPods": 250,
	}
}

func (f Files) pair(name string, p Pair) { f[name+".crt"], f[name+".key"] = p.Cert, p.Key }

// user adds a user's kubeconfig, with all credentials in one file.
func (f Files) user(c Cluster, a *Authority, file, name, group string) error {
	var groups []string
	if group != "" {
		groups = []string{group}
	}
	p, err := a.Client(name, groups...)
	if err != nil {
		return err
	}
	f[file], err = json.MarshalIndent(object{
		"apiVersion": "v1", "kind": "Config", "current-context": c.Name,
		"clusters": []object{{"name": c.Name, "cluster": object{"server": c.Server(), "certificate-authority-data": a.PEM}}},
		"users":    []object{{"name": name, "user": object{"client-certificate-data": p.Cert, "client-key-data": p.Key}}},
		"contexts": []object{{"name": c.Name, "context": object{"cluster": c.Name, "user": name}}},
	}, "", "  ")
	return err
}
