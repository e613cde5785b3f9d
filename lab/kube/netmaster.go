// SPDX-License-Identifier: Apache-2.0

package kube

// The netmasters' kubeconfig of every host, and their permissions, on the host with the control plane.
const (
	NetmasterConf = "netmaster.conf"
	RightsFile    = "netmaster.json"
)

// netmasterGroup is the group of the netmasters' users.
const netmasterGroup = "contiv"

// rights are the permissions of netmasters, as input of kubectl: read, write the status of services and policies, and review tokens of
// agents' pods.
func rights() object {
	const rbac = "rbac.authorization.k8s.io"
	read := func(group string, resources ...string) object {
		return object{"apiGroups": []string{group}, "resources": resources, "verbs": []string{"list", "watch"}}
	}
	return object{"apiVersion": "v1", "kind": "List", "items": []object{
		{"apiVersion": rbac + "/v1", "kind": "ClusterRole", "metadata": object{"name": "contiv-netmaster"}, "rules": []object{
			read("", "namespaces", "nodes", "pods", "services"), read("discovery.k8s.io", "endpointslices"),
			read("networking.k8s.io", "networkpolicies"), read("policy.networking.k8s.io", "clusternetworkpolicies"),
			{"apiGroups": []string{"policy.networking.k8s.io"}, "resources": []string{"clusternetworkpolicies/status"}, "verbs": []string{"patch"}},
			{"apiGroups": []string{"apiextensions.k8s.io"}, "resources": []string{"customresourcedefinitions"},
				"resourceNames": []string{"clusternetworkpolicies.policy.networking.k8s.io"}, "verbs": []string{"get"}},
			{"apiGroups": []string{""}, "resources": []string{"services/status"}, "verbs": []string{"patch"}},
			{"apiGroups": []string{"authentication.k8s.io"}, "resources": []string{"tokenreviews"}, "verbs": []string{"create"}},
			{"apiGroups": []string{"authorization.k8s.io"}, "resources": []string{"subjectaccessreviews"}, "verbs": []string{"create"}},
		}},
		{"apiVersion": rbac + "/v1", "kind": "ClusterRoleBinding", "metadata": object{"name": "contiv-netmaster"},
			"roleRef":  object{"apiGroup": rbac, "kind": "ClusterRole", "name": "contiv-netmaster"},
			"subjects": []object{{"apiGroup": rbac, "kind": "Group", "name": netmasterGroup}}},
	}}
}
