// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/netctl/contexts"
	"github.com/contiv/contiv/netctl/term"
)

func newConfig(f *Factory) *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Change the contexts, which are the clusters that you work with, and aliases of commands",
		Long: "A context is a cluster, a user of it, and a default tenant. The file is contiv/config.yaml in $XDG_CONFIG_HOME (default: ~/.config).\n\n" +
			"Commands use the context of --context, else the netmasters of --netmaster or $NETMASTER, else the current context, else the cluster of this host.",
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil }, // a context that is wrong can be changed
	}
	c.AddCommand(newConfigView(f), newGetContexts(f), newCurrentContext(f), newUseContext(f), newSetContext(f), newDeleteContext(f),
		newGetAliases(f), newSetAlias(f), newDeleteAlias(f))
	return c
}

// contexts reads the user's file.
func (f *Factory) contexts() (*contexts.Config, error) {
	c, err := contexts.Load(contexts.Path(f.Getenv, f.Home))
	return c, local(err)
}

// completeContext completes the names of contexts.
func completeContext(f *Factory) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		c, err := f.contexts()
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.Names(), cobra.ShellCompDirectiveNoFileComp
	}
}

func newConfigView(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "view", Short: "Print the file of contexts, which contains no secrets", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			format, err := o.parse()
			if err != nil {
				return err
			}
			c, err := f.contexts()
			if err != nil {
				return err
			}
			text, err := c.Text()
			if err != nil {
				return local(err)
			}
			if format.Tabular() || format.Name == "yaml" {
				return printf(f.Out, "%s", text) // with its comments
			}
			if text, err = yaml.YAMLToJSON(text); err != nil {
				return local(err)
			}
			return f.answer(answer{names: c.Names(), value: json.RawMessage(text)}, format)
		},
	}
	o.registerOutput(c, "yaml")
	return c
}

func newGetContexts(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "get-contexts [NAME]", Short: "List the contexts", Args: cobra.MaximumNArgs(1), ValidArgsFunction: completeContext(f),
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := o.parse()
			if err != nil {
				return err
			}
			c, err := f.contexts()
			if err != nil {
				return err
			}
			names, all := c.Names(), []*contexts.Context{}
			if len(args) == 1 {
				names = args
			}
			l := &term.Listing{Table: term.Table{Columns: columns("Current", "Name", "Cluster", "User", "Tenant", "Servers")}}
			for _, name := range names {
				one, err := c.Context(name)
				if err != nil {
					return local(err)
				}
				mark := ""
				if name == c.Current() {
					mark = "*"
				}
				all = append(all, one)
				l.Row(name, []string{mark, name, one.Cluster, one.User, one.Tenant, fmt.Sprint(len(one.Servers))})
			}
			l.Value = all
			return f.print(l, format)
		},
	}
	o.register(c)
	return c
}

func newCurrentContext(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "current-context", Short: "Print the name of the current context", Args: exactly(),
		RunE: func(*cobra.Command, []string) error {
			format, err := o.parse()
			if err != nil {
				return err
			}
			c, err := f.contexts()
			if err != nil {
				return err
			}
			if c.Current() == "" {
				return local(fmt.Errorf("there is no current context: netctl config use-context NAME sets one"))
			}
			one, err := c.Context(c.Current())
			if err != nil && !format.Tabular() && !format.Names() {
				return local(err)
			}
			return f.answer(answer{c.Current() + "\n", []string{c.Current()}, one}, format)
		},
	}
	o.registerOutput(c, "table")
	return c
}

func newUseContext(f *Factory) *cobra.Command {
	dry := dryRun("")
	out := &cobra.Command{
		Use: "use-context NAME", Short: "Make a context the current one", Args: exactly("NAME"), ValidArgsFunction: completeContext(f),
		RunE: func(_ *cobra.Command, args []string) error {
			return f.changeConfig(dry, func(c *contexts.Config) error { return c.Use(args[0]) }, "Switched to context %q.\n", args[0])
		},
	}
	dry.register(out)
	return out
}

func newSetContext(f *Factory) *cobra.Command {
	var change contexts.Context
	current, dry := false, dryRun("")
	c := &cobra.Command{
		Use: "set-context [NAME]", Short: "Add a context, or change one", Args: cobra.MaximumNArgs(1), ValidArgsFunction: completeContext(f),
		Long: "Add a context, or change one. Flags that are left out change nothing.\n\n--server and --ca belong to the cluster of the context, --certificate and --key to its user; without --cluster or --user, these have the name of the context.",
		RunE: func(_ *cobra.Command, args []string) error {
			c, err := f.contexts()
			if err != nil {
				return err
			}
			if current == (len(args) == 1) {
				return term.BadUsage("expected NAME or --current")
			}
			if change.Name = c.Current(); len(args) == 1 {
				change.Name = args[0]
			}
			if change.Name == "" {
				return local(fmt.Errorf("there is no current context: netctl config use-context NAME sets one"))
			}
			did := "created"
			if slices.Contains(c.Names(), change.Name) {
				did = "modified"
			}
			c.Set(change)
			if _, err := c.Context(change.Name); err != nil {
				return local(err)
			}
			if err := saveConfig(c, dry); err != nil {
				return err
			}
			return printf(f.Out, "Context %q %s.\n", change.Name, did)
		},
	}
	c.Flags().BoolVar(&current, "current", false, "change the current context")
	c.Flags().StringVar(&change.Cluster, "cluster", "", "cluster of the context")
	c.Flags().StringVar(&change.User, "user", "", "user of the context")
	c.Flags().StringVarP(&change.Tenant, "tenant", "t", "", "default tenant of commands")
	c.Flags().StringSliceVar(&change.Servers, "server", nil, "base URLs of the cluster's netmasters, separated by commas")
	c.Flags().StringVar(&change.CA, "ca", "", "file with the certificate of the cluster's authority, ca.crt of a host")
	c.Flags().StringVar(&change.Certificate, "certificate", "", "file with the user's certificate, PEM")
	c.Flags().StringVar(&change.Key, "key", "", "file with its key, PEM (default: the file of --certificate)")
	dry.register(c)
	return c
}

func newDeleteContext(f *Factory) *cobra.Command {
	dry := dryRun("")
	out := &cobra.Command{
		Use: "delete-context NAME", Short: "Delete a context, but not its cluster and its user", Args: exactly("NAME"), ValidArgsFunction: completeContext(f),
		RunE: func(_ *cobra.Command, args []string) error {
			return f.changeConfig(dry, func(c *contexts.Config) error { return c.Delete(args[0]) }, "Deleted context %q.\n", args[0])
		},
	}
	dry.register(out)
	return out
}

// saveConfig writes the user's file, unless it is a dry run.
func saveConfig(c *contexts.Config, dry dryRun) error {
	if err := dry.check(); err != nil || dry.on() {
		return err
	}
	return local(c.Save())
}

// changeConfig changes the user's file of contexts, and prints what it has done.
func (f *Factory) changeConfig(dry dryRun, change func(*contexts.Config) error, done string, args ...any) error {
	c, err := f.contexts()
	if err != nil {
		return err
	}
	if err := change(c); err != nil {
		return local(err)
	}
	if err := saveConfig(c, dry); err != nil {
		return err
	}
	return printf(f.Out, done, args...)
}
