// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/netctl/term"
	"github.com/contiv/contiv/sanitize"
)

// Run executes one command line and returns the exit code.
func Run(ctx context.Context, f *Factory, args []string) int {
	defer f.close()
	if f.raw == nil {
		f.given = f.Streams
		f.raw, f.Out, f.Err = f.Out, sanitize.Writer(f.Out), sanitize.Writer(f.Err)
	}
	if name := chosen(args); name != "" && !isCommand(f, name) {
		words, err := f.expanded(args)
		if err != nil {
			f.Fail(err)
			return term.CodeOf(err)
		}
		if args = words; name == args[0] {
			if code, ran := f.plugin(ctx, args); ran {
				return code
			}
		}
	}
	name := chosen(args)
	root := newRoot(f, name)
	root.SetArgs(doubled(root, args))
	var cmd *cobra.Command
	var err error
	if name == "" || isCommand(f, name) {
		cmd, err = root.ExecuteContextC(ctx)
	} else {
		cmd, err = root, unknownCommand(root, name)
	}
	if err == nil {
		return term.OK
	}
	if asJSON(cmd, args) {
		f.FailJSON(err)
		return term.CodeOf(err)
	}
	f.Fail(err)
	var exit *term.Exit
	if errors.As(err, &exit) && exit.Help {
		fmt.Fprintf(f.Err, "see netctl%s --help\n", strings.TrimPrefix(cmd.CommandPath(), root.Name()))
	}
	return term.CodeOf(err)
}

// asJSON reports whether a command has the flag -o json, so that a program reads its output. The original's --json does not count: its
// errors are the original's. asJSON checks the words themselves, because flags after a malformed one are not parsed.
func asJSON(c *cobra.Command, args []string) bool {
	flag := c.Flags().Lookup("output")
	if flag == nil {
		return false
	}
	for i, a := range args {
		if a, ok := strings.CutPrefix(a, "-o"); ok && flag.Shorthand == "" {
			continue // another flag
		} else if ok && (a == "json" || a == "=json") {
			return true
		}
		if a == "--output=json" || (a == "-o" || a == "--output") && i+1 < len(args) && args[i+1] == "json" {
			return true
		}
	}
	return false
}

// Tree returns all commands, for documentation.
func Tree(f *Factory) *cobra.Command { return newRoot(f, "") }

// newRoot returns the tree of commands: all of it, or, if only names a command, just that one, since creating the others takes longer than
// most commands do.
func newRoot(f *Factory, only string) *cobra.Command {
	showVersion := false
	root := &cobra.Command{
		Use:           "netctl",
		Short:         "netctl controls a Contiv cluster",
		SilenceErrors: true, SilenceUsage: true,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			if showVersion {
				fmt.Fprintln(f.Out, "netctl version ")
				build.Print(f.Out, f.Self)
				return nil
			}
			return cmd.Help()
		},
	}
	root.SetOut(f.Out)
	root.SetErr(f.Err)
	root.SetFlagErrorFunc(unknownFlag)
	netmaster := f.Getenv("NETMASTER")
	if netmaster == "" && f.Host != nil {
		netmaster = f.Host()
	}
	if netmaster == "" {
		netmaster = client.DefaultBase
	}
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		f.page(cmd)
		f.work(cmd)
		return f.useContext(cmd)
	}
	flags := root.PersistentFlags()
	flags.StringVar(&f.netmaster, "netmaster", netmaster, "base URLs of netmasters, separated by commas: if one does not answer, the next is tried (default on a host of a cluster: its netmasters) [$NETMASTER]")
	f.asked = flags.Lookup("netmaster")
	flags.StringVar(&f.context, "context", "", "context of netctl config to use (default: the current one, unless --netmaster or $NETMASTER is set)")
	_ = root.RegisterFlagCompletionFunc("context", completeContext(f)) // fails only for an unknown flag
	flags.BoolVar(&f.insecure, "insecure", term.Insecure(f.Getenv), "accept any server certificate [$INSECURE]")
	flags.StringVar(&f.bundle, "bundle", "", "read a support bundle instead of a live cluster (requires the netmaster binary, next to netctl or in $PATH)")
	flags.BoolVar(&f.utc, "utc", false, "print and read times in UTC instead of the time zone of this machine")
	flags.BoolVar(&f.noPager, "no-pager", false, "on a terminal, print without the pager of $PAGER")
	root.Flags().BoolVarP(&showVersion, "version", "v", false, "print the client's version")
	all := tops(f)
	if i := slices.IndexFunc(all, func(t top) bool { return slices.Contains(t.names, only) }); i >= 0 {
		all = all[i : i+1]
		root.CompletionOptions.DisableDefaultCmd = true // it is unnecessary
	}
	for _, t := range all {
		root.AddCommand(t.make())
	}
	if only == cobra.ShellCompRequestCmd || only == cobra.ShellCompNoDescRequestCmd {
		completeAll(f, root)
	}
	addExamples(root)
	sortIntoGroups(root)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			c.Aliases = append(c.Aliases, "h")
		}
		if c.HasSubCommands() && c.RunE == nil {
			needSubcommand(c)
		}
	}
	return root
}

