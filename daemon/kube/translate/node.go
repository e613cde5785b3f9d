// SPDX-License-Identifier: Apache-2.0

package translate

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/contiv/contiv/daemon/record"
)

// Node is the record of a node.
func Node(n *corev1.Node) *record.KubernetesNode {
	var texts []string
	for _, a := range n.Status.Addresses {
		if a.Type == corev1.NodeInternalIP || a.Type == corev1.NodeExternalIP {
			texts = append(texts, a.Address)
		}
	}
	_, excluded := n.Labels[corev1.LabelNodeExcludeBalancers]
	return &record.KubernetesNode{Name: n.Name, Addresses: addresses(texts...), Zone: n.Labels[corev1.LabelTopologyZone], Excluded: excluded}
}
