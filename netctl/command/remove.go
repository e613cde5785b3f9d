// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

type removeOptions struct {
	scope
	kind *model.Kind
	name string // as the user typed it
	waiting
}

func newRemove(f *Factory, k *model.Kind) *cobra.Command {
	o := &removeOptions{kind: k}
	c := &cobra.Command{
		Use: "rm", Aliases: []string{"delete"}, Short: "Delete " + article(k.Noun()), Args: objectArgs(k),
		ValidArgsFunction: complete(f, k, &o.scope),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = model.Key(args...)
			return runRemove(cmd.Context(), f, o)
		},
	}
	o.scope.register(c, k)
	o.waiting.register(c)
	return c
}

func runRemove(ctx context.Context, f *Factory, o *removeOptions) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	key, err := o.find(ctx, c, o.kind, o.name)
	if err != nil {
		return err
	}
	if o.kind.Command.Deleting != "" { // scripts of the original expect this before the answer
		field := func(name string) string { return key[slices.Index(o.kind.Key, name)] }
		if err := printf(f.Out, "%s\n", model.Fill(o.kind.Command.Deleting, field)); err != nil {
			return err
		}
	}
	rev, err := c.Delete(ctx, o.kind, key...)
	if err != nil {
		return err
	}
	return o.await(ctx, f, c, rev)
}
