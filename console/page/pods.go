// SPDX-License-Identifier: Apache-2.0

package page

import (
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/identity"
)

// podsPage makes a page of the endpoints of some pods, each "namespace/name".
func podsPage(name, command string, pods func(s *feed.Snapshot) []string) *Page {
	k := model.KindEndpoint()
	p := newTable(k, name, command, nil)
	p.Body.(*table[*feed.Endpoint]).pods = pods
	return p
}

// podsOfNamespace makes a page of the endpoints of all pods of a namespace.
func podsOfNamespace(namespace string) *Page {
	k := model.KindEndpoint()
	return newTable(k, "pods of "+namespace, "netctl endpoint ls --namespace "+namespace, func(o object) bool {
		name, _ := o.Field("pod").(string)
		pod, ok := identity.ParsePodPath(name)
		return ok && pod.Namespace == namespace
	})
}

// podsOf makes a page of the pods that a policy of Kubernetes selects, or that are behind a service, as far as netmaster names them.
func podsOf(k *model.Kind, key string) *Page {
	q := feed.Question{Topic: feed.State, Kind: k.Name, Key: key}
	p := podsPage("pods of "+key, "netctl "+k.Command.Use+" inspect "+strings.ReplaceAll(key, ":", "/"), func(s *feed.Snapshot) []string {
		switch o := s.Answers[q].Value.(type) {
		case *model.NetworkPolicyInspect:
			return o.Oper.Pods
		case *model.ClusterNetworkPolicyInspect:
			return o.Oper.Pods
		case *model.KubeServiceInspect:
			return o.Oper.Pods
		}
		return nil
	})
	p.Asks = asks(q)
	t := p.Body.(*table[*feed.Endpoint])
	t.above = answered(q, "netmaster")
	t.empty = func(*feed.Snapshot) string { return "no pods on Contiv networks" }
	return p
}
