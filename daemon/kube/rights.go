// SPDX-License-Identifier: Apache-2.0

package kube

// Right is a permission for objects of some resources of a group of the API (RBAC: a rule of a ClusterRole).
type Right struct {
	Group     string // "" is the core group
	Resources []string
	Names     []string // of the objects; none: all
	Verbs     []string
}

// Rights are all that netmaster's account needs: to read what a Reader reads and its definitions, to write the status of services and of
// custom kinds, and to review tokens of agents' pods and of those who read metrics, with what these may do.
func Rights() []Right {
	var out []Right
	var defined []string
	var stated []Right
	for _, s := range sources() {
		group, resource := s.versions[0].Group, string(s.kind)
		if s.optional {
			defined = append(defined, s.definition())
			stated = append(stated, Right{Group: group, Resources: []string{resource + "/status"}, Verbs: []string{"patch"}})
		}
		if n := len(out); n > 0 && out[n-1].Group == group {
			out[n-1].Resources = append(out[n-1].Resources, resource)
			continue
		}
		out = append(out, Right{Group: group, Resources: []string{resource}, Verbs: []string{"list", "watch"}})
	}
	return append(append(out, stated...), Right{Group: definitionGroup, Resources: []string{definitionResource}, Names: defined, Verbs: []string{"get"}},
		Right{Resources: []string{"services/status"}, Verbs: []string{"patch"}},
		Right{Group: "authentication.k8s.io", Resources: []string{"tokenreviews"}, Verbs: []string{"create"}},
		Right{Group: "authorization.k8s.io", Resources: []string{"subjectaccessreviews"}, Verbs: []string{"create"}})
}
