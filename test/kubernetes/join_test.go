// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
)

// A second node of the control plane, which joins later as kubeadm has it, gets a netmaster that joins the store of the first one.
func TestSecondControlPlane(t *testing.T) {
	c := bare(t, lab.Plan{Name: "kjoin", Bare: true, Kubernetes: &lab.Kubernetes{Network: kube.NetworkNone}})
	c.images("v1", "v2") // remove uses the second
	const label = "node-role.kubernetes.io/control-plane="
	c.kubectl("label", "node", "h1", label)
	mine := c.settings()
	mine.patches = fmt.Sprintf(`patches:
- patch: |
    apiVersion: apps/v1
    kind: DaemonSet
    metadata: {name: netmaster, namespace: contiv-system}
    spec: {template: {spec: {containers: [{name: netmaster, env: [{name: CONTIV_NETMASTER_KUBERNETES_API, value: "https://%s:6443"}]}]}}}
`, mine.master) // hosts of a lab share one API server
	mine.install("v1")
	names := func(names ...string) {
		t.Helper()
		c.eventually(fmt.Sprintf("the ConfigMap names the members %v", names), func() error {
			data := c.kubectl("get", "configmap", "contiv-store", "--namespace", "contiv-system", "-o", "jsonpath={.data}")
			for _, name := range names {
				if !strings.Contains(data, `"member.`+name+`":"https://`+c.node(name)+`:6666"`) {
					return fmt.Errorf("it has %s", data)
				}
			}
			if !strings.Contains(data, `"founder":"h1"`) || strings.Count(data, "member.") != len(names) {
				return fmt.Errorf("it has %s", data)
			}
			return nil
		})
	}
	names("h1")
	c.netctl("tenant", "create", "acme")

	c.kubectl("label", "node", "h2", label)
	c.kubectl("wait", "--for=create", "--timeout="+patience.String(), "--namespace", "contiv-system", "pod", "--selector=app.kubernetes.io/name=netmaster", "--field-selector=spec.nodeName=h2")
	mine.settled()
	names("h1", "h2")
	second := "https://" + c.node("h2") + ":9999"
	c.eventually("both netmasters serve one cluster", func() error {
		out, err := c.tryNetctl("--netmaster", second, "node", "ls")
		if err == nil && (strings.Count(out, "leader") != 1 || strings.Count(out, "follower") != 1) {
			err = fmt.Errorf("want a leader and a follower, got\n%s", out)
		}
		return err
	})
	if out := c.netctl("--netmaster", second, "tenant", "ls", "-o", "name"); !strings.Contains(out, "acme") {
		t.Errorf("the second netmaster: want tenant acme, got %q", out)
	}
	c.netctl("--netmaster", second, "tenant", "create", "umbrella")
	if out := c.netctl("tenant", "ls", "-o", "name"); !strings.Contains(out, "umbrella") {
		t.Errorf("the first netmaster: want tenant umbrella, got %q", out)
	}
	c.kubectl("delete", "pod", "--namespace", "contiv-system", "--selector=app.kubernetes.io/name=netmaster", "--field-selector=spec.nodeName=h2") // which comes back with its data
	mine.settled()
	if out := c.netctl("--netmaster", second, "tenant", "ls", "-o", "name"); !strings.Contains(out, "umbrella") {
		t.Errorf("the second netmaster, after a restart: want tenant umbrella, got %q", out)
	}
	mine.remove()
}
