// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// group is the objects of one kind.
type group struct {
	kind    *model.Kind
	objects []any
	fields  []func(name string) any // of the objects
	names   []string                // keys of the objects
}

// runGetAll prints the objects of every kind that has a command: those of the tenant, and those without a tenant.
func runGetAll(ctx context.Context, f *Factory, o *listOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if !o.all {
		if _, err := c.Tenants().Get(ctx, o.tenant); err != nil {
			return err
		}
	}
	value := map[string][]any{}
	var groups []group
	for _, k := range model.UserKinds() {
		g, err := groupOf(ctx, c, k, o)
		if err != nil {
			return err
		}
		if len(g.objects) > 0 {
			groups, value[k.Plural] = append(groups, g), g.objects
		}
	}
	if !format.Tabular() && !format.Names() {
		return local(format.Write(f.Out, value))
	}
	for i, g := range groups {
		if err := g.print(f, o.columns(g.kind, format), format, i > 0); err != nil {
			return err
		}
	}
	return nil
}

// groupOf gets the objects of a kind that the options select.
func groupOf(ctx context.Context, c *client.Client, k *model.Kind, o *listOptions) (group, error) {
	g := group{kind: k}
	if o.labels != "" && !k.Labelled() {
		return g, nil
	}
	if k.InspectOnly {
		all, err := c.Endpoints().List(ctx, client.Labels(o.labels))
		if err != nil {
			return g, err
		}
		of := &endpointListOptions{kind: k}
		if !o.all {
			of.tenant = o.tenant
		}
		for _, e := range all {
			if of.selects(e) {
				g.add(e, e.Field, e.Key)
			}
		}
		return g, nil
	}
	objects, err := c.List(ctx, k, client.Labels(o.labels))
	if err != nil {
		return g, err
	}
	of := &listOptions{scope: o.scope, kind: k, all: o.all}
	for _, object := range objects {
		if of.selects(object) {
			g.add(object, object.Field, object.ObjectKey())
		}
	}
	return g, nil
}

func (g *group) add(object any, field func(string) any, name string) {
	g.objects, g.fields, g.names = append(g.objects, object), append(g.fields, field), append(g.names, name)
}

// print writes the group as a table below its kind's name, or its names in the form of fullName, one per line.
func (g *group) print(f *Factory, columns []model.Column, format term.Format, blank bool) error {
	if !format.Tabular() {
		for _, name := range g.names {
			if err := printf(f.Out, "%s\n", fullName(g.kind, name)); err != nil {
				return err
			}
		}
		return nil
	}
	title := g.kind.Many + "\n"
	if blank {
		title = "\n" + title
	}
	if err := printf(f.Out, "%s", title); err != nil {
		return err
	}
	t := &term.Table{Columns: columns}
	for _, field := range g.fields {
		t.Add(term.Row(t.Columns, field))
	}
	return local(t.Write(f.Out))
}
