// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
)

// A machine that is gone leaves the cluster when its node is deleted, with what its pods had; it is a host again once it comes back.
func TestNodeGoes(t *testing.T) {
	c := start(t, lab.Plan{Name: "knode"})
	web := c.run(pod{name: "web", host: "h1", serves: 8080})
	lost := c.run(pod{name: "lost", host: "h2"})
	lost.pings(true, web.address(4))
	parts := []string{kube.Kubelet, lab.PartAgent}
	for _, part := range parts {
		if err := c.Kill("h2", part); err != nil {
			t.Fatal(err)
		}
	}
	c.kubectl("delete", "node", "h2")
	c.kubectl("delete", "pod", "lost", "--force", "--grace-period=0") // as the collector of pods without nodes does, a minute later
	c.eventually("h2 is no host, and its pod has no endpoint", func() error {
		hosts, left := strings.Fields(c.netctl("node", "ls", "--output", "name")), c.endpoints()
		if slices.Contains(hosts, "h2") || len(left) != 1 {
			return fmt.Errorf("hosts are %v, endpoints %v", hosts, left)
		}
		return nil
	})
	if told := c.netctl("history", "host", "h2"); !strings.Contains(told, "node h2 of Kubernetes was deleted") {
		t.Errorf("history has no reason for the removal of h2: %s", told)
	}
	for _, part := range slices.Backward(parts) {
		if err := c.Start(t.Context(), "h2", part); err != nil {
			t.Fatal(err)
		}
	}
	c.eventually("node h2", func() error {
		_, err := c.try("get", "node", "h2")
		return err
	})
	c.kubectl("wait", "--for=condition=Ready", "node", "h2", "--timeout="+patience.String())
	back := c.run(pod{name: "back", host: "h2"})
	back.connects(true, web.address(4), 8080)
	c.eventually("h2 is as it should be", func() error {
		_, err := c.tryNetctl("drift", "h2")
		return err
	})
}
