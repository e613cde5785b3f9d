// SPDX-License-Identifier: Apache-2.0

package scenario

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/ofnet/link"
)

// programs are the binaries that scenarios run, and their packages.
var programs = map[string]string{
	"contiv": "console", lab.Program: "lab/contivlab", "netctl": "netctl", "netmaster": "daemon/master", "netplugin": "daemon/agent", "contivk8s": "cni",
}

var built = flag.String("bin", "", "directory of programs that are built already; empty: they are built")

// build builds the programs from this source, unless they are there.
func build(tb testing.TB) string {
	tb.Helper()
	if *built != "" {
		bin, err := filepath.Abs(*built)
		if err != nil {
			tb.Fatal(err)
		}
		return bin
	}
	bin := tb.TempDir()
	for name, dir := range programs {
		cmd := exec.Command("go", "build", "-o", filepath.Join(bin, name), "github.com/contiv/contiv/"+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			tb.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	return bin
}

var update = flag.Bool("update", false, "write what cmp compares with again")

// calm is $CALM of scripts: the duration of each part of scenario calm.
var calm = flag.Int("calm", 8, "seconds of each part of scenario calm")

// measuring are the names of scripts that measure what passes.
var measuring = []string{"qos"}

// beside are the scripts for a store that is a process of its own, withConsul those only for Consul; the others run with the embedded
// store.
var (
	beside     = []string{"store.txtar"}
	withConsul = []string{"beside-consul.txtar"}
)

// FLT-10: after every scenario, no master and no agent has panicked.
func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	runScripts(t, lab.StoreEmbedded, slices.DeleteFunc(files, func(path string) bool { return slices.Contains(beside, path) || slices.Contains(withConsul, path) }))
}

// TestScenariosOnEtcd runs what depends most on the store with an etcd beside the netmasters, of the distribution's version.
func TestScenariosOnEtcd(t *testing.T) { runOn(t, lab.StoreEtcd, nil) }

// runOn runs the scripts for a store beside the netmasters, some of the others, and those that are only for it.
func runOn(t *testing.T, store string, alone []string) {
	runScripts(t, store, slices.Concat([]string{"reach.txtar", "pool.txtar", "service-faults.txtar", "history.txtar", "claims.txtar"}, beside, alone))
}

// runScripts runs scripts on labs with that kind of store, unless they name another one.
func runScripts(t *testing.T, store string, files []string) {
	bin := build(t)
	deadline, _ := t.Deadline()
	testscript.RunT(scripts{T: t}, testscript.Params{Files: files, WorkdirRoot: t.TempDir(), Cmds: commands(), Condition: condition, Deadline: deadline, UpdateScripts: *update, Setup: func(env *testscript.Env) error {
		dir, err := os.MkdirTemp("", "scn") // not below the script's directory: sockets have short paths
		if err != nil {
			return err
		}
		tb := env.T().(testing.TB)
		s := &Session{bin: bin, dir: dir, store: store, failed: tb.Failed, flows: map[string]string{}, talks: map[string]*talking{}}
		env.Values[key{}] = s
		env.Setenv("PATH", bin+":"+env.Getenv("PATH"))
		env.Setenv("CALM", strconv.Itoa(*calm))
		env.Defer(func() {
			if err := s.end(); err != nil {
				tb.Error(err)
			}
		})
		return nil
	}})
}

// condition answers what scripts ask of this machine: userspace, whether the switches of a lab forward in user space, and tcpmd5, whether the
// kernel signs segments of TCP (RFC 2385). The log shows which lines were run.
func condition(name string) (bool, error) {
	switch name {
	case "userspace":
		none := link.KernelDatapath()
		if none != nil && !errors.Is(none, link.ErrNoKernelDatapath) {
			return false, none
		}
		return none != nil, nil
	case "tcpmd5":
		return signsTCP()
	}
	return false, fmt.Errorf("got condition %s, want userspace or tcpmd5", name)
}

// signsTCP reports whether the kernel signs segments of TCP.
func signsTCP() (bool, error) {
	s, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, unix.IPPROTO_TCP)
	if err != nil {
		return false, err
	}
	defer func() { _ = unix.Close(s) }()
	sig := unix.TCPMD5Sig{Keylen: 1}
	sig.Addr.Family, sig.Addr.Data[2] = unix.AF_INET, 127
	err = unix.SetsockoptTCPMD5Sig(s, unix.IPPROTO_TCP, unix.TCP_MD5SIG, &sig)
	if errors.Is(err, unix.ENOPROTOOPT) {
		return false, nil
	}
	return err == nil, err
}

// scripts runs scripts side by side, as many as -parallel permits: each has a lab of its own, and waits more than it works. Those that
// measure what passes have the machine for themselves, before the others.
type scripts struct {
	*testing.T
	alone bool
}

func (s scripts) Parallel() {
	if !s.alone {
		s.T.Parallel()
	}
}

func (scripts) Verbose() bool { return testing.Verbose() }

func (s scripts) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(scripts{t, slices.Contains(measuring, name)}) })
}

func TestCrashed(t *testing.T) {
	for text, want := range map[string]bool{
		"time=... level=INFO msg=ready\npanic: runtime error: index out of range\n": true,
		"fatal error: concurrent map writes\n":                                      true,
		"time=... level=WARN msg=\"no panic: all is well\"\n":                       false,
		"": false,
	} {
		if got := crashed.MatchString(text); got != want {
			t.Errorf("%q: want %v, got %v", text, want, got)
		}
	}
}
