// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/network-policy-api/apis/v1alpha2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/enginetest"
	master "github.com/contiv/contiv/daemon/master/kube"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/memory"
	"github.com/contiv/contiv/identity"
)

// world is the engines of a netmaster that reads an API server.
type world struct {
	*enginetest.World
	*master.Engine
	t *testing.T
}

// start runs the engines over a store, which outlives them, until the test or Stop ends them.
func start(t *testing.T, server *kubetest.Server, db store.Store) *world {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	e := master.New(master.Config{Source: kube.NewReader(kube.Config{Kubeconfig: server.Kubeconfig(t)}, log), Pause: 10 * time.Millisecond,
		PodTimeout: 300 * time.Millisecond, Compare: 10 * time.Millisecond, Log: log, Network: master.Network{ID: identity.Network{Tenant: "default", Name: "default-net"},
			Subnets: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("fd01::/64")}}})
	w := enginetest.Start(t, enginetest.Options{Store: db, Pods: e, Beside: func(w *enginetest.World) func(context.Context) {
		e.Commit, e.Catalog, e.Endpoints, e.Network.Admit = w.Commit, w.Catalog, w.Service, w.Admit
		return e.Run
	}})
	return &world{w, e, t}
}

// until waits until the catalog satisfies a condition.
func (w *world) until(what string, is func(v *catalog.View) bool) {
	w.t.Helper()
	w.await(what, func() (met bool) {
		w.Catalog.View(func(v *catalog.View) { met = is(v) })
		return met && w.Waiting() == ""
	})
}

// unaware waits until the engine notices that its state of Kubernetes may be out of date.
func (w *world) unaware() {
	w.t.Helper()
	w.await("an outage", func() bool { return w.Waiting() != "" })
}

// transactions returns the number of committed transactions.
func (w *world) transactions() uint64 { return w.World.Commit.Stats().Transactions.Load() }

// wrote checks the number of transactions since before. The store may report the last one before it is counted.
func (w *world) wrote(what string, before, want uint64) {
	w.t.Helper()
	w.await(what+", written", func() bool { return w.transactions()-before >= want })
	if got := w.transactions() - before; got != want {
		w.t.Errorf("%s: want %d transactions, got %d", what, want, got)
	}
}

// await waits until a condition is true.
func (w *world) await(what string, is func() bool) {
	w.t.Helper()
	for late := time.Now().Add(20 * time.Second); !is(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(late) {
			w.t.Fatalf("%s: it does not come; unknown: %q", what, w.Waiting())
		}
	}
}

// has waits for the value of a key; "" for none.
func (w *world) has(key, want string) {
	w.t.Helper()
	w.until(key+" "+want, func(v *catalog.View) bool { return string(v.Value(key)) == want })
}

// attach requests the endpoint of a pod's container, as an agent does.
func (w *world) attach(p *corev1.Pod, uid string, change ...func(*model.CreateEndpointRequest)) (record.Endpoint, error) {
	q := model.CreateEndpointRequest{EndpointID: "c-" + p.Name, ContainerID: "c-" + p.Name, ConfigEP: model.EndpointConfigRequest{Container: "c-" + p.Name, Host: "h1"},
		Pod: &model.PodRequest{Namespace: p.Namespace, Name: p.Name, UID: uid}}
	for _, c := range change {
		c(&q)
	}
	e, _, err := w.Service.Create(w.t.Context(), q)
	return e, err
}

func namespace(name string, annotations map[string]string) *corev1.Namespace {
	return &corev1.Namespace{TypeMeta: metav1.TypeMeta{Kind: "Namespace", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Name: name, UID: types.UID("u-" + name), Annotations: annotations, Labels: map[string]string{"name": name}}}
}

