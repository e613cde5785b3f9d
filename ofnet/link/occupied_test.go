// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/link/linktest"
)

// The far end of a pair is where a process runs, or where only a mount keeps the namespace, or on the host, or nowhere. It looks at all
// processes, so the test has a namespace of processes of its own: elsewhere some may be closed even to root.
func TestOccupied(t *testing.T) {
	const inside = "CONTIV_TEST_OWN_PROCESSES"
	if os.Getenv(inside) == "" {
		again := exec.CommandContext(t.Context(), "unshare", "--pid", "--fork", "--mount-proc", "--kill-child", os.Args[0], "-test.run=^TestOccupied$")
		again.Env = append(os.Environ(), inside+"=1")
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	h, host := open(t)
	c := linktest.New(t)
	p := link.Pair{Host: link.Name("e1", 0), Netns: c.Path, IfName: "eth0", MTU: 1500}
	is := func(what string, want bool) {
		t.Helper()
		for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) { // threads of this process leave namespaces after their work
			got, err := h.Occupied(p.Host)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if got == want {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%s: want occupied %v, got %v", what, want, got)
			}
		}
	}
	is("no interface", false)
	if err := h.Create(p); err != nil {
		t.Fatal(err)
	}
	is("a namespace that a mount keeps", false)
	for _, ns := range []string{host.Name, c.Name} {
		process := exec.Command("ip", "netns", "exec", ns, "sleep", "60")
		if err := process.Start(); err != nil {
			t.Fatal(err)
		}
		is("a process in namespace "+ns, ns == c.Name)
		if err := process.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = process.Wait()
	}
	is("a namespace whose process has ended", false)
	c.IP("link", "set", "eth0", "down")
	if err := h.Delete(p.Host); err != nil {
		t.Fatal(err)
	}
	is("an interface that is gone", false)
}
