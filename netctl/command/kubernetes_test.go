// SPDX-License-Identifier: Apache-2.0

package command

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netpolicy"
)

// shopOfKubernetes is a master that knows two pods, a policy of each kind, and a service.
func shopOfKubernetes(t *testing.T, status model.KubernetesStatus) *mastertest.Master {
	t.Helper()
	m := mastertest.Start(t, mastertest.Options{Kubernetes: func() *model.KubernetesStatus { return &status }})
	m.Must(t, "network n encap=vxlan subnet=10.1.1.0/24 gateway=10.1.1.254")
	web := netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{"web"}})
	cl := netpolicy.NewSelector(netpolicy.Requirement{Key: "app", Operator: netpolicy.In, Values: []string{"cl"}})
	m.Kubernetes(t,
		&record.Namespace{Name: "shop", UID: "1", Labels: map[string]string{"team": "a"}, Place: record.Place{Network: "n"}},
		&record.Namespace{Name: "other", UID: "2"},
		&netpolicy.Policy{ID: identity.NetworkPolicy{Namespace: "shop", Name: "web"}, Pods: web, Ingress: netpolicy.Direction{Isolates: true,
			Rules: []netpolicy.Rule{{Number: 1, Peers: []netpolicy.Peer{{Own: true, Pods: cl}, {Block: netip.MustParsePrefix("10.9.0.0/16"),
				Except: []netip.Prefix{netip.MustParsePrefix("10.9.1.0/24")}}}, Ports: []netpolicy.Port{{Protocol: 6, First: 80, Last: 80}, {Protocol: 17, First: 5000, Last: 5010}}}},
			Unread: []string{"spec.ingress[1].from[0]: it is of a newer version"}}},
		&netpolicy.ClusterPolicy{Name: "base", Tier: netpolicy.TierBaseline, Priority: 7, Egress: netpolicy.ClusterDirection{
			Rules: []netpolicy.ClusterRule{{Rule: netpolicy.Rule{Number: 1, Ports: []netpolicy.Port{{Protocol: 6, First: 25, Last: 25}}}, Action: netpolicy.Deny, Name: "mail"}}}},
		&record.KubernetesService{ID: identity.KubernetesService{Namespace: "shop", Name: "web"}, Type: record.ServiceNodePort, InternalLocal: true,
			ClusterIPs: []netip.Addr{netip.MustParseAddr("10.96.0.9")}, Ports: []record.ServicePort{{Name: "http", Protocol: 6, Port: 80, NodePort: 30080}}},
		&record.EndpointSlice{ID: identity.EndpointSlice{Namespace: "shop", Name: "web-1"}, Service: "web", Ports: []record.SlicePort{{Name: "http", Protocol: 6, Port: 8080}},
			Endpoints: []record.SliceEndpoint{{Address: netip.MustParseAddr("10.1.1.1"), Pod: identity.Pod{Namespace: "shop", Name: "web"}, Node: "h1"},
				{Address: netip.MustParseAddr("10.1.1.9"), State: record.EndpointDraining}}})
	m.Pod(t, "n", "shop", "web", map[string]string{"app": "web"})
	m.Pod(t, "n", "shop", "cl", map[string]string{"app": "cl"})
	return m
}

