// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/contiv/contiv/daemon/agent/classify"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/table"
)

// netPolicies has the network policies of Kubernetes, with the classes that follow.
type netPolicies struct {
	policies *table.Table[string, *netpolicy.Policy] // by id
	clusters *table.Table[string, *netpolicy.ClusterPolicy]
	// classes follow from the records that were translated last. Clones share them.
	classes *classify.Classes
}

func newNetPolicies() netPolicies {
	return netPolicies{table.New[string, *netpolicy.Policy](), table.New[string, *netpolicy.ClusterPolicy](), classify.New()}
}

func (n netPolicies) clone() netPolicies {
	return netPolicies{n.policies.Clone(), n.clusters.Clone(), n.classes}
}

func netPolicyRows(r *records) *table.Table[string, *netpolicy.Policy] { return r.net.policies }
func clusterRows(r *records) *table.Table[string, *netpolicy.ClusterPolicy] {
	return r.net.clusters
}
func readNetPolicy(_ *records, p *netpolicy.Policy) (string, error)      { return p.ID.String(), nil }
func readCluster(_ *records, p *netpolicy.ClusterPolicy) (string, error) { return p.Name, nil }

// netPolicyKinds returns the kinds of policies' records.
func netPolicyKinds() []kind {
	return []kind{
		closing(rows(record.NetworkPolicies, netPolicyRows, readNetPolicy), closeNamespace),
		closing(rows(record.ClusterNetworkPolicies, clusterRows, readCluster), closeCluster),
	}
}

// closing returns a kind whose records deny traffic: a malformed record isolates the pods that it may select, rather too many than too few.
func closing(k kind, closed func(r *records, name string) error) kind {
	put := k.put
	k.put = func(r *records, name string, item channel.Item) error {
		err := put(r, name, item)
		if err == nil {
			return nil
		}
		if wrong := closed(r, name); wrong != nil {
			return wrong
		}
		return fmt.Errorf("all pods that it may select are isolated: %w", err)
	}
	return k
}

// closeNamespace isolates all pods of a policy's namespace.
func closeNamespace(r *records, name string) error {
	id, err := identity.ParseNetworkPolicy(name)
	if err != nil {
		return err
	}
	both := netpolicy.Direction{Isolates: true}
	r.net.policies.Set(name, &netpolicy.Policy{ID: id, Ingress: both, Egress: both})
	return nil
}

// closeCluster denies all traffic of all pods.
func closeCluster(r *records, name string) error {
	all := netpolicy.ClusterDirection{Rules: []netpolicy.ClusterRule{{Rule: netpolicy.Rule{Number: 1}, Action: netpolicy.Deny}}}
	r.net.clusters.Set(name, &netpolicy.ClusterPolicy{Name: name, Tier: netpolicy.TierAdmin, Ingress: all, Egress: all})
	return nil
}

// Kinds of objects that cause no flows by themselves.
const kindJudgement ofnet.Kind = "judgement"

// classify updates the classes from the records before to r, and adds the objects that follow from their changes.
func (o objects) classify(before, r *records) {
	c := r.net.classes
	changed(before, r, namespaces, func(_ *records, name string, _ *record.Namespace) {
		if n := r.kube.namespaces.Get(name); n != nil {
			c.SetNamespace(name, n.Labels)
		} else {
			c.RemoveNamespace(name)
		}
	})
	changed(before, r, endpoints, func(_ *records, id string, _ *record.Endpoint) {
		if e := r.endpoints.Get(id); e != nil && !e.Pod.ID.IsZero() {
			c.SetPod(classify.Pod{ID: id, Namespace: e.Pod.ID.Namespace, Labels: e.Labels, Ports: e.Pod.Ports, Tenant: e.ID.Tenant, Here: e.Host == r.self})
		} else {
			c.RemovePod(id)
		}
	})
	changed(before, r, netPolicyRows, func(_ *records, name string, _ *netpolicy.Policy) {
		if p := r.net.policies.Get(name); p != nil {
			c.SetNetworkPolicy(p)
		} else {
			c.RemovePolicy(name)
		}
	})
	changed(before, r, clusterRows, func(_ *records, name string, _ *netpolicy.ClusterPolicy) {
		if p := r.net.clusters.Get(name); p != nil {
			c.SetClusterPolicy(p)
		} else {
			c.RemovePolicy(name)
		}
	})
	follow := c.Changes()
	for id := range follow.Pods {
		o.add(ofnet.KindEndpoint, id)
	}
	for name := range follow.Policies {
		o.add(ofnet.KindClassPolicy, name)
	}
	for tenant := range follow.Tenants {
		o.add(kindJudgement, tenant)
	}
}

// setClassPolicies sets the State's rows of a policy, in both directions, to the result of its classes.
func (r *records) setClassPolicies(s *ofnet.State, name string) {
	want := map[ofnet.Direction]*ofnet.ClassPolicy{}
	for _, p := range r.net.classes.Policies(name) {
		want[p.Direction] = p
	}
	for _, d := range []ofnet.Direction{ofnet.In, ofnet.Out} {
		setFunc(s.ClassPolicies, (&ofnet.ClassPolicy{Name: name, Direction: d}).ID(), want[d], (*ofnet.ClassPolicy).Equal)
	}
}

// own returns, in order, the addresses of this host's Kubernetes node: the node that has one of the given addresses.
func (r *records) own(host ...netip.Addr) (out []netip.Addr) {
	out = slices.DeleteFunc(slices.Clone(host), func(a netip.Addr) bool { return !a.IsValid() })
	for _, a := range host {
		for n := range nodesByAddress.In(r.kube.nodes, a).Values() {
			out = append(out, n.Addresses...)
		}
	}
	slices.SortFunc(out, netip.Addr.Compare)
	return slices.Compact(out)
}
