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
	writing
	cascading
}

func newRemove(f *Factory, k *model.Kind) *cobra.Command {
	o := &removeOptions{kind: k}
	c := &cobra.Command{
		Use: "rm", Aliases: []string{"delete"}, Short: "Delete " + article(k.Noun()), Args: objectArgs(k),
		ValidArgsFunction: complete(f, k, &o.scope),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = model.Key(args...)
			if o.cascade {
				return runCascade(cmd.Context(), f, o)
			}
			return runRemove(cmd.Context(), f, o)
		},
	}
	o.scope.register(c, k)
	o.writing.register(c)
	if k == model.KindTenant() {
		o.cascading.register(c)
	}
	return c
}

func runRemove(ctx context.Context, f *Factory, o *removeOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	key, err := o.find(ctx, c, o.kind, o.name)
	if err != nil {
		return err
	}
	if o.dryRun.on() {
		if _, err := c.Get(ctx, o.kind, key...); err != nil {
			return err
		}
		p := &portions{c: c, dry: true}
		if err := p.send(ctx, nil, []model.ApplyObject{keyed(o.kind, key)}); err != nil {
			return err
		}
		return p.report(f, format)
	}
	if o.kind.Command.Deleting != "" && format.Tabular() { // scripts of the original expect this before the answer
		field := func(name string) string { return key[slices.Index(o.kind.Key, name)] }
		if err := printf(f.Out, "%s\n", model.Fill(o.kind.Command.Deleting, field)); err != nil {
			return err
		}
	}
	rev, err := c.Delete(ctx, o.kind, key...)
	if err != nil {
		return err
	}
	if !format.Tabular() {
		done := []changedObject{{Kind: o.kind.Name, Key: model.Key(key...), Action: model.ActionDeleted, Revision: rev}}
		if err := f.changed(format, done, nil); err != nil {
			return err
		}
	}
	return o.await(ctx, f, c, rev)
}
