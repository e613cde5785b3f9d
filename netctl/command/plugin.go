// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/netctl/term"
)

// pluginPrefix begins the names of programs that are commands of netctl.
const pluginPrefix = "netctl-"

func newPlugin(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use: "plugin", Short: "List the plugins: programs netctl-NAME in $PATH, which run as netctl NAME",
		Long: "netctl NAME runs the program netctl-NAME of $PATH with the remaining arguments, if netctl has no command and no alias of that name. netctl A B\n" +
			"runs netctl-A-B if it exists, else netctl-A. The program gets the environment of netctl; global flags before NAME are refused.",
		Args: exactly(),
	}
	o := &output{}
	ls := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List the plugins in $PATH", Args: exactly(),
		RunE: func(*cobra.Command, []string) error { return runPlugins(f, o) },
	}
	o.register(ls)
	c.AddCommand(ls)
	return c
}

// plugin is a program in $PATH.
type plugin struct {
	Name   string `json:"name"`
	Path   string `json:"path"`
	Reason string `json:"reason,omitempty"` // why it does not run
}

func runPlugins(f *Factory, o *output) error {
	format, err := o.parse()
	if err != nil {
		return err
	}
	list := plugins(f, filepath.SplitList(f.Getenv("PATH")))
	l := &term.Listing{Table: term.Table{Columns: columns("Name", "Path", "Reason")}, Value: list}
	for _, p := range list {
		l.Row(p.Name, []string{p.Name, p.Path, p.Reason})
	}
	return f.print(l, format)
}

// plugins lists the plugins of directories.
func plugins(f *Factory, dirs []string) []plugin {
	out, seen := []plugin{}, map[string]string{}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // as shells do
		}
		for _, e := range entries {
			name, ok := strings.CutPrefix(e.Name(), pluginPrefix)
			info, err := os.Stat(filepath.Join(dir, e.Name()))
			if !ok || err != nil || !info.Mode().IsRegular() {
				continue
			}
			p := plugin{Name: strings.ReplaceAll(name, "-", " "), Path: filepath.Join(dir, e.Name())}
			first, _, _ := strings.Cut(name, "-")
			switch {
			case info.Mode()&0o111 == 0:
				p.Reason = "not executable: run chmod +x on it"
			case isCommand(f, first):
				p.Reason = "never runs: netctl " + first + " is a command"
			case seen[name] != "":
				p.Reason = "never runs: " + seen[name] + " comes first in $PATH"
			default:
				seen[name] = p.Path
			}
			out = append(out, p)
		}
	}
	return out
}

// isCommand reports whether netctl has a command of a name.
func isCommand(f *Factory, name string) bool {
	own := []string{"help", "h", "completion", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}
	return slices.Contains(own, name) || slices.ContainsFunc(tops(f), func(t top) bool { return slices.Contains(t.names, name) })
}

// pluginOf returns the program for a command line, with the longest name, and its arguments; "" if there is none.
func pluginOf(args []string) (path string, rest []string) {
	n := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") || strings.ContainsRune(a, filepath.Separator) })
	if n < 0 {
		n = len(args)
	}
	for ; n > 0; n-- {
		if path, err := exec.LookPath(pluginPrefix + strings.Join(args[:n], "-")); err == nil {
			return path, args[n:]
		}
	}
	return "", nil
}

// plugin runs the plugin of a command line, if there is one, until it ends.
func (f *Factory) plugin(ctx context.Context, args []string) (code int, ran bool) {
	path, rest := pluginOf(args)
	if path == "" {
		return 0, false
	}
	c := exec.CommandContext(ctx, path, rest...)
	c.Stdin, c.Stdout, c.Stderr = f.given.In, f.given.Out, f.given.Err
	err := c.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return term.OK, true
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return exit.ExitCode(), true
	}
	f.Fail(local(err))
	return term.Local, true
}
