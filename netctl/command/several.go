// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/manifest"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// group is objects of one kind, nodes, or Docker networks.
type group struct {
	title string
	term.Listing
	items []any
}

// runGetSeveral prints objects of several kinds or names, or those of an earlier moment: tables below the names of their kinds, or one list.
func runGetSeveral(ctx context.Context, f *Factory, o *getOptions, list []target) error {
	at, err := momentOf(f, "at", o.at)
	if err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	c = c.AsOf(at)
	scoped := slices.ContainsFunc(list, func(w target) bool { return w.kind != nil && w.kind.TenantScoped() && len(w.names) == 0 })
	if scoped && !o.all {
		if _, err := c.Tenants().Get(ctx, o.tenant); err != nil {
			return err
		}
	}
	var groups []*group
	for _, w := range list {
		g, err := o.group(ctx, c, format, w)
		if err != nil {
			return err
		}
		if len(g.items) > 0 || len(list) == 1 {
			groups = append(groups, g)
		}
	}
	if !format.Tabular() {
		return f.merged(format, groups, len(list) == 1 && len(list[0].names) == 1)
	}
	return f.groups(format, groups, len(list) > 1)
}

// groups prints groups as tables, each below the name of its kind if they are titled.
func (f *Factory) groups(format term.Format, groups []*group, titled bool) error {
	for i, g := range groups {
		title := g.title + "\n"
		if i > 0 {
			title = "\n" + title
		}
		if titled {
			if err := printf(f.Out, "%s", title); err != nil {
				return err
			}
		}
		if err := f.print(&g.Listing, format); err != nil {
			return err
		}
	}
	return nil
}

// merged prints groups as one list, or the only object of one.
func (f *Factory) merged(format term.Format, groups []*group, one bool) error {
	all, bare, whole := []any{}, map[string]any{}, &term.Listing{}
	for _, g := range groups {
		all = append(all, g.items...)
		bare[g.title] = g.Value
		whole.Names = append(whole.Names, g.Names...)
	}
	if whole.Value = all; format.Bare {
		whole.Value = bare
	}
	if one && len(all) == 1 {
		whole.Value = all[0]
	}
	if len(groups) == 1 && format.Rows() {
		return f.print(&groups[0].Listing, format)
	}
	return f.print(whole, format)
}

// group gets the objects of a kind, the nodes, or Docker networks.
func (o *getOptions) group(ctx context.Context, c *client.Client, format term.Format, w target) (*group, error) {
	if w.docknets {
		return docknetGroup(ctx, c, format, w.names)
	}
	if w.kind == nil {
		return nodeGroup(ctx, c, format, w.names)
	}
	g := &group{title: w.kind.Many, Listing: term.Listing{Table: term.Table{Columns: o.columns(w.kind, format)}}}
	if format.Bare {
		g.title = w.kind.Plural
	}
	var plain []any
	add := func(key string, field func(string) any, value any) {
		g.Row(fullName(w.kind, key), term.Row(g.Columns, field))
		g.items, plain = append(g.items, kinded{w.kind, value}), append(plain, value)
		g.Value = plain
	}
	if w.kind.InspectOnly {
		return g, o.endpoints(ctx, c, w, add)
	}
	objects, err := o.objects(ctx, c, format, w)
	for _, object := range objects {
		add(object.ObjectKey(), object.Field, object)
	}
	return g, err
}

// objects returns the wanted objects of a kind.
func (o *getOptions) objects(ctx context.Context, c *client.Client, format term.Format, w target) (out []model.Object, err error) {
	of := &listOptions{scope: o.scope, kind: w.kind, all: o.all}
	if len(w.names) == 0 {
		out, err = summarizedList(ctx, c, w.kind, format, client.Labels(o.labels))
		return slices.DeleteFunc(out, func(object model.Object) bool { return !of.selects(object) }), err
	}
	for _, name := range w.names {
		key, err := o.find(ctx, c, w.kind, name)
		if err != nil {
			return nil, err
		}
		object, err := summarizedObject(ctx, c, w.kind, format, key)
		if err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	return out, nil
}

// summarizedObject returns one object, with its summary if its kind has some and its table is printed.
func summarizedObject(ctx context.Context, c *client.Client, k *model.Kind, format term.Format, key []string) (model.Object, error) {
	object, err := c.Get(ctx, k, key...)
	if columns, _, _ := k.SummaryColumns(); err != nil || len(columns) == 0 || !format.Rows() {
		return object, err
	}
	field := nameArg(k)
	list, err := summarizedList(ctx, c, k, format, client.Fields(fmt.Sprint(field, "=", object.Field(field))))
	for _, one := range list {
		if one.ObjectKey() == object.ObjectKey() {
			return one, err
		}
	}
	return object, err
}

// objectAt returns an object as it was at a moment.
func objectAt(ctx context.Context, c *client.Client, k *model.Kind, key, at string) (model.Object, error) {
	text, err := c.ObjectAt(ctx, k, key, at)
	if err != nil {
		return nil, err
	}
	object := k.New()
	return object, local(json.Unmarshal(text, object))
}

// endpoints adds the wanted endpoints.
func (o *getOptions) endpoints(ctx context.Context, c *client.Client, w target, add func(key string, field func(string) any, value any)) error {
	for _, name := range w.names {
		key, err := o.find(ctx, c, w.kind, name)
		if err != nil {
			return err
		}
		var answer struct{ Oper model.EndpointOper }
		if err := c.InspectRaw(ctx, w.kind, &answer, key...); err != nil {
			return err
		}
		add(answer.Oper.Key, answer.Oper.Field, &answer.Oper)
	}
	if len(w.names) > 0 {
		return nil
	}
	all, err := c.Endpoints().List(ctx, client.Labels(o.labels))
	of := &endpointListOptions{kind: w.kind}
	if !o.all {
		of.tenant = o.tenant
	}
	for _, e := range all {
		if of.selects(e) {
			add(e.Key, e.Field, e)
		}
	}
	return err
}

// manifests prints objects as a file for apply: documents of YAML, or one list in other formats.
func (f *Factory) manifests(format term.Format, objects []model.Object) error {
	if format.Name == "yaml" || format.Tabular() {
		for _, object := range objects {
			if err := local(manifest.Write(f.Out, object)); err != nil {
				return err
			}
		}
		return nil
	}
	l, kept := &term.Listing{}, []any{}
	for _, object := range objects {
		l.Names = append(l.Names, fullName(object.Kind(), object.ObjectKey()))
		if kept = append(kept, kinded{object.Kind(), object}); format.Bare {
			kept[len(kept)-1] = object
		}
	}
	l.Value = kept
	return f.print(l, format)
}
