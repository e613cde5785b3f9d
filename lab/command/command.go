// SPDX-License-Identifier: Apache-2.0

// Package command has the "contiv lab" commands.
package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/lab"
)

// Streams are the input and output of a command.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// ExitError is the exit code of a program that the user ran on a host: contiv ends with the same and prints nothing.
type ExitError struct{ Code int }

func (e *ExitError) Error() string { return fmt.Sprintf("exit code %d", e.Code) }

// defaultName is the name of a lab without a given name.
const defaultName = "lab"

// where identifies the lab of a command.
type where struct {
	dir, name string // name is "" if none is given
	s         Streams
}

// existing returns the name of the lab: the given one, otherwise "lab" if there is a lab of that name, otherwise the only one.
func (w *where) existing() (string, error) {
	if w.name != "" {
		return w.name, nil
	}
	names := lab.Names(w.dir)
	switch {
	case len(names) == 0 || slices.Contains(names, defaultName):
		return defaultName, nil
	case len(names) == 1:
		return names[0], nil
	}
	return "", fmt.Errorf("there are several labs, %s: choose with --name", strings.Join(names, ", "))
}

func (w *where) open() (*lab.Lab, error) {
	name, err := w.existing()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return lab.Open(w.dir, name, self, w.s.Err)
}

// New returns the root command of contiv-lab with all its subcommands. Help calls it "contiv lab".
func New(s Streams) *cobra.Command {
	w := &where{s: s}
	cmd := &cobra.Command{
		Use:         "contiv-lab",
		Short:       "Several hosts on this machine, each with its own Open vSwitch, to try contiv on",
		Args:        cobra.NoArgs,
		RunE:        func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "contiv lab"},
	}
	cmd.PersistentFlags().StringVar(&w.dir, "dir", lab.DefaultDir, "directory of all labs")
	cmd.PersistentFlags().StringVar(&w.name, "name", "", "name of the lab (default \""+defaultName+"\", or the only one there is)")
	cmd.AddCommand(newUp(w), newDemo(w), newDown(w), newLs(w), newAttach(w), newDetach(w), newExec(w), newPing(w), newTCP(w), newTalk(w), newResolve(w), newDNS(w), newRouter(w), newOutside(w), newVtysh(w),
		newLabel(w), newKubectl(w), newServe(w), newAsk(w), newRate(w), newDelay(w), newEnv(w), newLogs(w), newHost(), newCNI(w), newEcho(w))
	for _, v := range verbs() {
		cmd.AddCommand(newVerb(w, v))
	}
	cmd.AddCommand(newStart(w))
	return cmd
}

func datapathFlag(f *pflag.FlagSet, p *lab.Plan) {
	f.StringVar(&p.Datapath, "datapath", lab.DatapathAuto, "datapath of the switches: system (kernel), netdev (user space), or auto: the kernel's, if it has one")
}

type upOptions struct {
	plan lab.Plan
	pods podOptions
}

func newUp(w *where) *cobra.Command {
	o := &upOptions{}
	cmd := &cobra.Command{
		Use: "up", Short: "Make a lab and start everything on it", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runUp(cmd.Context(), w, o) },
	}
	f := cmd.Flags()
	f.IntVar(&o.plan.Hosts, "hosts", 3, "number of hosts")
	datapathFlag(f, &o.plan)
	f.IntVar(&o.plan.Uplinks, "uplinks", 1, "number of NICs that every host has in the VLAN trunk")
	f.BoolVar(&o.plan.LACP, "lacp", false, "the uplinks of a host lead to a switch that speaks LACP, and netplugin does too")
	f.IntVar(&o.plan.Masters, "masters", 0, "number of netmasters, on the first hosts (default 3, or one a host if there are fewer)")
	f.StringVar(&o.plan.Store, "store", lab.StoreEmbedded, "store: embedded, etcd or consul")
	f.BoolVar(&o.plan.Joined, "join", false, "hosts become a cluster by contiv init and contiv join, as real ones do")
	f.BoolVar(&o.plan.Insecure, "insecure", false, "plain HTTP to everyone, in place of certificates")
	f.BoolVar(&o.plan.Bare, "bare", false, "only hosts and switches")
	f.StringVar(&o.plan.Bin, "bin", "", "directory of netmaster, netplugin and contivk8s (default: that of contiv)")
	f.BoolVar(&o.plan.Docker, "docker", false, "a Docker engine on every host, with the image "+lab.Image)
	f.StringVar(&o.plan.DockerBin, "docker-bin", "", "directory of dockerd, docker, containerd and runc, as make engines builds it; implies --docker (default: the machine's dockerd)")
	f.StringArrayVar(&o.plan.DockerFlags, "docker-flag", nil, "one more argument for every Docker engine; may be repeated")
	o.pods.flags(f)
	f.BoolVar(&o.plan.Debug, "debug", false, "have netmaster and netplugin log details")
	f.StringArrayVar(&o.plan.Master, "master-flag", nil, "one more argument for every netmaster; may be repeated")
	f.StringArrayVar(&o.plan.Agent, "agent-flag", nil, "one more argument for every netplugin; may be repeated")
	return cmd
}

