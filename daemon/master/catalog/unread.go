// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"bytes"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// UnreadPolicy is a policy of Kubernetes that netmaster does not read completely.
type UnreadPolicy struct {
	Name   string   // "namespace/name"; "name" of a cluster-wide policy
	Unread []string // reasons, each with its field; nil: the record cannot be read at all, so its pods are isolated
}

// UnreadPolicies returns the policies of Kubernetes that are not read completely: first those of namespaces, each ordered by name. It
// searches the records of all, and decodes those with something unread.
func (v *View) UnreadPolicies() (out []UnreadPolicy) {
	for e := range v.kind(model.KindNetworkPolicy()) {
		id, err := identity.ParseNetworkPolicy(e.Key)
		value := v.Value(record.NetworkPolicies + e.Key)
		if err != nil || !suspicious(value) {
			continue
		}
		if p := readable[netpolicy.Policy](v, record.NetworkPolicies+e.Key); p == nil {
			out = append(out, UnreadPolicy{Name: id.Path()})
		} else if all := reasons(p.Ingress.Unread, p.Egress.Unread); len(all) > 0 {
			out = append(out, UnreadPolicy{id.Path(), all})
		}
	}
	slices.SortFunc(out, func(a, b UnreadPolicy) int { return strings.Compare(a.Name, b.Name) })
	for e := range v.kind(model.KindClusterNetworkPolicy()) {
		value := v.Value(record.ClusterNetworkPolicies + e.Key)
		if !suspicious(value) {
			continue
		}
		if p := readable[netpolicy.ClusterPolicy](v, record.ClusterNetworkPolicies+e.Key); p == nil {
			out = append(out, UnreadPolicy{Name: e.Key})
		} else if all := reasons(p.Ingress.Unread, p.Egress.Unread); len(all) > 0 {
			out = append(out, UnreadPolicy{e.Key, all})
		}
	}
	return out
}

// UnreadService is a service of Kubernetes of which some parts are not carried out.
type UnreadService struct {
	Name  string // "namespace/name"
	Parts []string
}

// UnreadServices returns the services of Kubernetes of which some parts are not carried out, ordered by name. It searches the records of
// all, and decodes those with such a part.
func (v *View) UnreadServices() (out []UnreadService) {
	for _, s := range v.KubernetesServicesWith(`"unread"`) {
		if len(s.Unread) > 0 {
			out = append(out, UnreadService{s.ID.Path(), s.Unread})
		}
	}
	slices.SortFunc(out, func(a, b UnreadService) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// suspicious reports whether a record may have something unread, or be invalid JSON: most records are neither, and are not decoded.
func suspicious(value []byte) bool {
	return bytes.Contains(value, []byte(`"unread"`)) || !bytes.HasPrefix(value, []byte("{")) || !bytes.HasSuffix(value, []byte("}"))
}

// reasons returns the distinct reasons of both directions, ordered.
func reasons(ingress, egress []string) []string {
	all := slices.Concat(ingress, egress)
	slices.Sort(all)
	return slices.Compact(all)
}
