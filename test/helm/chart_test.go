// SPDX-License-Identifier: Apache-2.0

package helm

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
)

// variant is an installation, as values of the chart and as a kustomization.
type variant struct {
	name      string
	namespace string // of the release; "": contiv-system
	values    string
	folder    string   // of deploy/kubernetes
	settings  []string // that the kustomization adds or changes, NAME=VALUE
	beside    []string // further directories of deploy/kubernetes
	more      string   // the rest of the kustomization
	files     map[string]string
}

// Stand-ins for keys.
const (
	certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
	key         = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
)

func variants(version string) []variant {
	image := fmt.Sprintf("images: [{name: contiv/contiv, newTag: %s}]\n", version)
	agents := "CONTIV_NETPLUGIN_NETMASTERS=10.254.1.1:9999"
	created := "namespace: {name: contiv-system, create: true}\nnetplugin: {netmasters: ['10.254.1.1:9999']}\n"
	return []variant{
		{name: "embedded", namespace: "kube-system", values: created, folder: "embedded", settings: []string{agents}, more: image},
		{name: "a store that exists", namespace: "kube-system", folder: "base", more: image,
			values:   created + "store: {kind: etcd, endpoints: ['http://10.0.0.5:2379', 'http://10.0.0.6:2379']}\n",
			settings: []string{agents, "CONTIV_NETMASTER_ETCD_ENDPOINTS=http://10.0.0.5:2379,http://10.0.0.6:2379"}},
		{name: "Consul with TLS", namespace: "kube-system", folder: "base",
			values: created + "store: {kind: consul, endpoints: ['https://10.0.0.5:8501'], tlsSecret: consul}\n",
			settings: []string{agents, "CONTIV_NETMASTER_CONSUL_ENDPOINTS=https://10.0.0.5:8501", "CONTIV_NETMASTER_STORE_CA=/etc/contiv/store/ca.crt",
				"CONTIV_NETMASTER_STORE_CERT=/etc/contiv/store/tls.crt", "CONTIV_NETMASTER_STORE_KEY=/etc/contiv/store/tls.key"},
			more: image + patch("netmaster", `containers: [{name: netmaster, volumeMounts: [{name: store, mountPath: /etc/contiv/store, readOnly: true}]}]
volumes: [{name: store, secret: {secretName: consul, defaultMode: 0440}}]`)},
		{name: "the namespace of the release, an image of a registry, and the authority", values: `
image: {repository: registry.example.org/contiv/contiv, tag: ad5c5c0, digest: 'sha256:` + strings.Repeat("a1", 32) + `', pullPolicy: Always, pullSecrets: [registry]}
authority: {certificate: ` + fmt.Sprintf("%q", certificate) + ", key: " + fmt.Sprintf("%q", key) + `}
netplugin: {netmasters: ['10.254.1.1:9999', '10.254.1.2:9999', '10.254.1.3:9999']}
store: {members: {h1: 'https://10.254.1.1:6667', h2: 'https://10.254.1.2:6667', h3: 'https://10.254.1.3:6667'}}
`, folder: "embedded", files: map[string]string{"ca.crt": certificate, "ca.key": key},
			settings: []string{"CONTIV_NETPLUGIN_NETMASTERS=10.254.1.1:9999,10.254.1.2:9999,10.254.1.3:9999",
				"CONTIV_NETMASTER_EMBEDDED_CLUSTER=h1=https://10.254.1.1:6667,h2=https://10.254.1.2:6667,h3=https://10.254.1.3:6667"},
			more: "images: [{name: contiv/contiv, newName: registry.example.org/contiv/contiv, newTag: ad5c5c0, digest: 'sha256:" + strings.Repeat("a1", 32) + `'}]
secretGenerator: [{name: contiv-authority, namespace: contiv-system, files: [ca.crt, ca.key]}]
` + patch("netmaster", pulled("netmaster")) + patch("netplugin", pulled("netplugin")) + absent("v1", "Namespace", "contiv-system")},
		{name: "Open vSwitch in a pod", namespace: "kube-system", folder: "embedded", beside: []string{"openvswitch"}, settings: []string{agents},
			values: created + "openvswitch: {enabled: true, image: {tag: v3}}\nimage: {pullPolicy: Never}\n",
			more: "images: [{name: contiv/contiv, newTag: " + version + "}, {name: contiv/openvswitch, newTag: v3}]\n" + patch("netmaster", never("netmaster")) +
				patch("netplugin", never("netplugin")) + patch("openvswitch", "containers: [{name: database, imagePullPolicy: Never}, {name: switch, imagePullPolicy: Never}]")},
		{name: "settings of networks", namespace: "kube-system", folder: "embedded", more: image,
			values: created + `network: {mode: vlan, forwarding: bridge, podSubnets: [10.40.0.0/16, 'fd40::/64'], vtep: 192.168.251.0/24, uplinks: [eth1, eth2],
  clusterDomain: k8s.example.org, loadBalancerNetwork: front, services: false}
settings: {CONTIV_NETMASTER_QUARANTINE: 30s, CONTIV_NETPLUGIN_LOG_LEVEL: debug}
`,
			settings: []string{agents, "CONTIV_NETMASTER_NET_MODE=vlan", "CONTIV_NETPLUGIN_NET_MODE=vlan", "CONTIV_NETMASTER_FORWARD_MODE=bridge",
				"CONTIV_NETPLUGIN_FORWARD_MODE=bridge", "CONTIV_NETMASTER_POD_SUBNETS=10.40.0.0/16,fd40::/64", "CONTIV_NETPLUGIN_VTEP_IP=192.168.251.0/24",
				"CONTIV_NETPLUGIN_VLAN_UPLINKS=eth1,eth2", "CONTIV_NETPLUGIN_CLUSTER_DOMAIN=k8s.example.org", "CONTIV_NETMASTER_LOAD_BALANCER_NETWORK=front",
				"CONTIV_NETPLUGIN_SERVICES=off", "CONTIV_NETMASTER_QUARANTINE=30s", "CONTIV_NETPLUGIN_LOG_LEVEL=debug"}},
		{name: "where pods run, and what they get", namespace: "kube-system", folder: "embedded", settings: []string{agents},
			values: `
namespace: {name: contiv-system, create: true}
netmaster: {kubernetesAPI: 'https://10.254.1.1:6443', resources: {limits: {memory: 1Gi}}, priorityClassName: '', tolerations: [{key: a, operator: Exists}],
  affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: contiv, operator: Exists}]}]}}}}
netplugin: {netmasters: ['10.254.1.1:9999'], maxUnavailable: 10%, cniConfDir: /var/lib/rancher/k3s/agent/etc/cni/net.d, cniBinDir: /var/lib/rancher/k3s/data/cni,
  resources: {requests: {cpu: 1}}, nodeSelector: {kubernetes.io/os: linux}, tolerations: [], priorityClassName: mine}
`, more: image + patch("netmaster", `containers: [{name: netmaster, env: [{name: CONTIV_NETMASTER_KUBERNETES_API, value: 'https://10.254.1.1:6443'}], resources: {limits: {memory: 1Gi}}}]
priorityClassName: null
tolerations: [{key: a, operator: Exists}]
affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [{key: contiv, operator: Exists}]}]}}}`) +
				patch("netplugin", `containers: [{name: netplugin, resources: {requests: {cpu: 1}}}]
priorityClassName: mine
nodeSelector: {kubernetes.io/os: linux}
tolerations: null
volumes:
- {name: cni-conf, hostPath: {path: /var/lib/rancher/k3s/agent/etc/cni/net.d, type: DirectoryOrCreate}}
- {name: cni-bin, hostPath: {path: /var/lib/rancher/k3s/data/cni, type: DirectoryOrCreate}}`) +
				"- patch: |\n    apiVersion: apps/v1\n    kind: DaemonSet\n    metadata: {name: netplugin, namespace: contiv-system}\n    spec: {updateStrategy: {rollingUpdate: {maxUnavailable: 10%}}}\n"},
		{name: "nodes of IPv6", namespace: "kube-system", folder: "embedded", settings: []string{"CONTIV_NETPLUGIN_NETMASTERS=[fd00::1]:9999"},
			values: "namespace: {name: contiv-system, create: true}\nnetwork: {ipv6Nodes: true}\nnetplugin: {netmasters: ['[fd00::1]:9999']}\n",
			more: image + patch("netmaster", `containers:
- name: netmaster
  env:
  - {name: CONTIV_NETMASTER_EMBEDDED_CLIENT_URL, value: 'https://[$(HOST_IP)]:6666'}
  - {name: CONTIV_NETMASTER_EMBEDDED_PEER_URL, value: 'https://[$(HOST_IP)]:6667'}
  - {name: CONTIV_NETMASTER_KUBERNETES_API, value: 'https://[$(HOST_IP)]:6443'}
  - {name: CONTIV_NETMASTER_EXTERNAL_ADDRESS, value: '[$(HOST_IP)]:9999'}
  - {name: CONTIV_NETMASTER_INTERNAL_ADDRESS, value: '[$(HOST_IP)]:9999'}`)},
		{name: "a namespace of another name", namespace: "net", values: "netplugin: {netmasters: ['10.254.1.1:9999']}\n", folder: "embedded",
			settings: []string{agents, "CONTIV_NETMASTER_AGENTS_ACCOUNT=net:netplugin"}, more: "namespace: net\n" + image + absent("v1", "Namespace", "contiv-system") +
				"- {target: {kind: .*RoleBinding}, patch: '[{\"op\": \"replace\", \"path\": \"/subjects/0/namespace\", \"value\": \"net\"}]'}\n"},
	}
}

