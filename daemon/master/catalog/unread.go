package catalog

import (
	"bytes"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// UnreadPolicy is a policy of Kubernetes of which netmaster does not read all.
type UnreadPolicy struct {
	Name   string   // "namespace/name", of a cluster-wide one "name"
	Unread []string // reasons, each with its field; nil: nothing of its record is read, so that its pods are isolated
}

// UnreadPolicies are the policies of Kubernetes that are not read as a whole: those of namespaces first, each ordered by name. It looks at the records of all, and
// decodes those that have something unread.
func (v *View) UnreadPolicies() (out []UnreadPolicy) {
	for e := range v.kind(model.KindNetworkPolicy()) {
		id, err := identity.ParseNetworkPolicy(e.Key)
		value := v.Value(record.NetworkPolicies + e.Key)
		if err != nil || !suspicious(value) {
			continue
		}
		if p := readable[record.NetworkPolicy](v, record.NetworkPolicies+e.Key); p == nil {
			out = append(out, UnreadPolicy{Name: id.Namespace + "/" + id.Name})
		} else if all := reasons(p.Ingress.Unread, p.Egress.Unread); len(all) > 0 {
			out = append(out, UnreadPolicy{id.Namespace + "/" + id.Name, all})
		}
	}
	slices.SortFunc(out, func(a, b UnreadPolicy) int { return strings.Compare(a.Name, b.Name) })
	for e := range v.kind(model.KindClusterNetworkPolicy()) {
		value := v.Value(record.ClusterNetworkPolicies + e.Key)
		if !suspicious(value) {
			continue
		}
		if p := readable[record.ClusterNetworkPolicy](v, record.ClusterNetworkPolicies+e.Key); p == nil {
			out = append(out, UnreadPolicy{Name: e.Key})
		} else if all := reasons(p.Ingress.Unread, p.Egress.Unread); len(all) > 0 {
			out = append(out, UnreadPolicy{e.Key, all})
		}
	}
	return out
}

// suspicious reports whether a record may have something unread, or be no JSON at all: most have not, and are not decoded.
func suspicious(value []byte) bool {
	return bytes.Contains(value, []byte(`"unread"`)) || !bytes.HasPrefix(value, []byte("{")) || !bytes.HasSuffix(value, []byte("}"))
}

// reasons are those of both directions, each once, ordered.
func reasons(ingress, egress []string) []string {
	all := slices.Concat(ingress, egress)
	slices.Sort(all)
	return slices.Compact(all)
}
