// SPDX-License-Identifier: Apache-2.0

package translate

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
)

// trims returns the function that trims the objects of each kind.
func trims() map[string]func(text []byte) (any, error) {
	return map[string]func([]byte) (any, error){
		"namespace": as(Namespace), "node": as(Node), "pod": as(PodOf), "service": as(Service), "slice": as(EndpointSlice),
		"policy": as(NetworkPolicy), "clusterpolicy": as(ClusterNetworkPolicy),
	}
}

func as[T, V any](trim func(*T) *V) func([]byte) (any, error) {
	return func(text []byte) (any, error) {
		o := new(T)
		if err := json.Unmarshal(text, o); err != nil {
			return nil, err
		}
		if v := trim(o); v != nil {
			return v, nil
		}
		return nil, nil
	}
}

// meta is the metadata of every object below.
const meta = `"metadata":{"namespace":"ns","name":"x","uid":"u","labels":{"app":"web","kubernetes.io/service-name":"s"},"annotations":{"io.contiv.network":"n"}}`

// rows returns objects, as an API server sends them, and their records.
func rows() []struct{ name, kind, object, want string } {
	return []struct{ name, kind, object, want string }{
		{"a namespace", "namespace", `{` + meta + `}`, `{"name":"x","uid":"u","labels":{"app":"web","kubernetes.io/service-name":"s"},"place":{"network":"n"}}`},
		{"a node", "node", `{"metadata":{"name":"h1","labels":{"topology.kubernetes.io/zone":"z"}},"status":{"addresses":[{"type":"Hostname","address":"h1"},{"type":"InternalIP","address":"192.0.2.2"},{"type":"ExternalIP","address":"192.0.2.1"}]}}`,
			`{"name":"h1","addresses":["192.0.2.1","192.0.2.2"],"zone":"z"}`},
		{"a pod", "pod", `{` + meta + `,"spec":{"containers":[{"ports":[{"containerPort":80},{"name":"http","containerPort":8080},{"name":"a","containerPort":53,"protocol":"UDP"}]}],"initContainers":[{"ports":[{"name":"init","containerPort":1}]},{"restartPolicy":"Always","ports":[{"name":"side","containerPort":2}]}]}}`,
			`{"name":"ns:x","uid":"u","ports":[{"name":"a","protocol":17,"port":53},{"name":"http","protocol":6,"port":8080},{"name":"side","protocol":6,"port":2}],"Static":"","Labels":{"app":"web","kubernetes.io/service-name":"s"}}`},
		{"a pod on its node's network", "pod", `{` + meta + `,"spec":{"hostNetwork":true}}`, `null`},
		{"a policy for everything", "policy", `{` + meta + `,"spec":{"podSelector":{},"policyTypes":["Ingress","Egress"],"ingress":[{}]}}`,
			`{"id":"ns:x","ingress":{"isolates":true,"rules":[{"number":1}]},"egress":{"isolates":true}}`},
		{"a policy without types", "policy", `{` + meta + `,"spec":{"podSelector":{},"egress":[{"to":[{"podSelector":{}}]}]}}`,
			`{"id":"ns:x","ingress":{"isolates":true},"egress":{"isolates":true,"rules":[{"number":1,"peers":[{"own":true}]}]}}`},
		{"peers and ports", "policy", `{` + meta + `,"spec":{"podSelector":{"matchLabels":{"b":"1","a":"2"}},"policyTypes":["Ingress"],"ingress":[{"from":[{"ipBlock":{"cidr":"10.1.2.3/8","except":["10.1.0.0/16"]}},{"namespaceSelector":{},"podSelector":{"matchExpressions":[{"key":"k","operator":"NotIn","values":["y","x"]}]}}],"ports":[{"port":80},{"protocol":"UDP","port":"dns"},{"protocol":"SCTP","port":1,"endPort":9},{}]}]}}`,
			`{"id":"ns:x","pods":[{"key":"a","operator":"In","values":["2"]},{"key":"b","operator":"In","values":["1"]}],"ingress":{"isolates":true,"rules":[{"number":1,"peers":[{"block":"10.0.0.0/8","except":["10.1.0.0/16"]},{"pods":[{"key":"k","operator":"NotIn","values":["x","y"]}]}],"ports":[{"protocol":6,"first":80,"last":80},{"protocol":17,"name":"dns"},{"protocol":132,"first":1,"last":9},{"protocol":6}]}]}}`},
		{"what cannot be read allows nothing", "policy", `{` + meta + `,"spec":{"podSelector":{},"policyTypes":["Ingress"],"ingress":[{"from":[{}]},{"from":[{"ipBlock":{"cidr":"ten"}},{"podSelector":{}}],"ports":[{"protocol":"ICMP"}]},{"from":[{"podSelector":{}}]}]}}`,
			`{"id":"ns:x","ingress":{"isolates":true,"rules":[{"number":3,"peers":[{"own":true}]}],"unread":["ingress[0].from[0]: it has none of ipBlock, namespaceSelector and podSelector","ingress[1].from[0]: ipBlock.cidr: \"ten\" is not the prefix of a network","ingress[1].ports[0]: protocol \"ICMP\" is none of TCP, UDP and SCTP"]}}`},
		{"a selector that cannot be read", "policy", `{` + meta + `,"spec":{"podSelector":{"matchExpressions":[{"key":"k","operator":"Like"}]},"policyTypes":["Ingress"],"ingress":[{}]}}`,
			`{"id":"ns:x","ingress":{"isolates":true,"unread":["podSelector: operator \"Like\" of label \"k\" is not known"]}}`},
		{"a cluster-wide policy", "clusterpolicy", `{"metadata":{"name":"x"},"spec":{"tier":"Baseline","priority":7,"subject":{"namespaces":{}},"egress":[{"name":"r","action":"Pass","to":[{"networks":["10.0.0.0/8","fd00::/8"]}],"protocols":[{"tcp":{"destinationPort":{"range":{"start":1,"end":9}}}},{"destinationNamedPort":"http"}]}]}}`,
			`{"name":"x","tier":"Baseline","priority":7,"egress":{"rules":[{"number":1,"peers":[{"block":"10.0.0.0/8"},{"block":"fd00::/8"}],"ports":[{"protocol":6,"first":1,"last":9},{"name":"http"}],"name":"r","action":"Pass"}]}}`},
		{"of which a part cannot be read", "clusterpolicy", `{"metadata":{"name":"x"},"spec":{"tier":"Admin","subject":{"namespaces":{}},"egress":[{"action":"Accept","to":[{"domainNames":["a.b"]}]},{"action":"Pass","to":[{"nodes":{}}]},{"action":"Accept","to":[{},{"namespaces":{}}]}]}}`,
			`{"name":"x","tier":"Admin","egress":{"rules":[{"number":2,"action":"Deny"},{"number":3,"peers":[{}],"action":"Accept"}],"unread":["egress[0], peer 1: it has not exactly one of namespaces, pods and networks","egress[1], peer 1: it has not exactly one of namespaces, pods and networks","egress[2], peer 1: it has not exactly one of namespaces, pods and networks"]}}`},
		{"of an unknown tier", "clusterpolicy", `{"metadata":{"name":"x"},"spec":{"tier":"Middle","priority":9,"subject":{"namespaces":{}}}}`,
			`{"name":"x","tier":"Admin","ingress":{"rules":[{"number":0,"action":"Deny"}],"unread":["tier: \"Middle\" is none of Admin and Baseline"]},"egress":{"rules":[{"number":0,"action":"Deny"}],"unread":["tier: \"Middle\" is none of Admin and Baseline"]}}`},
		{"a service", "service", `{` + meta + `,"spec":{"type":"LoadBalancer","selector":{"a":"b"},"clusterIPs":["10.96.0.1","fd00::1"],"ports":[{"name":"h","port":80,"nodePort":30080}],"sessionAffinity":"ClientIP","externalTrafficPolicy":"Local","healthCheckNodePort":30081,"internalTrafficPolicy":"Local","trafficDistribution":"PreferSameZone","loadBalancerSourceRanges":["192.0.2.0/24"]},"status":{"loadBalancer":{"ingress":[{"ip":"192.0.2.9"},{"ip":"192.0.2.8","ipMode":"Proxy"}]}}}`,
			`{"id":"ns:x","type":"LoadBalancer","selector":true,"ports":[{"name":"h","protocol":6,"port":80,"nodePort":30080}],"clusterIPs":["10.96.0.1","fd00::1"],"loadBalancerIPs":["192.0.2.9"],"sourceRanges":["192.0.2.0/24"],"place":{"network":"n"},"affinitySeconds":10800,"internalLocal":true,"externalLocal":true,"healthCheckNodePort":30081,"trafficDistribution":"PreferSameZone"}`},
		{"a headless one", "service", `{` + meta + `,"spec":{"clusterIP":"None"}}`, `{"id":"ns:x","type":"ClusterIP","headless":true,"place":{"network":"n"}}`},
		{"another proxy's", "service", `{"metadata":{"labels":{"service.kubernetes.io/service-proxy-name":"p"}}}`, `null`},
		{"a slice", "slice", `{` + meta + `,"addressType":"IPv4","ports":[{"name":"h","port":8080},{"name":"any"}],"endpoints":[{"addresses":["10.1.1.1"],"conditions":{"ready":true},"nodeName":"h1","targetRef":{"kind":"Pod","name":"p"}},{"addresses":["10.1.1.2"],"conditions":{"ready":false,"serving":true,"terminating":true}},{"addresses":["10.1.1.3"],"conditions":{"ready":false}},{"addresses":["fd01::1"]}]}`,
			`{"id":"ns:x","service":"s","ports":[{"name":"h","protocol":6,"port":8080}],"endpoints":[{"address":"10.1.1.1","node":"h1","pod":"ns:p"},{"address":"10.1.1.2","state":"draining"},{"address":"10.1.1.3","state":"notready"}]}`},
		{"only a slice of names", "slice", `{"metadata":{"namespace":"ns","name":"x","labels":{"kubernetes.io/service-name":"s","service.kubernetes.io/headless":""}},"addressType":"IPv4"}`,
			`{"id":"ns:x","service":"s","headless":true}`},
		{"a slice of names", "slice", `{` + meta + `,"addressType":"FQDN"}`, `null`},
	}
}

