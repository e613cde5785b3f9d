// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
)

// A network that is made as compose makes one is called as Docker calls it, on every host, and goes with Docker's.
func TestNetworkIsCalledAsDockerCallsIt(t *testing.T) {
	c := start(t, lab.Plan{Name: "called"})
	c.docker("h1", "network", "create", "-d", "netplugin", "--ipam-driver", "netplugin", "--subnet", "10.9.0.0/24", "shop_default")
	named := func(on map[string][]string) func() error {
		return func() error {
			for host, want := range on {
				if got := c.kept(host); !slices.Equal(got, want) {
					return fmt.Errorf("%s keeps %q, want %q", host, got, want)
				}
			}
			return nil
		}
	}
	within(t, 10*time.Second, named(map[string][]string{"h1": {}, "h2": {"shop-default"}}))
	c.run("h1", "web", "shop_default", "-p", "8000")
	c.run("h2", "far", "shop-default")
	if got := c.oper("endpoint", "web"); got["network"] != "shop-default.default" {
		t.Errorf("the container's network: got %v", got["network"])
	}
	c.docker("h1", "rm", "-f", "web")
	c.docker("h2", "rm", "-f", "far")
	c.docker("h1", "network", "rm", "shop_default")
	within(t, 10*time.Second, named(map[string][]string{"h1": {}, "h2": {}}))
}
