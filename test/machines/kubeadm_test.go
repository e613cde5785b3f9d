// SPDX-License-Identifier: Apache-2.0

package machines_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/contiv/contiv/deploy/image"
	"github.com/contiv/contiv/test/machines/machine"
)

// A cluster of Kubernetes made by kubeadm gets Contiv from the Helm chart, as docs/how-to/kubernetes-helm.md has it: pods on both nodes
// reach each other, a service and the name server; an upgrade loses no packet; a removal leaves nothing on the nodes.
func TestKubeadm(t *testing.T) {
	k := newKubeadm(t)
	before := map[string]string{}
	for _, m := range k.nodes {
		before[m.Name] = podTraces(t, m)
	}
	k.install(t)
	k.pod(t, "web", "h1")
	k.pod(t, "client", "h2")
	k.must(t, "kubectl expose pod web --port=80 --target-port=8080")
	for _, to := range []string{k.address(t, "web") + ":8080", "web.default.svc.cluster.local:80"} {
		k.must(t, "kubectl exec client -- /agnhost connect --timeout=10s "+to)
	}

	pings := startPings(t, k.nodes[1], k.netns(t, k.nodes[1], k.address(t, "client")), k.address(t, "web"))
	k.must(t, k.helm("upgrade", "v2"))
	k.settles(t, "v2")
	k.pod(t, "fresh", "h2")
	if sent, lost := pings.lost(t); lost > 0 || sent < 100 {
		t.Errorf("%d of %d pings between pods were lost during the upgrade", lost, sent)
	} else {
		t.Logf("%d pings, none lost", sent)
	}
	k.must(t, "kubectl exec fresh -- /agnhost connect --timeout=10s web.default.svc.cluster.local:80")

	k.remove(t)
	for _, m := range k.nodes {
		for _, line := range differences(before[m.Name], podTraces(t, m)) {
			t.Errorf("%s after the removal: %s", m.Name, line)
		}
		run(t, m, "kubeadm reset --force --cri-socket "+criSocket)
	}
}

// criSocket is where kubeadm and the kubelet find containerd.
const criSocket = "unix:///run/containerd/containerd.sock"

// kubeadm is two machines, which kubeadm has made a cluster, with an operator on the first one.
type kubeadm struct {
	nodes    []*machine.Machine
	programs string // directory of Kubernetes' programs, by which the images have their tags
	images   string // directory with archives of images
}

// runtimePackages are the packages of a node, each after those that it needs.
var runtimePackages = []string{"libnfnetlink0", "libnetfilter-conntrack3", "conntrack", "runc", "containerd"}

// newKubeadm makes the cluster: kubeadm init on the first machine, and kubeadm join on the second one. It has no network yet.
func newKubeadm(t *testing.T) *kubeadm {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(checkout(t), ".cache/kubernetes/v*/kube"))
	if err != nil || len(found) != 1 {
		t.Fatalf("Kubernetes in .cache/kubernetes: got %v, %v, want one: make kubernetes-programs", found, err)
	}
	k := &kubeadm{programs: filepath.Dir(found[0]), images: t.TempDir()}
	k.pack(t)
	k.nodes = boot(t, 2, machine.Spec{Memory: 3000})
	for _, m := range k.nodes {
		k.node(t, m)
		t.Cleanup(func() {
			if t.Failed() {
				out, err := m.Run(context.WithoutCancel(t.Context()), "journalctl -u kubelet -n 40 --no-pager -o cat | cut -c1-300; ls /var/log/pods; tail -n 15 /var/log/pods/*/*/*.log | cut -c1-300")
				t.Logf("%s: %v: %s", m.Name, err, out)
			}
		})
	}
	first, second := k.nodes[0], k.nodes[1]
	write(t, first, "/root/kubeadm.yaml", fmt.Sprintf(initConfig, first.Address(), k.version()))
	run(t, first, "kubeadm init --config /root/kubeadm.yaml --skip-phases=addon/kube-proxy --ignore-preflight-errors="+ignored+" 2>&1")
	run(t, second, strings.TrimSpace(run(t, first, "kubeadm token create --print-join-command"))+" --ignore-preflight-errors="+ignored+" --cri-socket "+criSocket+" --node-name=h2 2>&1")
	return k
}