// Objects of Kubernetes are listed and inspected, and not changed.
func TestKubernetesSession(t *testing.T) {
	m := shopOfKubernetes(t, model.KubernetesStatus{Wanted: true, Leads: true})
	for _, step := range []struct {
		line string
		code int
		out  string
		err  string
	}{
		{"ns ls", 0, "Namespace  Tenant  Network  Group\n---------  ------  -------  -----\nother\nshop               n\n", ""},
		{"netpol ls", 0, "Namespace  Name  Subject       Directions  Unread\n---------  ----  -------       ----------  ------\n" +
			"shop       web   pods app=web  ingress     ingress: spec.ingress[1].from[0]: it is of a newer version\n", ""},
		{"netpol ls -n shop -o name", 0, "networkpolicy/shop:web\n", ""},
		{"get networkpolicy/shop:web -q", 0, "web\n", ""},
		{"netpol ls -n other", 0, "namespace other has no network policy\n", ""},
		{"netpol ls -n absent", 3, "", "kubeNamespace not found"},
		{"netpol inspect shop/web", 0, `"1: allow tcp 80, udp 5000-5010 from pods app=cl of its namespace; or 10.9.0.0/16 except 10.9.1.0/24"`, ""},
		{"netpol inspect web -n shop", 0, `"selects": 1`, ""},
		{"netpol inspect shop web", 0, `"shop/web"`, ""},
		{"netpol inspect web", 3, "", `the key is "default:web"`},
		{"netpol inspect a/b/c", 1, "", "want NAMESPACE/NAME"},
		{"netpol inspect shop/web -n other", 1, "", "which contradicts --namespace"},
		{"netpol create shop/x", 1, "", "create"},
		{"history networkpolicy shop/web", 3, "", "no history of a network policy is kept"},
		{"cnp ls", 0, "base  Baseline  7         all pods of all namespaces\n", ""},
		{"cnp inspect base", 0, `"1: deny tcp 25 to anyone (mail)"`, ""},
		{"ksvc ls", 0, "shop       web   NodePort  10.96.0.9            tcp 80 (http), node port 30080  1      1         0          default\n", ""},
		{"ksvc inspect shop/web", 0, `"10.1.1.1 tcp 8080, ready, pod shop/web, node h1"`, ""},
		{"ksvc ls -o wide", 0, "internalTrafficPolicy: Local", ""},
		{"ns inspect shop", 0, `"networkPolicies": 1`, ""},
		{"describe ns shop", 0, "Kubernetes namespace shop\n\nPROBLEMS\n", ""},
		{"endpoint inspect shop-web", 0, `"networkpolicy shop/web"`, ""},
		{"endpoint inspect shop-cl", 0, `"clusternetworkpolicy base (Baseline, priority 7)"`, ""},
		{"endpoint inspect shop/web", 0, `"networkpolicy shop/web"`, ""},
		{"endpoint inspect shop:cl", 0, `"clusternetworkpolicy base (Baseline, priority 7)"`, ""},
		{"endpoint inspect shop/absent", 3, "", "not found"},
		{"endpoint ls --namespace shop -q", 0, "shop-cl\nshop-web\n", ""},
		{"endpoint ls --namespace other", 0, "", ""},
		{"endpoint ls --namespace absent", 3, "", "kubeNamespace not found"},
		{"ns inspect shop", 0, `"type": "networkPolicy",`, ""},
		{"ns inspect shop", 0, `"type": "kubeService",`, ""},
		{"netpol inspect shop/web", 0, `"type": "kubeNamespace",`, ""},
		{"ksvc inspect shop/web", 0, "\"pods\": [\n      \"shop/web\"\n    ]", ""},
		{"matrix -n shop", 0, "From \\ To  cl           web                     outside\n---------  --           ---                     -------\n" +
			"cl         all -tcp 25  tcp 80 udp 5000-5010    all -tcp 25\nweb        all -tcp 25  none                    all -tcp 25\n" +
			"outside    all          ?tcp 80 ?udp 5000-5010  not judged\n", ""},
		{"matrix -n shop cl web", 0, "udp 5000-5010  allowed                                    networkpolicy shop/web rule 1\n", ""},
		{"matrix -n shop cl absent", 3, "", "namespace shop has no pod absent"},
		{"matrix -n absent", 3, "", "kubeNamespace not found"},
		{"explain netpol", 0, "Kubernetes owns it: kubectl edit networkpolicy NAME -n NAMESPACE changes it.", ""},
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(step.line)...)
		if got.code != step.code || !strings.Contains(got.out, step.out) || !strings.Contains(got.err, step.err) || step.err == "" && got.err != "" {
			t.Errorf("netctl %s: want %d %q %q, got %d\n%s%s", step.line, step.code, step.out, step.err, got.code, got.out, got.err)
		}
	}
}

// An empty list reports whether Kubernetes is read.
func TestNothingOfKubernetes(t *testing.T) {
	lost := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, test := range []struct {
		status *model.KubernetesStatus
		want   string
	}{
		{nil, "no network policy of Kubernetes is known: netmaster does not read Kubernetes (it needs --kubeconfig)\n"},
		{&model.KubernetesStatus{Wanted: true, Leads: true, Since: &lost}, "no network policy of Kubernetes is known: there is none, by what was read since 2026-01-02T03:04:05Z\n"},
		{&model.KubernetesStatus{Wanted: true, Leads: true, Since: &lost, Missing: "refused"}, "no network policy of Kubernetes is known: Kubernetes is not read since 2026-01-02T03:04:05Z: refused\n"},
	} {
		o := mastertest.Options{}
		if test.status != nil {
			o.Kubernetes = func() *model.KubernetesStatus { return test.status }
		}
		m := mastertest.Start(t, o)
		if got := netctl(t, t.Context(), m.URL, "netpol", "ls"); got.out != test.want || got.code != 0 {
			t.Errorf("want %q, got %+v", test.want, got)
		}
		if got := netctl(t, t.Context(), m.URL, "netpol", "ls", "-o", "json"); got.out != "{\n  \"items\": []\n}\n" || got.code != 0 {
			t.Errorf("as JSON an empty list is one, got %+v", got)
		}
	}
}