// useContext gives a command the default tenant of its context.
func (f *Factory) useContext(cmd *cobra.Command) error {
	if f.bundle != "" {
		return nil
	}
	if err := f.resolve(); err != nil {
		return err
	}
	tenant := cmd.Flags().Lookup("tenant")
	if c := f.target.Context; c != nil && c.Tenant != "" && tenant != nil && !tenant.Changed && tenant.DefValue == "default" {
		return tenant.Value.Set(c.Tenant)
	}
	return nil
}

// needSubcommand makes a command without arguments print its help, and refuses unknown subcommands.
func needSubcommand(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 || args[0] == "help" || args[0] == "h" {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
}

// unknownFlag adds the flags of similar names to the error about an unknown one.
func unknownFlag(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return term.BadUsage("%v", err)
	}
	var names []string
	c.Flags().VisitAll(func(flag *pflag.Flag) { names = append(names, flag.Name) })
	if alike := model.Alike(unknown.GetSpecifiedName(), names); len(alike) > 0 {
		return term.BadUsage("%v: did you mean --%s?", err, strings.Join(alike, " or --"))
	}
	return term.BadUsage("%v", err)
}

// unknownCommand refuses a word below a command, in the original's words, and suggests similar ones.
func unknownCommand(c *cobra.Command, word string) error {
	c.SuggestionsMinimumDistance = 2
	if alike := c.SuggestionsFor(word); len(alike) > 0 {
		return term.BadUsage("No help topic for '%s': did you mean %s?", word, strings.Join(alike, " or "))
	}
	return term.BadUsage("No help topic for '%s'", word)
}

// exactly requires the arguments with the given names.
func exactly(names ...string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(names) == 0 && len(args) > 0 {
			return term.BadUsage("More arguments than required")
		}
		if len(args) != len(names) {
			return term.BadUsage("expected %d argument(s) (%s), got %d", len(names), strings.Join(names, ", "), len(args))
		}
		return nil
	}
}

// named requires n arguments, described by what; with more, further ones may follow.
func named(what string, n int, more bool) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch {
		case len(args) < n:
			return term.BadUsage("%s required", what)
		case len(args) > n && !more:
			return term.BadUsage("More arguments than required")
		}
		return nil
	}
}

// doubled turns -flag into --flag if that is the long name or an alias of a flag, as the original accepted it.
func doubled(root *cobra.Command, args []string) []string {
	long := map[string]string{"help": "help"}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		note := func(f *pflag.Flag) {
			long[f.Name] = f.Name
			for _, a := range f.Annotations[aliasOf] {
				long[a] = f.Name
			}
		}
		c.Flags().VisitAll(note)
		c.PersistentFlags().VisitAll(note)
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(root)
	out := make([]string, 0, len(args))
	for i, a := range args {
		if a == "--" {
			return append(out, args[i:]...)
		}
		name, value, has := strings.Cut(strings.TrimLeft(a, "-"), "=")
		if full := long[name]; full != "" && len(name) > 1 && strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "---") {
			a = "--" + full
			if has {
				a += "=" + value
			}
		}
		out = append(out, a)
	}
	return out
}

// aliasOf is the annotation of a flag that lists its other names.
const aliasOf = "alias"

// local wraps local errors: output, files.
func local(err error) error {
	var exit *term.Exit
	if err == nil || errors.As(err, &exit) {
		return err
	}
	return &term.Exit{Code: term.Local, Err: err}
}

func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return local(err)
}
