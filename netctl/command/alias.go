// SPDX-License-Identifier: Apache-2.0

package command

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/netctl/contexts"
	"github.com/contiv/contiv/netctl/term"
)

// expanded replaces the first word of a command line by the command line of an alias, if the user's file has one of that name. Further
// arguments follow it.
func (f *Factory) expanded(args []string) ([]string, error) {
	if len(args) == 0 {
		return args, nil
	}
	c, err := contexts.Load(contexts.Path(f.Getenv, f.Home))
	if err != nil {
		return args, nil // commands that need the file report the error
	}
	line, ok := c.Aliases()[args[0]]
	if !ok {
		return args, nil
	}
	words, err := splitWords(line)
	if err != nil {
		return nil, term.BadUsage("alias %s: %v", args[0], err)
	}
	return append(words, args[1:]...), nil
}

// splitWords splits a command line at blanks, except between quotes.
func splitWords(line string) (out []string, _ error) {
	var word strings.Builder
	started, quote := false, rune(0)
	for _, r := range line {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote == 0 && (r == '\'' || r == '"'):
			quote, started = r, true
		case quote == 0 && r == ' ':
			if started {
				out = append(out, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(r)
			started = true
		}
	}
	if quote != 0 {
		return nil, term.BadUsage("got %s, want the quote %c to end", line, quote)
	}
	if started {
		out = append(out, word.String())
	}
	return out, nil
}

func newGetAliases(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "get-aliases", Short: "List the aliases of commands", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			format, err := o.parse()
			if err != nil {
				return err
			}
			c, err := f.contexts()
			if err != nil {
				return err
			}
			type alias struct {
				Name    string `json:"name"`
				Command string `json:"command"`
			}
			l, list := &term.Listing{Table: term.Table{Columns: columns("Name", "Command")}}, []alias{}
			for _, name := range c.AliasNames() {
				list = append(list, alias{name, c.Aliases()[name]})
				l.Row(name, []string{name, c.Aliases()[name]})
			}
			l.Value = list
			return f.print(l, format)
		},
	}
	o.register(c)
	return c
}

func newSetAlias(f *Factory) *cobra.Command {
	dry := dryRun("")
	c := &cobra.Command{
		Use: "set-alias NAME COMMAND", Short: "Add an alias of a command, or change one", Args: exactly("NAME", "COMMAND"),
		Long:    "netctl NAME ARGUMENTS runs netctl COMMAND ARGUMENTS. An alias cannot replace a command.",
		Example: "  netctl config set-alias web 'get endpoints -t shop'\n  netctl web -o wide",
		RunE: func(_ *cobra.Command, args []string) error {
			name := args[0]
			if isCommand(f, name) || strings.HasPrefix(name, "-") || strings.ContainsAny(name, " \t") || name == "" {
				return term.BadUsage("NAME: got %q, want a word that is no command", name)
			}
			words, err := splitWords(args[1])
			if err != nil {
				return err
			}
			if len(words) == 0 || !isCommand(f, words[0]) {
				return term.BadUsage("COMMAND: got %q, want a command of netctl, such as 'get endpoints -t shop'", args[1])
			}
			set := func(c *contexts.Config) error {
				c.SetAlias(name, args[1])
				return nil
			}
			return f.changeConfig(dry, set, "Alias %q set.\n", name)
		},
	}
	dry.register(c)
	return c
}

func newDeleteAlias(f *Factory) *cobra.Command {
	dry := dryRun("")
	c := &cobra.Command{
		Use: "delete-alias NAME", Short: "Delete an alias", Args: exactly("NAME"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			c, err := f.contexts()
			if err != nil || len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return c.AliasNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			return f.changeConfig(dry, func(c *contexts.Config) error { return c.DeleteAlias(args[0]) }, "Alias %q deleted.\n", args[0])
		},
	}
	dry.register(c)
	return c
}
