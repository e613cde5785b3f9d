// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

// addAppProfile adds the special verbs of application profiles: update, which is an alias of create, and the list of a profile's groups.
func addAppProfile(f *Factory, k *model.Kind, c *cobra.Command) {
	update, o := newCreate(f, k)
	update.Use, update.Short = "update", "Replace the groups of an application profile"
	o.silent = true
	c.AddCommand(update, newProfileGroups(f, k))
}

func newProfileGroups(f *Factory, k *model.Kind) *cobra.Command {
	s, o := &scope{}, &output{}
	all := false
	c := &cobra.Command{
		Use: "group-ls", Aliases: []string{"group-list"}, Short: "List the groups of an application profile",
		Args: named(k.Command.Names, 1, false), ValidArgsFunction: complete(f, k, s),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runProfileGroups(cmd.Context(), f, s, o, args[0])
		},
	}
	s.register(c, k)
	o.register(c)
	c.Flags().BoolVarP(&all, "all", "a", false, "ignored, for old scripts")
	return c
}

func runProfileGroups(ctx context.Context, f *Factory, s *scope, o *output, name string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	of, err := s.find(ctx, c, model.KindAppProfile(), name)
	if err != nil {
		return err
	}
	p, err := c.AppProfiles().Get(ctx, of...)
	if err != nil {
		return err
	}
	if o.json || !format.Tabular() && !format.Names() {
		return f.answer(answer{value: p}, format)
	}
	return printf(f.Out, "%s", strings.Join(p.EndpointGroups, ",")) // without a newline, as scripts expect
}
