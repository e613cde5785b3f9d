// SPDX-License-Identifier: Apache-2.0

// Command startovs is process 1 of the two containers with Open vSwitch, for Kubernetes nodes without it: it prepares the database or the
// switch, and becomes ovsdb-server or ovs-vswitchd.
//
//	startovs database [-- ARG...]    ARG goes to ovsdb-server
//	startovs switch [-- ARG...]      ARG goes to ovs-vswitchd
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
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	err := run(ctx, os.Args[1:], os.Stderr)
	stop()
	fmt.Fprintln(os.Stderr, "startovs:", err)
	os.Exit(1)
}

// layout is where Open vSwitch keeps its files.
type layout struct {
	data    string // directory of the database, which outlives the container
	run     string // directory of sockets, which is the host's
	schema  string // file with the schema of the database
	machine string // file with the machine's id
	log     io.Writer
}

// run prepares what the arguments name, and replaces this process. It returns only if that fails.
func run(ctx context.Context, args []string, stderr io.Writer) error {
	l := layout{log: stderr}
	set := flag.NewFlagSet("startovs", flag.ContinueOnError)
	set.SetOutput(stderr)
	set.StringVar(&l.data, "data", "/var/lib/openvswitch", "directory of the database")
	set.StringVar(&l.run, "run", "/run/openvswitch", "directory of Open vSwitch's sockets")
	set.StringVar(&l.schema, "schema", "/usr/share/openvswitch/vswitch.ovsschema", "file with the schema of the database")
	set.StringVar(&l.machine, "machine-id", "/etc/machine-id", "file with the machine's id, which identifies the switch")
	if len(args) == 0 {
		return errors.New("want database or switch")
	}
	if err := set.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "database":
		return l.database(ctx, set.Args())
	case "switch":
		return l.vswitch(ctx, set.Args())
	}
	return fmt.Errorf("got %q, want database or switch", args[0])
}

// become replaces this process by a program, with the directories of the layout.
func (l *layout) become(program string, args ...string) error {
	path, err := exec.LookPath(program)
	if err != nil {
		return err
	}
	err = syscall.Exec(path, append([]string{program}, args...), l.environ())
	return fmt.Errorf("start %s: %w", program, err)
}

// environ is the environment of Open vSwitch's programs (ovs-vswitchd(8)).
func (l *layout) environ() []string {
	return append(os.Environ(), "OVS_RUNDIR="+l.run, "OVS_DBDIR="+l.data, "OVS_SYSCONFDIR="+l.data)
}

// output runs a program, and returns what it prints.
func (l *layout) output(ctx context.Context, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env, cmd.Stderr = l.environ(), l.log
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %v: %w", program, args, err)
	}
	return string(out), nil
}
