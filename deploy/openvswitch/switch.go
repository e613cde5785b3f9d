// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// serverTimeout bounds the wait for the database's server, whose container starts beside this one.
const serverTimeout = time.Minute

// module is the directory of the kernel's datapath, once it is loaded.
const module = "/sys/module/openvswitch"

// vswitch waits for the database, identifies the switch, loads the kernel's datapath, and becomes ovs-vswitchd.
func (l *layout) vswitch(ctx context.Context, args []string) error {
	if err := l.await(ctx); err != nil {
		return err
	}
	if err := l.identify(ctx); err != nil {
		return err
	}
	l.load(ctx)
	return l.become("ovs-vswitchd", append([]string{"unix:" + l.socket(), "--pidfile=" + filepath.Join(l.run, "ovs-vswitchd.pid"), "--mlockall",
		"-vconsole:info", "-vsyslog:off", "-vfile:off"}, args...)...)
}

// await blocks until the database answers, for serverTimeout.
func (l *layout) await(ctx context.Context) error {
	limited, cancel := context.WithTimeout(ctx, serverTimeout)
	defer cancel()
	for {
		if _, err := os.Stat(l.socket()); err == nil {
			if _, err := l.output(limited, "ovs-vsctl", "--db=unix:"+l.socket(), "--timeout=5", "--no-wait", "init"); err == nil {
				return nil
			}
		}
		select {
		case <-limited.Done():
			return fmt.Errorf("ovsdb-server does not answer at %s within %s: see the log of container database", l.socket(), serverTimeout)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// identify gives the switch the identity of the machine, and the versions of the program and the schema, which its programs do not write
// themselves.
func (l *layout) identify(ctx context.Context) error {
	id, err := os.ReadFile(l.machine)
	if err != nil {
		return fmt.Errorf("the machine's id: %w", err)
	}
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	program, err := l.output(ctx, "ovs-vswitchd", "--version")
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(program, "\n") // "ovs-vswitchd (Open vSwitch) 3.1.0"
	schema, err := l.output(ctx, "ovsdb-tool", "schema-version", l.schema)
	if err != nil {
		return err
	}
	_, err = l.output(ctx, "ovs-vsctl", "--db=unix:"+l.socket(), "--timeout=5", "--no-wait", "set", "Open_vSwitch", ".",
		"ovs-version="+first[strings.LastIndex(first, " ")+1:], "db-version="+strings.TrimSpace(schema), "external_ids:system-id="+strings.TrimSpace(string(id)), "external_ids:hostname="+host, "external_ids:rundir="+l.run)
	return err
}

// load loads the kernel's datapath. Without it the switch forwards in user space, which is slower, and the agent reports it.
func (l *layout) load(ctx context.Context) {
	if _, err := os.Stat(module); err == nil {
		return
	}
	if _, err := l.output(ctx, "modprobe", "openvswitch"); err != nil {
		fmt.Fprintln(l.log, "startovs: the kernel's datapath is missing:", err)
	}
}