// patch is a patch of the pods of a DaemonSet.
func patch(name, pods string) string {
	return fmt.Sprintf("- patch: |\n    apiVersion: apps/v1\n    kind: DaemonSet\n    metadata: {name: %s, namespace: contiv-system}\n    spec:\n      template:\n        spec:\n%s\n",
		name, regexp.MustCompile(`(?m)^`).ReplaceAllString(pods, "          "))
}

// absent is a patch that removes an object.
func absent(version, kind, name string) string {
	return fmt.Sprintf("- patch: |\n    $patch: delete\n    apiVersion: %s\n    kind: %s\n    metadata: {name: %s}\n", version, kind, name)
}

// pulled is a patch of the pods of a DaemonSet for a registry.
func pulled(name string) string {
	return fmt.Sprintf("imagePullSecrets: [{name: registry}]\ninitContainers: [{name: trust, imagePullPolicy: Always}]\ncontainers: [{name: %s, imagePullPolicy: Always}]", name)
}

// never is a patch of the pods of a DaemonSet whose images are on every node.
func never(container string) string {
	return fmt.Sprintf("initContainers: [{name: trust, imagePullPolicy: Never}]\ncontainers: [{name: %s, imagePullPolicy: Never}]", container)
}

// kustomization returns the variant's objects of deploy/kubernetes.
func (v *variant) kustomization(t *testing.T) []object {
	t.Helper()
	maps := "configMapGenerator:\n- name: contiv\n  namespace: contiv-system\n  behavior: merge\n  literals:\n"
	for _, s := range v.settings {
		maps += fmt.Sprintf("  - %q\n", s)
	}
	if v.files != nil {
		maps += "- {name: contiv-authority, namespace: contiv-system, files: [ca.crt]}\n"
	}
	before, patches, _ := strings.Cut(v.more, "- patch:")
	if patches != "" {
		patches = "patches:\n- patch:" + patches
	}
	return built(t, append([]string{v.folder}, v.beside...), before+maps+patches, v.files)
}