func runUp(ctx context.Context, w *where, o *upOptions) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	p := o.plan
	p.Name, p.Dir = cmp.Or(w.name, defaultName), w.dir
	if p.Masters == 0 {
		p.Masters = min(3, p.Hosts)
	}
	if p.Bin == "" {
		p.Bin = filepath.Dir(self)
	}
	if p.Bin, err = filepath.Abs(p.Bin); err != nil {
		return err
	}
	if p.Dir, err = filepath.Abs(p.Dir); err != nil {
		return err
	}
	if p.DockerBin != "" {
		p.Docker = true
		if p.DockerBin, err = filepath.Abs(p.DockerBin); err != nil {
			return err
		}
	}
	if p.Kubernetes, err = o.pods.kubernetes(); err != nil {
		return err
	}
	l, err := lab.New(p, self, w.s.Err)
	if err != nil {
		return err
	}
	if err := l.Up(ctx); err != nil {
		return fmt.Errorf("%w\ncontiv lab down --dir %s --name %s removes what was made", err, w.dir, p.Name)
	}
	return nil
}

func newDown(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "End every process of the lab and remove all that it made", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			name, err := w.existing()
			if err != nil {
				return err
			}
			return lab.Down(cmd.Context(), w.dir, name, w.s.Err)
		},
	}
}

// verb returns a command for one part of one host.
type verb struct {
	name, short string
	do          func(l *lab.Lab, host, part string) error
}

// parts are the arguments of such a command.
const parts = " HOST PART"

// whichParts lists their values.
func whichParts() string {
	return "Parts are " + strings.Join(lab.PartNames, ", ") + ";\ncontiv lab ls lists those of each host."
}

func verbs() []verb {
	return []verb{
		{"kill", "End a part at once (SIGKILL)", func(l *lab.Lab, h, p string) error { return l.Kill(h, p) }},
		{"stop", "Ask a part to end (SIGTERM) and wait until it has", func(l *lab.Lab, h, p string) error { return l.Stop(h, p) }},
		{"reload", "Make a part read its configuration again (SIGHUP)", func(l *lab.Lab, h, p string) error { return l.Reload(h, p) }},
		{"pause", "Keep a part from running (SIGSTOP)", func(l *lab.Lab, h, p string) error { return l.Pause(h, p) }},
		{"resume", "Let a paused part run on", func(l *lab.Lab, h, p string) error { return l.Resume(h, p) }},
	}
}

func newVerb(w *where, v verb) *cobra.Command {
	return &cobra.Command{
		Use: v.name + parts, Short: v.short, Long: v.short + ".\n\n" + whichParts(), Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			return v.do(l, args[0], args[1])
		},
	}
}

func newStart(w *where) *cobra.Command {
	launch := false
	const short = "Start a part again with the same flags, and more for this time, and wait until it is ready"
	c := &cobra.Command{
		Use: "start" + parts + " [-- FLAG...]", Short: short, Long: short + ".\n\n" + whichParts(),
		Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			if launch {
				return l.Launch(args[0], args[1], args[2:]...)
			}
			return l.Start(cmd.Context(), args[0], args[1], args[2:]...)
		},
	}
	c.Flags().BoolVar(&launch, "no-wait", false, "do not wait until it is ready")
	return c
}

func newEnv(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "env", Short: "Print the shell variables that point netctl, and kubectl, at the lab", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			env, err := l.Env()
			if err != nil {
				return err
			}
			fmt.Fprintf(w.s.Out, "export %s\n", strings.Join(env, " "))
			if l.Kubernetes != nil {
				fmt.Fprintf(w.s.Out, "export KUBECONFIG=%s PATH=%s:$PATH\n", l.Kubeconfig(), l.Kubernetes.Bin)
			}
			return nil
		},
	}
}

func newLogs(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "logs" + parts, Short: "Print the log of a part", Long: "Print the log of a part.\n\n" + whichParts(), Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			f, err := os.Open(l.LogFile(args[0], args[1]))
			if err != nil {
				return fmt.Errorf("%s has no log of %s: %w", args[0], args[1], err)
			}
			defer f.Close()
			_, err = io.Copy(w.s.Out, f)
			return err
		},
	}
}

// foreground runs a program for the user and returns its exit code.
func (w *where) foreground(cmd *exec.Cmd) error {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.s.In, w.s.Out, w.s.Err
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return &ExitError{exit.ExitCode()}
	}
	return err
}
