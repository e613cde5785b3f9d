// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// dialTimeout bounds the question whether another server has the socket.
const dialTimeout = 2 * time.Second

// socket is where the database's server listens.
func (l *layout) socket() string { return filepath.Join(l.run, "db.sock") }

// database creates or converts the database, and becomes its server. It refuses to run beside a server of the host.
func (l *layout) database(ctx context.Context, args []string) error {
	if err := l.absent(ctx); err != nil {
		return err
	}
	for _, dir := range []string{l.data, l.run} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	file := filepath.Join(l.data, "conf.db")
	if err := l.prepare(ctx, file); err != nil {
		return err
	}
	return l.become("ovsdb-server", append([]string{file, "--remote=punix:" + l.socket(), "--remote=db:Open_vSwitch,Open_vSwitch,manager_options",
		"--pidfile=" + filepath.Join(l.run, "ovsdb-server.pid"), "-vconsole:info", "-vsyslog:off", "-vfile:off"}, args...)...)
}

// absent returns an error if a server answers at the socket: the host has an Open vSwitch of its own, whose bridges another one would not have.
func (l *layout) absent(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "unix", l.socket())
	if err != nil {
		return nil // no file, or no process behind it
	}
	_ = c.Close()
	return fmt.Errorf("a server of Open vSwitch already runs on this host, and listens at %s: remove the label contiv.io/openvswitch from this node, or stop the host's Open vSwitch", l.socket())
}

// prepare creates the database, or converts one of an older schema. Before that it keeps a copy of the older one.
func (l *layout) prepare(ctx context.Context, file string) error {
	if _, err := os.Stat(file); os.IsNotExist(err) {
		_, err := l.output(ctx, "ovsdb-tool", "create", file, l.schema)
		return err
	}
	answer, err := l.output(ctx, "ovsdb-tool", "needs-conversion", file, l.schema)
	if err != nil || strings.TrimSpace(answer) != "yes" {
		return err
	}
	version, err := l.output(ctx, "ovsdb-tool", "db-version", file)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".backup-"+strings.TrimSpace(version), text, 0o600); err != nil {
		return err
	}
	_, err = l.output(ctx, "ovsdb-tool", "convert", file, l.schema)
	return err
}
