// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

// The manifests of deploy/kubernetes install Contiv on a cluster without a network, upgrade it while pods talk and others start, and take
// it off again, with nothing left on the hosts.
func TestDeploy(t *testing.T) {
	c := bare(t, lab.Plan{Name: "kdeploy", Bare: true, Kubernetes: &lab.Kubernetes{Network: kube.NetworkNone}})
	hosts := []string{"h1", "h2"}
	before := map[string]string{}
	for _, host := range hosts {
		if _, err := c.on(host, "rmdir /run/contiv"); err != nil { // hosts of a lab have it
			t.Fatal(err)
		}
		before[host] = c.traces(host)
		if ready := c.nodeReady(host, "status"); ready != "False" {
			t.Errorf("node %s without a network: ready is %q", host, ready)
		}
	}
	c.images("v1", "v2")
	c.kubectl("label", "node", "h1", "node-role.kubernetes.io/control-plane=")
	mine := c.settings()
	mine.install("v1")
	c.eventually("netctl in the pod of a netmaster lists the hosts", func() error { // as docs/how-to/kubernetes-install.md has an operator do it
		out := c.kubectl("exec", "--namespace", "contiv-system", "daemonset/netmaster", "--", "netctl", "--netmaster", "https://"+mine.master+":9999", "node", "ls", "-o", "name")
		if !strings.Contains(out, "h2") {
			return fmt.Errorf("it lists %q", out)
		}
		return nil
	})

	web := c.create(pod{name: "web", host: "h1", labels: "app=web", serves: 8080})
	client := c.create(pod{name: "client", host: "h2"})
	web.ready()
	client.ready()
	c.kubectl("expose", "pod", "web", "--port=80", "--target-port=8080")
	service := netip.MustParseAddr(c.kubectl("get", "service", "web", "-o", "jsonpath={.spec.clusterIP}"))
	for _, version := range []int{4, 6} {
		client.connects(true, web.address(version), 8080)
	}
	client.connects(true, service, 80)
	c.balances()
	c.apply(isolateWeb)
	client.connects(false, web.address(4), 8080)
	c.kubectl("delete", "networkpolicy", "web")
	client.connects(true, web.address(4), 8080)

	p := client.pinging(web.address(4))
	c.replaces(mine, "v2")
	if got := p.ends(); len(got.Lost) > 0 {
		t.Errorf("lost in an upgrade: %v (%v)", got, got.Lost)
	}
	// And back, as pods start. Interfaces that come cost tunnels of Open vSwitch a packet now and then
	// (docs/explanation/performance-packets.md, "Restarts").
	var fresh []*running
	c.replaces(mine, "v1", func() {
		for _, host := range []string{"h1", "h2", "h1", "h2"} {
			fresh = append(fresh, c.create(pod{name: fmt.Sprint("fresh", len(fresh)), host: host}))
		}
	})
	for _, r := range fresh {
		r.ready()
		r.connects(true, web.address(4), 8080)
	}
	client.connects(true, service, 80)

	c.kubectl("delete", "pod", "--all", "--wait", "--timeout="+patience.String())
	mine.remove()
	for _, host := range hosts {
		if after := c.traces(host); after != before[host] {
			t.Errorf("%s had before\n%s\nand has now\n%s", host, before[host], after)
		}
		c.eventually("node "+host+" is not ready without a network", func() error {
			if ready := c.nodeReady(host, "status"); ready != "False" {
				return fmt.Errorf("ready is %q", ready)
			}
			return nil
		})
	}
}

// balances makes a load balancer, which has an address when the account that was installed may write it.
func (c *cluster) balances() {
	c.t.Helper()
	c.netctl("network", "create", "--encap", "vxlan", "--subnet", "10.50.0.0/24", "--gateway", "10.50.0.254", "front")
	c.apply(`{"apiVersion": "v1", "kind": "Service", "metadata": {"name": "front", "namespace": "default", "annotations": {"io.contiv.network": "front"}},
		"spec": {"type": "LoadBalancer", "ipFamilyPolicy": "SingleStack", "selector": {"app": "web"}, "ports": [{"port": 80, "targetPort": 8080}]}}`)
	c.eventually("a load balancer has an address", func() error {
		if got := c.kubectl("get", "service", "front", "-o", "jsonpath={.status.loadBalancer.ingress[*].ip}"); !strings.HasPrefix(got, "10.50.0.") {
			return fmt.Errorf("it has %q", got)
		}
		return nil
	})
	c.kubectl("delete", "service", "front")
}

const isolateWeb = `{"apiVersion": "networking.k8s.io/v1", "kind": "NetworkPolicy", "metadata": {"name": "web", "namespace": "default"},
	"spec": {"podSelector": {"matchLabels": {"app": "web"}}, "policyTypes": ["Ingress"]}}`

// replaces puts another version in the place of one, does something meanwhile, and sees that no node was unready for a moment.
func (c *cluster) replaces(mine *installation, version string, meanwhile ...func()) {
	c.t.Helper()
	since := c.nodeReady("h1", "lastTransitionTime") + c.nodeReady("h2", "lastTransitionTime")
	mine.apply(version)
	for _, do := range meanwhile {
		do()
	}
	mine.settled()
	if now := c.nodeReady("h1", "lastTransitionTime") + c.nodeReady("h2", "lastTransitionTime"); now != since {
		c.t.Errorf("nodes were not ready for a while, as %s came: they are since %s, and were since %s", version, now, since)
	}
	images := c.kubectl("get", "pods", "--namespace", "contiv-system", "-o", "jsonpath={.items[*].spec.containers[*].image}")
	if want := strings.Repeat(" contiv/contiv:"+version, 3)[1:]; images != want {
		c.t.Errorf("want netmaster and two netplugins of %s, got %s", version, images)
	}
}