// ignored are checks of kubeadm: a machine has one processor, so its kernel has no control group cpuset.
const ignored = "NumCPU,SystemVerification"

// initConfig is kubeadm's configuration of the first machine, with more time than a control plane on one busy processor takes.
const initConfig = `apiVersion: kubeadm.k8s.io/v1beta4
kind: InitConfiguration
localAPIEndpoint: {advertiseAddress: %s}
nodeRegistration: {name: h1, criSocket: ` + "'" + criSocket + "'" + `}
timeouts: {kubernetesAPICall: 10m, controlPlaneComponentHealthCheck: 10m}
---
apiVersion: kubeadm.k8s.io/v1beta4
kind: ClusterConfiguration
kubernetesVersion: %s
networking: {serviceSubnet: 10.96.0.0/16}
`

// version is the version of Kubernetes.
func (k *kubeadm) version() string { return filepath.Base(k.programs) }

// pack makes the images of both versions of Contiv, and those that kubeadm and the test want, from programs of this machine.
func (k *kubeadm) pack(t *testing.T) {
	t.Helper()
	for _, version := range []string{"v1", "v2"} {
		pack := exec.CommandContext(t.Context(), "go", "run", "./deploy/pack", "-bin", "bin", "-version", version, "-o", filepath.Join(k.images, version+".tar"))
		pack.Dir = checkout(t)
		if out, err := pack.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", pack, err, out)
		}
	}
	const registry = "registry.k8s.io/"
	program := func(name string) string { return filepath.Join(k.programs, name) }
	control := &image.Image{Files: map[string]string{"/bin/kube": program("kube")}, Links: map[string]string{}}
	for _, role := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		control.Links["/bin/"+role] = "kube"
		control.Tags = append(control.Tags, registry+role+":"+k.version())
	}
	control.Ref, control.Tags = control.Tags[0], control.Tags[1:]
	images := map[string]*image.Image{
		"control": control,
		"etcd":    {Files: map[string]string{"/bin/etcd": program("etcd")}},
		"coredns": {Entrypoint: []string{"/coredns"}, Files: map[string]string{"/coredns": program("coredns")}},
		"agnhost": {Ref: agnhostImage, Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"}, Files: map[string]string{"/agnhost": program("agnhost")}},
	}
	list := exec.CommandContext(t.Context(), "kubeadm", "config", "images", "list", "--kubernetes-version="+k.version())
	list.Path, list.Err = program("kube"), nil // a role of the program
	out, err := list.Output()
	if err != nil {
		t.Fatalf("%s: %v", list, err)
	}
	for ref := range strings.FieldsSeq(string(out)) {
		switch name, _, _ := strings.Cut(strings.TrimPrefix(ref, registry), ":"); name {
		case "etcd":
			images["etcd"].Ref = ref
		case "coredns/coredns":
			images["coredns"].Ref = ref
		case "pause":
			images["agnhost"].Tags = []string{ref}
		}
	}
	for name, i := range images {
		f, err := os.Create(filepath.Join(k.images, name+".tar"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := i.WriteTo(f); err != nil {
			t.Fatalf("image %s: %v", name, err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// agnhostImage is the image of pods.
const agnhostImage = "contiv/agnhost:test"

// containerd's configuration: the image of pods' sandboxes, the directories of CNI as Kubernetes has them, and systemd's control groups.
const containerdConfig = `version = 2
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "%s"
[plugins."io.containerd.grpc.v1.cri".cni]
  bin_dir = "/opt/cni/bin"
  conf_dir = "/etc/cni/net.d"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
  runtime_type = "io.containerd.runc.v2"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
  SystemdCgroup = true
`

// kubeletUnit is the unit of the kubelet, with the files that kubeadm writes.
const kubeletUnit = `[Unit]
Wants=containerd.service
After=containerd.service
[Service]
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
ExecStart=/usr/local/bin/kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml --node-ip=%s $KUBELET_KUBEADM_ARGS
Restart=always
RestartSec=2
[Install]
WantedBy=multi-user.target
`

// node gives a machine a container runtime, the programs of Kubernetes and all images.
func (k *kubeadm) node(t *testing.T, m *machine.Machine) {
	t.Helper()
	for _, name := range runtimePackages {
		path, err := cache(t).Package(t.Context(), parts(t).Release, name)
		if err != nil {
			t.Fatal(err)
		}
		if err := m.Put(t.Context(), path, "/root/"+filepath.Base(path)); err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{k.programs, k.images} {
		if err := m.Mount(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
	}
	pause := "registry.k8s.io/pause"
	run(t, m, "cd "+k.programs+` && install kube /usr/local/bin/ && install -D -t /opt/cni/bin cni/loopback && [ ! -e helm ] || install helm /usr/local/bin/
for role in kubelet kubeadm kubectl; do ln -s kube /usr/local/bin/$role; done; sysctl -q net.ipv4.ip_forward=1`)
	// The kubelet wants a clock speed, which a User-Mode Linux processor does not have.
	run(t, m, "(cat /proc/cpuinfo; echo 'cpu MHz : 2000.000') >/root/cpuinfo && mount --bind /root/cpuinfo /proc/cpuinfo")
	run(t, m, "kubeadm config images list --kubernetes-version="+k.version()+" | grep ^"+pause+": >/root/pause")
	write(t, m, "/etc/containerd/config.toml", fmt.Sprintf(containerdConfig, strings.TrimSpace(run(t, m, "cat /root/pause"))))
	write(t, m, "/etc/systemd/system/kubelet.service", fmt.Sprintf(kubeletUnit, m.Address()))
	run(t, m, "DEBIAN_FRONTEND=noninteractive dpkg --force-confold -i $(ls /root/*.deb) 2>&1; systemctl daemon-reload; systemctl enable --now containerd; systemctl enable kubelet; systemctl restart containerd")
	run(t, m, "for i in "+k.images+"/*.tar; do ctr --namespace k8s.io images import $i || exit 1; done")
}

// write writes a file of a machine.
func write(t *testing.T, m *machine.Machine, path, text string) {
	t.Helper()
	run(t, m, "mkdir -p "+filepath.Dir(path)+" && cat >"+path+" <<'END'\n"+text+"END")
}

// must runs an operator's command on the first node.
func (k *kubeadm) must(t *testing.T, shell string) string {
	t.Helper()
	return run(t, k.nodes[0], "export KUBECONFIG=/etc/kubernetes/admin.conf; "+shell+" 2>&1")
}

// helm is the command that installs or upgrades the chart with a version of the image.
func (k *kubeadm) helm(verb, version string) string {
	return fmt.Sprintf("helm %s contiv /root/chart --namespace contiv-system --values /root/my/values.yaml --set image.tag=%s", verb, version)
}

// install installs the chart as docs/how-to/kubernetes-helm.md says.
func (k *kubeadm) install(t *testing.T) {
	t.Helper()
	first := k.nodes[0]
	deploy := filepath.Join(checkout(t), "deploy")
	if err := first.Mount(t.Context(), deploy); err != nil {
		t.Fatal(err)
	}
	if err := first.Put(t.Context(), filepath.Join(checkout(t), "bin/contiv"), "/usr/local/bin/contiv"); err != nil {
		t.Fatal(err)
	}
	k.must(t, "cp -r "+deploy+"/helm/contiv /root/chart && cp -r "+deploy+"/kubernetes /root/kubernetes && cd /root && contiv cert authority my")
	write(t, first, "/root/my/values.yaml", fmt.Sprintf("network:\n  podSubnets: [10.40.0.0/16]\n  vtep: 10.78.0.0/24\nnetplugin:\n  netmasters: ['%s:9999']\n", first.Address()))
	k.must(t, `cd /root && kubectl create namespace contiv-system &&
kubectl label namespace contiv-system pod-security.kubernetes.io/enforce=privileged &&
kubectl --namespace contiv-system create configmap contiv-authority --from-file my/ca.crt &&
kubectl --namespace contiv-system create secret generic contiv-authority --from-file my/ca.crt --from-file my/ca.key`)
	k.must(t, k.helm("install", "v1"))
	k.settles(t, "v1")
	k.must(t, "kubectl wait --for=condition=Ready --timeout=180s node h1 h2")
	k.must(t, "kubectl --namespace kube-system rollout status --timeout=300s deployment/coredns")
}

// settles waits until all pods of Contiv are of a version.
func (k *kubeadm) settles(t *testing.T, version string) {
	t.Helper()
	for _, name := range []string{"netmaster", "netplugin"} {
		k.must(t, "kubectl --namespace contiv-system rollout status --timeout=300s daemonset/"+name)
	}
	images := k.must(t, "kubectl get pods --namespace contiv-system -o 'jsonpath={.items[*].spec.containers[*].image}'")
	if want := strings.Repeat(" contiv/contiv:"+version, 3)[1:]; images != want {
		t.Fatalf("want netmaster and two netplugins of %s, got %s", version, images)
	}
}

// pod starts a pod that serves HTTP at port 8080, on a node, and waits until it is ready.
func (k *kubeadm) pod(t *testing.T, name, node string) {
	t.Helper()
	k.must(t, fmt.Sprintf(`kubectl apply -f - <<'END'
{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "%[1]s", "labels": {"app": "%[1]s"}}, "spec": {"nodeName": "%[2]s", "terminationGracePeriodSeconds": 0,
 "tolerations": [{"operator": "Exists"}], "containers": [{"name": "c", "image": "%[3]s", "args": ["netexec", "--http-port=8080"], "ports": [{"containerPort": 8080}]}]}}
END
kubectl wait --for=condition=Ready --timeout=180s pod/%[1]s`, name, node, agnhostImage))
}

// address returns the address of a pod.
func (k *kubeadm) address(t *testing.T, name string) string {
	t.Helper()
	return k.must(t, "kubectl get pod "+name+" -o 'jsonpath={.status.podIP}'")
}

// netns returns the name of the network namespace on a node with an address.
func (k *kubeadm) netns(t *testing.T, m *machine.Machine, address string) string {
	t.Helper()
	return run(t, m, "for n in $(ls /run/netns); do ip -n $n -o address | grep -q ' "+address+"/' && echo $n; done; true")
}

// remove removes the chart and what agents leave on the nodes, as docs/how-to/kubernetes-remove.md says.
func (k *kubeadm) remove(t *testing.T) {
	t.Helper()
	k.must(t, "kubectl delete service web && kubectl delete pod --all --wait --timeout=120s && kubectl --namespace kube-system scale --replicas=0 deployment/coredns && "+
		"kubectl --namespace kube-system wait --for=delete --timeout=120s pod --selector=k8s-app=kube-dns")
	k.must(t, "helm uninstall contiv --namespace contiv-system && kubectl --namespace contiv-system delete configmap contiv-store")
	k.must(t, "mkdir /root/remove && cd /root/remove && printf '%s\n' 'resources: [../kubernetes/remove]' 'images: [{name: contiv/contiv, newTag: v2}]' >kustomization.yaml && "+
		"kubectl apply -k /root/remove && kubectl --namespace contiv-remove rollout status --timeout=300s daemonset/remove && kubectl delete -k /root/remove")
	k.must(t, "kubectl delete namespace contiv-system --timeout=180s")
}

// podTraces are what Contiv could leave on a node: bridges, interfaces, routes, tables of nftables, files.
func podTraces(t *testing.T, m *machine.Machine) string {
	t.Helper()
	return run(t, m, `ovs-vsctl list-br; ip -o link | cut -d: -f2; ip route; ip -6 route; nft list tables
for d in /run/contiv /etc/cni /opt/cni /etc/contiv/host /var/lib/contiv; do [ ! -e $d ] || find $d; done | sort`)
}