func pod(namespace, name string, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{TypeMeta: metav1.TypeMeta{Kind: "Pod", APIVersion: "v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID("u-" + name), Labels: labels}}
}

func denyAll(name string) *networkingv1.NetworkPolicy {
	return &networkingv1.NetworkPolicy{TypeMeta: metav1.TypeMeta{Kind: "NetworkPolicy", APIVersion: "networking.k8s.io/v1"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name}, Spec: networkingv1.NetworkPolicySpec{PolicyTypes: []networkingv1.PolicyType{"Ingress"}}}
}

const denied = `{"id":"ns:deny","ingress":{"isolates":true}}`

// Records follow Kubernetes, and stay while the API server is down.
func TestRecords(t *testing.T) {
	server := kubetest.Start(t)
	server.Put(t, namespace("ns", nil), denyAll("deny"))
	w := start(t, server, memory.New())
	w.has(record.NetworkPolicies+"ns:deny", denied)
	w.has(record.Namespaces+"ns", `{"name":"ns","uid":"u-ns","labels":{"name":"ns"}}`)

	server.Away(true)
	server.Delete(t, denyAll("deny"))
	w.unaware()
	lost := w.Status()
	if !lost.Wanted || !lost.Leads || !strings.HasPrefix(lost.Missing, "the API server does not answer: ") || lost.Problem() == "" {
		t.Errorf("want the outage in the status, got %+v", lost)
	}
	w.Catalog.View(func(v *catalog.View) {
		if v.Value(record.NetworkPolicies+"ns:deny") == nil {
			t.Error("while the API server is away nothing is removed")
		}
	})
	if lost.Silent {
		t.Errorf("an API server that refuses is not silent, got %+v", lost)
	}
	server.Away(false)
	w.has(record.NetworkPolicies+"ns:deny", "")
	if back := w.Status(); back.Missing != "" || back.Problem() != "" || !back.Since.After(*lost.Since) {
		t.Errorf("want the time of the recovery in the status: %+v, before %+v", back, lost)
	}
}

// While the API server serves no readable version of cluster network policies, they stay in force, also for a new leader, and the status
// reports the problem. They are removed when their definition is deleted.
func TestUnserved(t *testing.T) {
	server, db := kubetest.Start(t), memory.New()
	policy := &v1alpha2.ClusterNetworkPolicy{TypeMeta: metav1.TypeMeta{Kind: "ClusterNetworkPolicy", APIVersion: v1alpha2.GroupVersion.String()}, ObjectMeta: metav1.ObjectMeta{Name: "deny"},
		Spec: v1alpha2.ClusterNetworkPolicySpec{Tier: v1alpha2.AdminTier, Priority: 1, Subject: v1alpha2.ClusterNetworkPolicySubject{Namespaces: &metav1.LabelSelector{}}}}
	server.Install(true)
	server.Put(t, policy)
	const key = record.ClusterNetworkPolicies + "deny"
	first := start(t, server, db)
	first.until("the policy", func(v *catalog.View) bool { return v.Value(key) != nil })
	server.Serve("v1")
	first.unaware()
	first.World.Stop()

	second := start(t, server, db)
	second.await("the trouble", func() bool {
		return strings.Contains(second.Status().Problem(), "the API server serves v1 of clusternetworkpolicies")
	})
	second.Catalog.View(func(v *catalog.View) {
		if v.Value(key) == nil {
			t.Error("a policy that cannot be read is gone")
		}
	})
	server.Install(false)
	second.has(key, "")
}

// A new leader removes the records of objects that were deleted meanwhile, and writes those that differ, and only those.
func TestNewLeader(t *testing.T) {
	server, db := kubetest.Start(t), memory.New()
	turned := denyAll("turned")
	server.Put(t, namespace("ns", nil), denyAll("deny"), denyAll("gone"), turned, pod("ns", "a", nil))
	first := start(t, server, db)
	first.has(record.NetworkPolicies+"ns:gone", strings.Replace(denied, "deny", "gone", 1))
	if _, err := first.attach(pod("ns", "a", nil), "u-a"); err != nil {
		t.Fatal(err)
	}
	first.has(record.NetworkPolicies+"ns:turned", strings.Replace(denied, "deny", "turned", 1))
	first.World.Stop()

	server.Delete(t, denyAll("gone"))
	turned.Spec.PolicyTypes = []networkingv1.PolicyType{"Egress"}
	server.Put(t, turned)
	second := start(t, server, db)
	second.has(record.NetworkPolicies+"ns:turned", `{"id":"ns:turned","egress":{"isolates":true}}`)
	second.has(record.NetworkPolicies+"ns:gone", "")
	second.has(record.NetworkPolicies+"ns:deny", denied)
	second.World.Stop()

	third := start(t, server, db)
	third.has(record.NetworkPolicies+"ns:deny", denied)
	if _, err := third.attach(pod("ns", "a", nil), "u-a"); err != nil { // which waits for the pending writes
		t.Fatal(err)
	}
	if n := third.World.Commit.Stats().Transactions.Load(); n > 1 {
		t.Errorf("nothing differs, and %d transactions were written", n)
	}
}

// Changes of a status or a resource version, and repeated lists, write nothing.
func TestNothingRelevant(t *testing.T) {
	server := kubetest.Start(t)
	a := pod("ns", "a", map[string]string{"app": "web"})
	server.Put(t, namespace("ns", nil), denyAll("deny"), a)
	w := start(t, server, memory.New())
	w.has(record.NetworkPolicies+"ns:deny", denied)
	if _, err := w.attach(a, "u-a"); err != nil {
		t.Fatal(err)
	}
	before := w.transactions()
	a.Status.Phase = corev1.PodRunning
	policy := denyAll("deny")
	policy.Annotations = map[string]string{"note": "x"}
	lists := server.Lists()
	server.Put(t, a, policy)
	server.Away(true)
	server.Forget()
	server.Away(false)
	for server.Lists() < lists+6 {
		time.Sleep(time.Millisecond)
	}
	server.Put(t, denyAll("last"))
	w.has(record.NetworkPolicies+"ns:last", strings.Replace(denied, "deny", "last", 1))
	w.wrote("only the policy", before, 1)
}

func TestPlaces(t *testing.T) {
	server := kubetest.Start(t)
	server.Put(t, namespace("ns", nil), namespace("shop", map[string]string{record.PlaceTenant: "shop", record.PlaceNetwork: "front"}),
		namespace("grouped", map[string]string{record.PlaceGroup: "web"}))
	w := start(t, server, memory.New())
	w.until("the default network", func(v *catalog.View) bool {
		return v.Network(identity.Network{Tenant: "default", Name: "default-net"}) != nil
	})
	w.Must(t, "tenant shop", "network front tenantName=shop subnet=10.2.0.0/16 encap=vxlan", "network back tenantName=shop subnet=10.3.0.0/16 encap=vxlan",
		"network blue subnet=10.4.0.0/16 encap=vxlan", "group web networkName=blue")
	wishes := func(network, defaults string) func(*model.CreateEndpointRequest) {
		return func(q *model.CreateEndpointRequest) { q.NetworkName, q.Pod.Network = network, defaults }
	}
	for _, test := range []struct {
		name, namespace string
		labels          map[string]string
		asked, base     string // networks, by the CNI configuration and its labels
		want            string
	}{
		{"no placement", "ns", nil, "", "", "default:default-net "},
		{"a label", "ns", map[string]string{record.PlaceNetwork: "blue"}, "", "", "default:blue "},
		{"only a group", "ns", map[string]string{record.PlaceGroup: "web"}, "", "", "default:blue default:web"},
		{"the configuration before a label", "ns", map[string]string{record.PlaceNetwork: "blue"}, "default-net", "", "default:default-net "},
		{"a default of the configuration", "ns", nil, "", "blue", "default:blue "},
		{"a namespace", "shop", nil, "", "blue", "shop:front "},
		{"a namespace, and a label that agrees", "shop", map[string]string{record.PlaceTenant: "shop"}, "", "", "shop:front "},
		{"a label that enters another tenant", "ns", map[string]string{record.PlaceTenant: "shop", record.PlaceNetwork: "back"}, "", "",
			"invalid io.contiv.tenant: pod ns:p asks for tenant shop by its label, and its namespace belongs to tenant default " +
				"(netctl edit tenant shop with ns among its kubernetesNamespaces admits such pods, kubectl annotate namespace ns io.contiv.tenant=shop moves all pods of the namespace there; remove the label otherwise)"},
		{"a label with the tenant that it is in", "ns", map[string]string{record.PlaceTenant: "default"}, "", "", "default:default-net "},
		{"a network of another tenant", "ns", map[string]string{record.PlaceNetwork: "back"}, "", "",
			"not-found NetworkName: network default:back not found (create it with netctl network create --tenant default --subnet ADDRESS/LENGTH back)"},
		{"a group of a namespace", "grouped", nil, "", "", "default:blue default:web"},
		{"a label that leaves the namespace's network", "shop", map[string]string{record.PlaceNetwork: "back"}, "", "",
			"invalid io.contiv.network: pod shop:p asks for network back, and its namespace fixes front " +
				"(remove the pod's label io.contiv.network, or change that annotation of namespace shop)"},
		{"a configuration that does", "shop", nil, "back", "",
			"invalid io.contiv.network: pod shop:p asks for network back, and its namespace fixes front " +
				"(remove the pod's label io.contiv.network, or change that annotation of namespace shop)"},
		{"a network that is not there", "ns", map[string]string{record.PlaceNetwork: "red"}, "", "",
			"not-found NetworkName: network default:red not found (create it with netctl network create --tenant default --subnet ADDRESS/LENGTH red)"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := pod(test.namespace, "p", test.labels)
			p.UID = types.UID(test.name) // or the pod of the test before might still be known
			server.Put(t, p)
			defer server.Delete(t, p)
			e, err := w.attach(p, test.name, wishes(test.asked, test.base))
			got := enginetest.Say(err)
			if err == nil {
				got = e.ID.Network.String() + " " + e.Group.String()
				_, _, err = w.Service.Delete(t.Context(), model.DeleteEndpointRequest{TenantName: e.ID.Tenant, NetworkName: e.ID.Name, EndpointID: e.ID.Endpoint})
			}
			if got != test.want || err != nil && e.IP.IsValid() {
				t.Errorf("want %s\ngot  %s", test.want, got)
			}
		})
	}
}

// A pod's endpoint waits for the pod with the kubelet's uid, and follows that pod's changes.
func TestPods(t *testing.T) {
	server := kubetest.Start(t)
	server.Put(t, namespace("ns", nil))
	w := start(t, server, memory.New())
	w.until("the default network", func(v *catalog.View) bool {
		return v.Network(identity.Network{Tenant: "default", Name: "default-net"}) != nil
	})
	a := pod("ns", "a", map[string]string{"app": "web"})
	if _, err := w.attach(a, "u-a"); !strings.HasPrefix(enginetest.Say(err), "unavailable: Kubernetes has no pod ns:a") {
		t.Errorf("a pod that is not known: got %s", enginetest.Say(err))
	}
	comes := time.AfterFunc(20*time.Millisecond, func() { server.Put(t, a) })
	defer comes.Stop()
	e, err := w.attach(a, "u-a")
	if err != nil || e.Labels["app"] != "web" || e.Pod.ID.String() != "ns:a" || e.Pod.UID != "u-a" || !e.IP.IsValid() || !e.IP6.IsValid() {
		t.Fatalf("got %+v, %s", e, enginetest.Say(err))
	}
	if _, err := w.attach(pod("ns", "a", nil), "u-before"); !strings.HasPrefix(enginetest.Say(err), "unavailable: pod ns:a of Kubernetes has uid u-a, and not u-before") {
		t.Errorf("another pod of the name: got %s", enginetest.Say(err))
	}
	before := w.transactions()
	a.Labels = map[string]string{"app": "db"}
	a.Spec.Containers = []corev1.Container{{Ports: []corev1.ContainerPort{{Name: "sql", ContainerPort: 5432}}}}
	server.Put(t, a)
	w.until("the label in the endpoint", func(v *catalog.View) bool {
		e := v.Endpoint(e.ID)
		return e.Labels["app"] == "db" && len(e.Pod.Ports) == 1 && e.Pod.Ports[0] == record.NamedPort{Name: "sql", Protocol: 6, Port: 5432}
	})
	w.wrote("a label", before, 1)
	a.Labels[record.PlaceNetwork] = "elsewhere" // too late for this container
	server.Put(t, a)
	w.until("the label in the endpoint", func(v *catalog.View) bool { return v.Endpoint(e.ID).Labels[record.PlaceNetwork] == "elsewhere" })
	if again, err := w.attach(a, "u-a"); err != nil || again.ID != e.ID || again.IP != e.IP {
		t.Errorf("asked again: want %v, got %v, %s", e.ID, again.ID, enginetest.Say(err))
	}

	mirror := pod("ns", "static", nil)
	mirror.Annotations = map[string]string{"kubernetes.io/config.mirror": "hash"}
	server.Put(t, mirror)
	if e, err := w.attach(mirror, "hash"); err != nil || e.Pod.UID != "u-static" {
		t.Errorf("a static pod: got %+v, %s", e.Pod, enginetest.Say(err))
	}
}

// The default network is created once.
func TestDefaultNetwork(t *testing.T) {
	server, db := kubetest.Start(t), memory.New()
	w := start(t, server, db)
	id := identity.Network{Tenant: "default", Name: "default-net"}
	w.until("the default network", func(v *catalog.View) bool { return v.Network(id) != nil })
	w.Catalog.View(func(v *catalog.View) {
		text, err := json.Marshal(v.Network(id).Record)
		if want := `"gateway":"10.1.0.1"`; err != nil || !strings.Contains(string(text), want) || !strings.Contains(string(text), `"ipv6Gateway":"fd01::1"`) {
			t.Errorf("want %s, got %s, %v", want, text, err)
		}
	})
	w.Must(t, "rm network default-net")
	w.World.Stop()
	server.Put(t, namespace("ns", nil))
	w = start(t, server, db)
	w.has(record.Namespaces+"ns", `{"name":"ns","uid":"u-ns","labels":{"name":"ns"}}`)
	w.Catalog.View(func(v *catalog.View) {
		if v.Network(id) != nil {
			t.Error("it was removed, and recreated")
		}
	})
}

func TestSubnets(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       string // in the error
	}{
		{"none", "", ""},
		{"IPv4", "10.1.0.0/16", ""},
		{"both", "fd01::/64,10.1.0.0/16", ""},
		{"host bits", "10.1.0.1/16", `"10.1.0.1/16" is not the prefix of a subnet`},
		{"twice", "10.1.0.0/16,10.2.0.0/16", "are of one family"},
		{"only IPv6", "fd01::/64", "name one of IPv4 too"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var words []string
			if test.text != "" {
				words = strings.Split(test.text, ",")
			}
			got, err := master.Subnets(words)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) || err == nil && len(got) != len(words) {
				t.Errorf("got %v, %v", got, err)
			}
		})
	}
}
