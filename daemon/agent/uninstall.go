// SPDX-License-Identifier: Apache-2.0

package main

import (
	"context"
	"fmt"
	"io"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/contiv/contiv/daemon/agent/node"
	"github.com/contiv/contiv/daemon/agent/uninstall"
	"github.com/contiv/contiv/daemon/agent/vswitch"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/logging"
)

// Values of --uninstall.
const (
	uninstallOnce = "once"
	uninstallStay = "stay"
)

// uninstallOptions are for a host that is to have no agent any more.
type uninstallOptions struct {
	Mode    string
	Further []string
}

func (o *uninstallOptions) register(s *flags.Set) {
	s.String(&o.Mode, "uninstall", "UNINSTALL", "", "uninstall instead of running as an agent: remove the CNI configuration and plugin, the bridge, interfaces of containers, nftables rules and files from this host, and exit: "+
		uninstallOnce+"; in a pod, remove it and wait for SIGTERM: "+uninstallStay)
	s.List(&o.Further, "uninstall-further", "UNINSTALL_FURTHER", "additional files and directories to remove with --uninstall, such as those of a netmaster's store")
	s.WithoutKeys("uninstall", "uninstall-further")
}

// Wanted says that the host is to be cleaned, and no agent to work.
func (o *uninstallOptions) Wanted() bool { return o.Mode != "" }

func (o *uninstallOptions) check() error {
	for _, path := range o.Further {
		if !filepath.IsAbs(path) || slices.Contains([]string{"/", "/etc", "/run", "/usr", "/var", "/var/lib"}, filepath.Clean(path)) {
			return fmt.Errorf("--uninstall-further: got %s, want the absolute path of a file or directory of contiv", path)
		}
	}
	return flags.OneOf("uninstall", o.Mode, uninstallOnce, uninstallStay)
}

// sockets are those at which an agent, and its door, are found.
func (o *options) sockets() []string {
	out := []string{o.CNI.Socket, filepath.Join(filepath.Dir(o.CNI.Socket), node.InspectSocket), o.CNI.Mesos}
	if mode := strings.ToLower(o.Mode); mode == flags.ModeDocker || mode == flags.ModeSwarm || mode == flags.ModeAuto {
		out = append(out, o.Docker.Socket(), o.Docker.Agent)
	}
	return slices.DeleteFunc(out, func(s string) bool { return s == "" })
}

// files are those that are to go beside sockets.
func (o *options) files() []string {
	if o.Docker.Kept == "" {
		return o.Uninstall.Further
	}
	return append(slices.Clone(o.Uninstall.Further), o.Docker.Kept, o.Docker.Kept+".new") // the latter if the agent was killed as it wrote
}

// uninstall cleans the host, prints what it restored and what remains, a line each, and waits then if it is to.
func (o *options) uninstall(ctx context.Context, stdout, stderr io.Writer) error {
	log, err := logging.New(o.Log, "netplugin", stderr, nil)
	if err != nil {
		return &configError{err}
	}
	ctx, end := signal.NotifyContext(ctx, syscall.SIGTERM, syscall.SIGINT)
	defer end()
	h := &uninstall.Host{Bridge: vswitch.Bridge, OVSRunDir: o.Switch.RunDir, Conf: o.CNI.Conf, Bin: o.CNI.Bin, Program: "contivk8s",
		Sockets: o.sockets(), Further: o.files(), Ledger: vswitch.LedgerFile(o.Switch.RunDir), Limits: vswitch.LimitsFile(o.Switch.RunDir), Log: log}
	done, err := h.Run(ctx)
	for _, setting := range done.Restored {
		_, _ = fmt.Fprintln(stdout, "restored", setting)
	}
	for _, r := range done.Remains {
		_, _ = fmt.Fprintf(stdout, "remains: %s: %s\n", r.What, r.Why)
	}
	if err != nil {
		return err
	}
	log.Info("removed everything that the agent had installed on this host")
	if o.Uninstall.Mode == uninstallStay {
		<-ctx.Done()
	}
	return nil
}
