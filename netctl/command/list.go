// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type listOptions struct {
	scope
	output
	selection
	kind *model.Kind
	all  bool
}

func newList(f *Factory, k *model.Kind) *cobra.Command {
	o := &listOptions{kind: k}
	c := &cobra.Command{
		Use: "ls", Aliases: []string{"list"}, Short: "List " + k.Nouns(), Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runList(cmd.Context(), f, o) },
	}
	if k.Namespaced() {
		o.registerNamespace(c, "only this namespace")
	} else {
		o.scope.register(c, k)
	}
	o.output.register(c)
	o.selection.register(c, k)
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "watch for changes")
	if k.TenantScoped() {
		c.Flags().BoolVarP(&o.all, "all", "a", false, "all tenants")
	}
	return c
}

func runList(ctx context.Context, f *Factory, o *listOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if o.watch {
		if err := o.exists(ctx, c); err != nil {
			return err
		}
		return watchList(ctx, f, c, o, format)
	}
	n, l, err := paged[model.Object]{o.kind, o.columns(o.kind, format), format, o.selects, model.Object.ObjectKey}.print(f, summarizedPages(ctx, c, o.kind, format, o.pages()...))
	if err != nil || n > 0 {
		return err
	}
	if err := o.exists(ctx, c); err != nil {
		return err
	}
	if o.kind.Owner != "" && format.Tabular() && !o.given() {
		return o.none(ctx, f, c)
	}
	return f.print(l, format)
}

// summarizedPages lists objects with the summary that their table shows; --json has the objects as the original printed them.
func summarizedPages(ctx context.Context, c *client.Client, k *model.Kind, format term.Format, options ...client.Option) iter.Seq2[[]model.Object, error] {
	if columns, _, _ := k.SummaryColumns(); len(columns) == 0 || format.Bare || format.Names() && format.Sort == "" {
		return c.Pages(ctx, k, options...)
	}
	return withHits(ctx, c, k, format, c.Summarized(ctx, k, options...))
}

// summarizedList returns all objects of summarizedPages.
func summarizedList(ctx context.Context, c *client.Client, k *model.Kind, format term.Format, options ...client.Option) (out []model.Object, _ error) {
	for page, err := range summarizedPages(ctx, c, k, format, options...) {
		if err != nil {
			return nil, err
		}
		out = append(out, page...)
	}
	return out, nil
}

// none returns why there are no objects of another owner.
func (o *listOptions) none(ctx context.Context, f *Factory, c *client.Client) error {
	status, err := c.Kubernetes(ctx)
	if err != nil {
		return err
	}
	if !status.Wanted || status.Missing != "" || o.namespace == "" {
		return printf(f.Out, "%s\n", status.None(o.kind))
	}
	if _, err := c.Get(ctx, model.KindKubeNamespace(), o.namespace); err != nil {
		return err
	}
	return printf(f.Out, "namespace %s has no %s\n", o.namespace, o.kind.Noun())
}

// exists returns an error if the requested tenant does not exist.
func (o *listOptions) exists(ctx context.Context, c *client.Client) error {
	if !o.kind.TenantScoped() {
		return nil
	}
	_, err := c.Tenants().Get(ctx, o.tenant)
	return err
}

func (o *listOptions) selects(object model.Object) bool {
	if o.kind.Namespaced() {
		return o.namespace == "" || object.Field("namespace") == o.namespace
	}
	return !o.kind.TenantScoped() || o.all || object.Field("tenantName") == o.tenant
}
