// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"strings"
)

// CoreDNSImage is the image of CoreDNS.
const CoreDNSImage = "contiv/coredns:lab"

// corefile only answers for the cluster's names. It is bound to the host's own address, where the switch's name servers are not.
const corefile = `.:53 {
	bind {$HOST_IP}
	errors
	ready {$HOST_IP}:8181
	kubernetes DOMAIN in-addr.arpa ip6.arpa {
		pods insecure
		fallthrough in-addr.arpa ip6.arpa
	}
	cache 5
}
`

// CoreDNS are the objects that make CoreDNS the cluster's name server, to be applied. It runs on the network of a host, and calls the API
// server at its own address, so that it needs no service and no network of pods.
func (c Cluster) CoreDNS() ([]byte, error) {
	cluster, system := object{"name": "coredns"}, object{"name": "coredns", "namespace": "kube-system"}
	labels := object{"k8s-app": "kube-dns"}
	read := func(group string, resources ...string) object {
		return object{"apiGroups": []string{group}, "resources": resources, "verbs": []string{"list", "watch"}}
	}
	items := []object{
		{"apiVersion": "v1", "kind": "ServiceAccount", "metadata": system},
		{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": cluster,
			"rules": []object{read("", "endpoints", "services", "pods", "namespaces"), read("discovery.k8s.io", "endpointslices")}},
		{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding", "metadata": cluster,
			"roleRef":  object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "coredns"},
			"subjects": []object{{"kind": "ServiceAccount", "name": "coredns", "namespace": "kube-system"}}},
		{"apiVersion": "v1", "kind": "ConfigMap", "metadata": system, "data": object{"Corefile": strings.ReplaceAll(corefile, "DOMAIN", Domain)}},
		{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": system, "spec": object{
			"replicas": 1, "selector": object{"matchLabels": labels}, "strategy": object{"type": "Recreate"},
			"template": object{"metadata": object{"labels": labels}, "spec": c.coreDNSPod()}}},
		{"apiVersion": "v1", "kind": "Service", "metadata": object{"name": "kube-dns", "namespace": "kube-system", "labels": labels},
			"spec": object{"clusterIP": NameServer, "selector": labels, "ports": []object{
				{"name": "dns", "port": 53, "protocol": "UDP"}, {"name": "dns-tcp", "port": 53, "protocol": "TCP"}}}},
	}
	return json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
}

func (c Cluster) coreDNSPod() object {
	return object{
		"serviceAccountName": "coredns", "hostNetwork": true, "dnsPolicy": "Default",
		"volumes": []object{{"name": "config", "configMap": object{"name": "coredns"}}},
		"containers": []object{{
			"name": "coredns", "image": CoreDNSImage, "args": []string{"-conf", "/etc/coredns/Corefile"},
			"volumeMounts": []object{{"name": "config", "mountPath": "/etc/coredns"}},
			"ports":        []object{{"name": "dns", "containerPort": 53, "protocol": "UDP"}, {"name": "dns-tcp", "containerPort": 53, "protocol": "TCP"}},
			"env": []object{{"name": "KUBERNETES_SERVICE_HOST", "value": c.Plane.String()}, {"name": "KUBERNETES_SERVICE_PORT", "value": apiPort},
				{"name": "HOST_IP", "valueFrom": object{"fieldRef": object{"fieldPath": "status.hostIP"}}}},
			"readinessProbe": object{"httpGet": object{"path": "/ready", "port": 8181}, "periodSeconds": 1},
		}},
	}
}
