// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// asNamespace has this test, run again in a namespace, print what it reads there.
const asNamespace = "CONTIV_TEST_UNROUTED"

// Packets without a route are counted in the namespace of the process and nowhere else.
func TestUnrouted(t *testing.T) {
	if os.Getenv(asNamespace) != "" {
		v4, v6, err := link.Unrouted()
		if err != nil {
			t.Fatal(err)
		}
		got, err := link.Received("u0")
		if err != nil {
			t.Fatal(err)
		}
		if none, err := link.Received("absent"); err != nil || none != 0 {
			t.Fatalf("an interface that is not there: got %d, %v", none, err)
		}
		t.Logf("read %d %d %d", v4, v6, got)
		return
	}
	world, host := linktest.Pair(t)
	if out, err := host.Exec("sysctl", "-q", "net.ipv4.ip_forward=1"); err != nil {
		t.Fatal(out)
	}
	// Without IPv6 on the link: the first multicasts of a neighbor that comes up may reach the host before its own routes for them are
	// there, which counts.
	if out, err := world.Exec("sysctl", "-q", "net.ipv6.conf.u0.disable_ipv6=1"); err != nil {
		t.Fatal(out)
	}
	world.IP("addr", "add", "10.0.9.1/24", "dev", "u0")
	host.IP("addr", "add", "10.0.9.2/24", "dev", "u0")
	world.IP("link", "set", "u0", "up")
	host.IP("link", "set", "u0", "up")
	world.IP("route", "add", "default", "via", "10.0.9.2")
	read := func() (v4, v6, received int) {
		c := exec.Command("ip", "netns", "exec", host.Name, os.Args[0], "-test.run", "^TestUnrouted$", "-test.v")
		c.Env = append(os.Environ(), asNamespace+"=1")
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, said, _ := strings.Cut(string(out), "read ")
		if _, err := fmt.Sscan(said, &v4, &v6, &received); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		return v4, v6, received
	}
	four, six, received := read()
	_ = exec.Command("ip", "netns", "exec", world.Name, "ping", "-c", "1", "-W", "1", "192.0.2.1").Run() // it is to fail
	if now, now6, more := read(); now <= four || now6 != six || more <= received {
		t.Errorf("want more than %d of IPv4, %d of IPv6, and more than %d by the interface, got %d, %d and %d", four, six, received, now, now6, more)
	}
}