func TestTranslate(t *testing.T) {
	for _, r := range rows() {
		t.Run(r.name, func(t *testing.T) {
			got, err := trims()[r.kind]([]byte(r.object))
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(got)
			if err != nil || string(text) != r.want {
				t.Errorf("want %s\ngot  %s, %v", r.want, text, err)
			}
		})
	}
}

func TestPodIs(t *testing.T) {
	p := Pod{Pod: record.Pod{UID: "u"}, Static: "s"}
	if !p.Is("") || !p.Is("u") || !p.Is("s") || p.Is("x") {
		t.Error("a pod is called by its uid, and a static one by its kubelet's")
	}
}

// Agents can read the records of all objects of an API server.
func FuzzTranslate(f *testing.F) {
	for _, r := range rows() {
		f.Add(r.kind, []byte(r.object))
	}
	f.Fuzz(func(t *testing.T, kind string, text []byte) {
		trim := trims()[kind]
		if trim == nil {
			return
		}
		got, err := trim(text)
		if err != nil || got == nil || kind == "pod" {
			return
		}
		stored, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		back := reflect.New(reflect.TypeOf(got).Elem()).Interface()
		if err := json.Unmarshal(stored, back); err != nil && !strings.Contains(err.Error(), "is not of the form namespace:name") { // no name is empty or holds colons
			t.Errorf("%s of %s cannot be read: %v", stored, text, err)
		}
	})
}
