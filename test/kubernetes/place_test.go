// SPDX-License-Identifier: Apache-2.0

package kubernetes_test

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/kube"
)

// K8S-04: pods are on the networks of their labels and namespaces, else on the default one, and no outage loses a pod.
func TestPlaces(t *testing.T) {
	c := start(t, lab.Plan{Name: "kplaces"})
	c.netctl("tenant", "create", "shop")
	c.netctl("network", "create", "--tenant", "shop", "--subnet", "10.41.0.0/16", "--gateway", "10.41.255.254", "front")
	c.netctl("network", "create", "--subnet", "10.42.0.0/16", "--gateway", "10.42.255.254", "blue")
	c.netctl("group", "create", "blue", "web")
	c.namespace("shop")
	c.kubectl("annotate", "namespace", "shop", "io.contiv.tenant=shop", "io.contiv.network=front")

	all := []*running{c.create(pod{name: "front", namespace: "shop", host: "h1"}), c.create(pod{name: "blue", host: "h2", labels: "io.contiv.network=blue,app=a"}),
		c.create(pod{name: "grouped", host: "h1", labels: "io.contiv.net-group=web"}), c.create(pod{name: "plain", host: "h2"})}
	for i, subnet := range []string{"10.41.0.0/16", "10.42.0.0/16", "10.42.0.0/16", "10.40.0.0/16"} {
		all[i].ready()
		if a := all[i].address(4); !netip.MustParsePrefix(subnet).Contains(a) {
			t.Errorf("pod %s has %s, which is not of %s", all[i].name, a, subnet)
		}
	}
	if out := c.netctl("endpoint", "ls", "--group", "web"); !strings.Contains(out, "grouped") || strings.Contains(out, "plain") {
		t.Errorf("in group web is\n%s\nwant only pod grouped", out)
	}
	for name, want := range map[string]string{"leaves": "its namespace fixes front", "red": "network default:red not found; create it with netctl network create"} {
		p := pod{name: name, host: "h1", labels: "io.contiv.network=red"}
		if name == "leaves" {
			p.namespace = "shop"
		}
		r := c.create(p)
		c.eventually("the reason in the events of pod "+name, func() error {
			said := c.kubectl("get", "events", "--namespace", r.namespace, "--field-selector", "involvedObject.name="+name, "-o", "jsonpath={.items[*].message}")
			if !strings.Contains(said, want) {
				return fmt.Errorf("they are %q, want %q", said, want)
			}
			return nil
		})
		r.remove()
	}

	c.kubectl("label", "pod", "blue", "--overwrite", "app=b")
	c.labelled("blue", "app:b")
	for _, part := range []string{kube.APIServer, lab.PartMaster} {
		if err := c.Kill("h1", part); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Start(t.Context(), "h1", lab.PartMaster); err != nil { // it knows nothing of Kubernetes now
		t.Fatal(err)
	}
	if n := len(c.endpoints()); n != len(all) {
		t.Errorf("while the API server is away there are %d endpoints, want %d", n, len(all))
	}
	if err := c.Start(t.Context(), "h1", kube.APIServer); err != nil {
		t.Fatal(err)
	}
	c.kubectl("label", "pod", "blue", "--overwrite", "app=c")
	c.labelled("blue", "app:c")
	c.run(pod{name: "after", host: "h2"})
}

// labelled waits until a container's endpoint has a label.
func (c *cluster) labelled(container, label string) {
	c.t.Helper()
	c.eventually("label "+label+" of the endpoint of "+container, func() error {
		out, err := c.tryNetctl("endpoint", "inspect", container)
		if err == nil && !strings.Contains(out, label) {
			err = fmt.Errorf("it has none in %s", out)
		}
		return err
	})
}