// release returns the namespace of the variant's release.
func (v *variant) release() string {
	if v.namespace == "" {
		return "contiv-system"
	}
	return v.namespace
}

// The chart and the kustomizations describe the same objects, and these are valid for Kubernetes.
func TestSameObjects(t *testing.T) {
	conform := newConform(t)
	for _, v := range variants(version(t)) {
		t.Run(v.name, func(t *testing.T) {
			chart, kustomization := rendered(t, v.release(), v.values), v.kustomization(t)
			for _, d := range differences(chart, kustomization) {
				t.Error(d)
			}
			for _, o := range slices.Concat(chart, kustomization) {
				if why := invalid(t, conform, o); why != "" {
					t.Errorf("%v %v: %s", o["kind"], o["metadata"], why)
				}
			}
		})
	}
}

// The chart is one of this version, and helm lint finds nothing.
func TestChart(t *testing.T) {
	chart, err := loader.LoadDir(chartDir)
	if err != nil {
		t.Fatal(err)
	}
	if want := version(t); chart.Metadata.Version != want || chart.Metadata.AppVersion != want {
		t.Errorf("Chart.yaml: got version %s and appVersion %s, want %s as in VERSION", chart.Metadata.Version, chart.Metadata.AppVersion, want)
	}
	values := map[string]any{"netplugin": map[string]any{"netmasters": []any{"10.254.1.1:9999"}}}
	for _, m := range lint.All(chartDir, values, "contiv-system", true).Messages {
		if m.Severity > support.InfoSev {
			t.Error(m)
		}
	}
}
