// SPDX-License-Identifier: Apache-2.0

// Package linktest creates network namespaces for one test and deletes them at its end. It needs root and iproute2.
package linktest

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
)

var serial atomic.Uint32

// Namespace is a network namespace of a test.
type Namespace struct {
	Name string
	Path string // below /run/netns
	tb   testing.TB
}

// New makes a namespace with lo down.
func New(tb testing.TB) *Namespace {
	tb.Helper()
	name := fmt.Sprintf("lnkt%d-%d", os.Getpid(), serial.Add(1))
	n := &Namespace{Name: name, Path: "/run/netns/" + name, tb: tb}
	n.run("netns", "add", name)
	tb.Cleanup(n.Delete)
	return n
}

// Delete removes the namespace before the test ends; repeating it does nothing.
func (n *Namespace) Delete() { _ = exec.Command("ip", "netns", "del", n.Name).Run() }

// IP runs ip(8) in the namespace and returns its output.
func (n *Namespace) IP(args ...string) string {
	n.tb.Helper()
	return n.run(append([]string{"-n", n.Name}, args...)...)
}

// Exec runs a program in the namespace and returns its output and error.
func (n *Namespace) Exec(args ...string) (string, error) {
	out, err := exec.Command("ip", append([]string{"netns", "exec", n.Name}, args...)...).CombinedOutput()
	return string(out), err
}

func (n *Namespace) run(args ...string) string {
	n.tb.Helper()
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		n.tb.Fatalf("ip %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}
