// SPDX-License-Identifier: Apache-2.0

// Command cni measures the CNI plugin beside bridge with host-local, in turn within one run, on a lab of its own, which
// it removes. It needs root, Open vSwitch and the programs that "make build" leaves in bin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

// runTimeout bounds a run with the default flags generously; what is made is removed also then.
const runTimeout = 5 * time.Minute

// labName is the lab of this program.
const labName = "bench-cni"

type options struct {
	n      int    // sandboxes one at a time
	par    int    // sandboxes at once
	ports  int    // of the switch before the burst; 0: no burst
	bin    string // directory of this project's programs
	peers  string // directory of the plugins to compare with
	inside bool   // this process runs on the lab's host
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	o := options{}
	f := flag.NewFlagSet("cni", flag.ContinueOnError)
	f.SetOutput(errOut)
	f.IntVar(&o.n, "n", 60, "`number` of sandboxes that are added and deleted one at a time")
	f.IntVar(&o.par, "par", 10, "`number` of sandboxes that are added at once")
	f.IntVar(&o.ports, "ports", 1000, "`number` of ports that the switch has when 50 sandboxes arrive together; 0 leaves this out")
	f.StringVar(&o.bin, "bin", "bin", "`directory` of contiv, netmaster, netplugin and contivk8s")
	f.StringVar(&o.peers, "peers", "", "`directory` of bridge and host-local (default: peers below -bin, where they are built)")
	f.BoolVar(&o.inside, "inside", false, "run on the lab's host already (internal)")
	if err := f.Parse(args); err != nil {
		return 2
	}
	ctx, cancel := context.WithTimeout(ctx, runTimeout)
	defer cancel()
	do := runLab
	if o.inside {
		do = measureAll
	}
	if err := do(ctx, o, out, errOut); err != nil {
		fmt.Fprintln(errOut, "cni:", err)
		return 1
	}
	return 0
}

// runLab makes the lab, measures on its host and removes it.
func runLab(ctx context.Context, o options, out, errOut io.Writer) (err error) {
	if o.n < 1 || o.par < 1 || o.ports < 0 {
		return errors.New("-n and -par count from 1, -ports from 0")
	}
	if o.bin, err = filepath.Abs(o.bin); err != nil {
		return err
	}
	if o.peers == "" {
		o.peers = filepath.Join(o.bin, "peers")
		if err := buildPeers(ctx, o.peers); err != nil {
			return err
		}
	}
	if o.peers, err = filepath.Abs(o.peers); err != nil {
		return err
	}
	l, err := lab.New(lab.Plan{Name: labName, Dir: lab.DefaultDir, Hosts: 1, Masters: 1, Store: lab.StoreEmbedded, Bin: o.bin},
		filepath.Join(o.bin, lab.Program), errOut)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Down(context.WithoutCancel(ctx))) }()
	if err := l.Up(ctx); err != nil {
		return err
	}
	api, err := l.Client()
	if err != nil {
		return err
	}
	_, err = api.Networks().Put(ctx, &model.Network{TenantName: "default", NetworkName: "bench", Encap: "vxlan",
		Subnet: "10.78.0.0/16", Gateway: "10.78.255.254"})
	if err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	cmd, err := l.Command(ctx, "h1", self, "-inside", "-n", strconv.Itoa(o.n), "-par", strconv.Itoa(o.par),
		"-ports", strconv.Itoa(o.ports), "-bin", o.bin, "-peers", o.peers)
	if err != nil {
		return err
	}
	cmd.Stdout, cmd.Stderr = out, errOut
	return cmd.Run()
}

// buildPeers builds the plugins to compare with, at the version that go.mod names.
func buildPeers(ctx context.Context, dir string) error {
	const module = "github.com/containernetworking/plugins/plugins/"
	cmd := exec.CommandContext(ctx, "go", "build", "-o", dir+"/", module+"main/bridge", module+"ipam/host-local")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build bridge and host-local (-peers names a directory that has them): %w\n%s", err, text)
	}
	return nil
}
