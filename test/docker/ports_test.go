// SPDX-License-Identifier: Apache-2.0

package docker_test

import (
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/ofnet/link"
)

// Ports of a host lead to a container, which sees its clients by their own addresses, also after the agent was killed; with the container
// they end.
func TestPublishedPorts(t *testing.T) {
	c := start(t, lab.Plan{Name: "ports"})
	c.must("network", "create", "--subnet", "10.1.1.0/24", "--gateway", "10.1.1.254", "--encap", "vxlan", "blue")
	c.hosted("blue")
	c.run("h1", "web", "blue", "-p", "8080:8000", "-p", "127.0.0.1:8081:8000")
	c.tellClients("h1", "web", ":8000")
	one, two := c.control("h1"), c.control("h2")
	for range 2 {
		for _, ask := range []struct{ host, url, sees string }{
			{"h2", one + ":8080", two},
			{"h1", one + ":8080", one},
			{"h1", "127.0.0.1:8080", "172.19.255.254"},
			{"h1", "127.0.0.1:8081", "172.19.255.254"},
			{"h2", one + ":8081", ""},
		} {
			if got, _ := on(t, c.Lab, ask.host, "curl", "-s", "-m", "3", "http://"+ask.url+"/"); got != ask.sees {
				t.Errorf("%s asks %s: the container sees %q, want %q", ask.host, ask.url, got, ask.sees)
			}
		}
		if err := c.Kill("h1", lab.PartAgent); err != nil {
			t.Fatal(err)
		}
		if err := c.Start(t.Context(), "h1", lab.PartAgent); err != nil {
			t.Fatal(err)
		}
	}
	c.refused("leads to endpoint default:blue:", "h1", "run", "--rm", "--network", "blue", "-p", "8080:1", lab.Image, "true")
	c.refused("a program of the host", "h1", "run", "--rm", "--network", "blue", "-p", "9999:1", lab.Image, "true") // netmaster's
	c.run("h1", "chosen", "blue", "-p", "8000")                                                                     // a port of the host that the agent chooses, and shows
	c.tellClients("h1", "chosen", ":8000")
	within(t, 5*time.Second, func() error { // its name is known a moment later
		published := fmt.Sprint(c.oper("endpoint", "chosen")["published"])
		port := regexp.MustCompile(`0\.0\.0\.0:(\d+)`).FindStringSubmatch(published)
		if port == nil {
			return fmt.Errorf("want the port that was chosen shown, got %s", published)
		}
		if got, err := on(t, c.Lab, "h2", "curl", "-s", "-m", "3", "http://"+one+":"+port[1]+"/"); got != two {
			return fmt.Errorf("h2 asks for port %s that was chosen: the container sees %q (%v), want %q", port[1], got, err, two)
		}
		return nil
	})
	c.docker("h1", "rm", "-f", "chosen")
	if got := fmt.Sprint(c.oper("endpoint", "web")["published"]); !strings.Contains(got, "0.0.0.0:8080") {
		t.Errorf("netctl endpoint inspect: published is %s", got)
	}
	c.docker("h1", "rm", "-f", "web")
	within(t, 5*time.Second, func() error {
		if out, err := on(t, c.Lab, "h1", "nft", "list", "tables"); err != nil || strings.Contains(out, "contiv-ports") {
			return fmt.Errorf("without the container: %s (%v)", out, err)
		}
		return nil
	})
}

// control is a host's address on the control network.
func (c *cluster) control(host string) string {
	c.t.Helper()
	return c.shell(host, "ip -4 -o addr show dev mgmt0 | awk '{sub(\"/.*\", \"\", $4); print $4}'")
}

// tellClients serves the client's address over HTTP inside a container.
func (c *cluster) tellClients(host, name, address string) {
	c.t.Helper()
	ns, err := link.OpenNamespace(inside(c.t, c.Lab, host, strings.Replace(c.docker(host, "inspect", "-f", "{{.NetworkSettings.SandboxKey}}", name), "/var/run/", "/run/", 1)))
	if err != nil {
		c.t.Fatal(err)
	}
	defer ns.Close()
	var l net.Listener
	if err := ns.Do(func() (err error) { l, err = net.Listen("tcp", address); return err }); err != nil {
		c.t.Fatal(err)
	}
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		client, _, _ := net.SplitHostPort(r.RemoteAddr)
		_, _ = w.Write([]byte(client))
	})}
	go func() { _ = s.Serve(l) }()
	c.t.Cleanup(func() { _ = s.Close() })
}