// nodeReady is a field of a node's condition Ready.
func (c *cluster) nodeReady(host, field string) string {
	c.t.Helper()
	return c.kubectl("get", "node", host, "-o", `jsonpath={.status.conditions[?(@.type=="Ready")].`+field+`}`)
}

// traces are what Contiv could leave on a host: bridges, interfaces, routes, tables of nftables, files.
func (c *cluster) traces(host string) string {
	c.t.Helper()
	out, err := c.on(host, `ovs-vsctl list-br; ip -o link | cut -d: -f2; ip route; ip -6 route; nft list tables
		for d in /run/contiv /run/openvswitch /etc/cni /opt/cni /etc/contiv/host /var/lib/contiv; do [ ! -e $d ] || find $d; done | sort`)
	if err != nil {
		c.t.Fatalf("traces on %s: %v: %s", host, err, out)
	}
	return out
}

// images makes the image of the programs, once for each tag, and gives it to the hosts.
func (c *cluster) images(tags ...string) {
	c.t.Helper()
	for _, tag := range tags {
		file := filepath.Join(c.t.TempDir(), "images.tar")
		pack := exec.CommandContext(c.t.Context(), "go", "run", "./deploy/pack", "-bin", c.bin, "-version", tag, "-o", file)
		pack.Dir = root(c.t)
		if out, err := pack.CombinedOutput(); err != nil {
			c.t.Fatalf("%s: %v: %s", pack, err, out)
		}
		archive, err := os.ReadFile(file)
		if err == nil {
			err = c.ImportArchive(c.t.Context(), tag, archive)
		}
		if err != nil {
			c.t.Fatal(err)
		}
	}
}

// installation is an operator's kustomization of deploy/kubernetes.
type installation struct {
	c       *cluster
	dir     string
	master  string // address of the node with the netmaster
	patches string // of the kustomization; "": none
}

// settings begins an installation.
func (c *cluster) settings() *installation {
	c.t.Helper()
	i := &installation{c: c, dir: c.t.TempDir(), master: c.node("h1")}
	i.authority()
	return i
}

// authority makes the authority of the cluster beside the kustomization, and has netctl prove an administrator by it.
func (i *installation) authority() {
	i.c.t.Helper()
	made := exec.CommandContext(i.c.t.Context(), filepath.Join(i.c.bin, "contiv"), "cert", "authority", i.dir)
	if out, err := made.CombinedOutput(); err != nil {
		i.c.t.Fatalf("%s: %v: %s", made, err, out)
	}
	own, mine := trust.Dir(i.dir), trust.Dir(i.c.t.TempDir())
	a, err := own.Authority()
	if err != nil {
		i.c.t.Fatal(err)
	}
	trusted, err := own.Trusted()
	if err := errors.Join(err, mine.SaveAuthority(trusted, nil), mine.Certify(a, trust.Identity{Role: trust.User, Name: setup.Admin}, time.Now())); err != nil {
		i.c.t.Fatal(err)
	}
	i.c.t.Setenv("CONTIV_TRUST", string(mine))
}

// write writes the kustomization for a version of the programs.
func (i *installation) write(folder, version, more string) {
	i.c.t.Helper()
	base, err := filepath.Rel(i.dir, filepath.Join(root(i.c.t), "deploy/kubernetes", folder))
	if err == nil {
		text := fmt.Sprintf("resources: [%s]\nimages: [{name: contiv/contiv, newTag: %s}]\n%s", base, version, more)
		err = os.WriteFile(filepath.Join(i.dir, "kustomization.yaml"), []byte(text), 0o644)
	}
	if err != nil {
		i.c.t.Fatal(err)
	}
}

// apply has the cluster run a version.
func (i *installation) apply(version string) {
	i.c.t.Helper()
	i.write("embedded", version, fmt.Sprintf(`configMapGenerator:
- name: contiv
  namespace: contiv-system
  behavior: merge
  literals:
  - CONTIV_NETMASTER_POD_SUBNETS=10.40.0.0/16,fd40::/64
  - CONTIV_NETPLUGIN_NETMASTERS=%s:9999
  - CONTIV_NETPLUGIN_VTEP_IP=192.168.251.0/24
- name: contiv-authority
  namespace: contiv-system
  files: [ca.crt]
secretGenerator:
- name: contiv-authority
  namespace: contiv-system
  files: [ca.crt, ca.key]
%s`, i.master, i.patches))
	i.c.kubectl("apply", "-k", i.dir)
}

// settled waits until all pods are of the version that was applied, and ready.
func (i *installation) settled() {
	i.c.t.Helper()
	for _, name := range []string{"netmaster", "netplugin"} {
		i.c.kubectl("rollout", "status", "daemonset/"+name, "--namespace", "contiv-system", "--timeout="+patience.String())
	}
}

// install applies a version to a cluster without one, and waits until pods can be made.
func (i *installation) install(version string) {
	i.c.t.Helper()
	i.apply(version)
	i.settled()
	i.c.kubectl("wait", "--for=condition=Ready", "node", "--all", "--timeout="+patience.String())
}

// remove deletes it, and takes off the hosts what it leaves.
func (i *installation) remove() {
	i.c.t.Helper()
	i.c.kubectl("delete", "-k", i.dir, "--timeout="+patience.String())
	i.write("remove", "v2", "")
	i.c.kubectl("apply", "-k", i.dir)
	i.c.kubectl("rollout", "status", "daemonset/remove", "--namespace", "contiv-remove", "--timeout="+patience.String())
	i.c.kubectl("delete", "-k", i.dir, "--timeout="+patience.String())
}
