// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

// kindOf finds the kind with a name: its type, its plural or its command, in any case.
func kindOf(name string) (*model.Kind, error) {
	k, ok := model.KindOf(name)
	if !ok {
		if alike := model.Alike(name, slices.Compact(slices.Sorted(slices.Values(append(kindNames(), commandNames()...))))); len(alike) > 0 {
			return nil, term.BadUsage("unknown kind %q: did you mean %s? netctl explain lists all names", name, strings.Join(alike, " or "))
		}
		return nil, term.BadUsage("unknown kind %q: want one of %s; list all names with netctl explain", name, strings.Join(kindNames(), ", "))
	}
	return k, nil
}

// commandNames are the names of kinds as commands.
func commandNames() (names []string) {
	for _, k := range model.UserKinds() {
		names = append(names, k.Command.Use)
	}
	return names
}

func kindNames() []string {
	var names []string
	for _, k := range model.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func newGet(f *Factory) *cobra.Command {
	o := &getOptions{}
	c := &cobra.Command{
		Use: "get KIND[,KIND...] [NAME...] | KIND/NAME...", Short: "Show objects of any kind", ValidArgsFunction: completeKindAndName(f),
		Long: "KIND is one of the names below, in any case, \"all\" for the objects of every kind, \"nodes\" for masters and agents, or \"docknets\" for Docker\n" +
			"networks. Several kinds are separated by commas. With --at, the objects and endpoints of an earlier moment are shown, as far as the history has them:\n" +
			"it has nothing of nodes, of objects of Kubernetes and of the tags that netmaster chose for networks that were deleted since.\n\n" + kindTable(false),
		Example: "  netctl get networks,groups -t shop\n  netctl get network/front group/web\n  netctl get rules -a --sort-by priority -o custom-columns=RULE:.key,PORT:.port\n" +
			"  netctl get networks --at 2h\n  netctl get endpoints --at yesterday",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 {
				return term.BadUsage("expected KIND [NAME...] or KIND/NAME..., got no arguments")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := o.wanted(args)
			if err != nil {
				return err
			}
			o.tenantGiven = cmd.Flags().Changed("tenant")
			return runGet(cmd.Context(), f, o, list)
		},
	}
	o.output.register(c)
	o.selection.register(c, nil)
	o.registerAs(c, "tenant of the objects")
	o.registerNamespace(c, "only this namespace, for objects of Kubernetes")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "all tenants")
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "watch for changes")
	c.Flags().StringVar(&o.at, "at", "", "show the objects at this moment: "+momentUsage)
	return c
}

// getOptions are those of get.
type getOptions struct {
	listOptions
	at          string
	tenantGiven bool
}

// target is a kind that get shows, all of it or the objects with some names.
type target struct {
	kind     *model.Kind // nil: the nodes, or the Docker networks
	docknets bool
	names    []string
}

// allKinds is an argument of get that is no name of a kind, as are those of isNodes and isDocknets.
const allKinds = "all"

func isNodes(name string) bool {
	return strings.EqualFold(name, "nodes") || strings.EqualFold(name, "node")
}

func isDocknets(name string) bool {
	return strings.EqualFold(name, "docknets") || strings.EqualFold(name, model.FoundDockerNetwork)
}

// wanted parses the arguments: KIND,KIND NAME..., or KIND/NAME several times.
func (o *getOptions) wanted(args []string) (out []target, err error) {
	if ref, ok := identity.ParseRef(args[0]); ok && ref.Name != "" {
		for _, arg := range args {
			ref, ok := identity.ParseRef(arg)
			if !ok || ref.Name == "" {
				return nil, term.BadUsage("got %s after %s, want KIND/NAME", arg, args[0])
			}
			if out, err = wants(out, ref.Kind, ref.Name); err != nil {
				return nil, err
			}
		}
		return out, o.fit(args, out)
	}
	if strings.EqualFold(args[0], allKinds) {
		if len(args) > 1 {
			return nil, term.BadUsage("expected no name after all: remove %s", args[1])
		}
		for _, k := range model.UserKinds() {
			if o.at == "" || k.Owner == "" { // no history of the others is kept
				out = append(out, target{kind: k})
			}
		}
		if o.labels != "" {
			out = slices.DeleteFunc(out, func(w target) bool { return !w.kind.Labelled() })
		}
		return out, o.fit(args, out)
	}
	for name := range strings.SplitSeq(args[0], ",") {
		if out, err = wants(out, name, args[1:]...); err != nil {
			return nil, err
		}
	}
	return out, o.fit(args, out)
}

// wants adds names of a kind to those of the same kind before it.
func wants(list []target, kind string, names ...string) ([]target, error) {
	w := target{names: names, docknets: isDocknets(kind)}
	if !isNodes(kind) && !w.docknets {
		k, err := kindOf(kind)
		if err != nil {
			return nil, err
		}
		w.kind = k
	}
	if i := slices.IndexFunc(list, func(x target) bool { return x.kind == w.kind && x.docknets == w.docknets }); i >= 0 {
		list[i].names = append(list[i].names, names...)
		return list, nil
	}
	return append(list, w), nil
}

// fit checks the flags against the kinds and names.
func (o *getOptions) fit(args []string, list []target) error {
	last := args[len(args)-1]
	named := slices.ContainsFunc(list, func(w target) bool { return len(w.names) > 0 })
	nodes := slices.ContainsFunc(list, func(w target) bool { return w.kind == nil })
	switch {
	case o.watch && (named || nodes || len(list) > 1):
		return term.BadUsage("--watch is only for lists of one kind of objects: got %s", strings.Join(args, " "))
	case o.fields != "" && (named || nodes || len(list) > 1), o.labels != "" && (named || nodes):
		return term.BadUsage("--field-selector and --selector filter lists of objects, --field-selector that of a single kind: remove %s", last)
	case o.at != "" && (nodes || o.watch || o.given()):
		return term.BadUsage("--at shows objects as they were: remove nodes, docknets, --watch, --selector and --field-selector")
	}
	return nil
}

// runGet shows one list or one object as the commands of its kind do, and others as groups.
func runGet(ctx context.Context, f *Factory, o *getOptions, list []target) error {
	if o.at != "" || len(list) != 1 || len(list[0].names) > 1 {
		return runGetSeveral(ctx, f, o, list)
	}
	w := list[0]
	o.kind = w.kind
	switch {
	case w.docknets:
		return runGetDocknets(ctx, f, &o.output, w.names)
	case w.kind == nil:
		return runNodeList(ctx, f, &o.output, w.names...)
	case len(w.names) == 1:
		return runGetOne(ctx, f, &o.listOptions, w.names[0])
	case w.kind.InspectOnly && !o.watch:
		list := &endpointListOptions{output: o.output, selection: o.selection, kind: w.kind}
		if o.tenantGiven && !o.all {
			list.tenant = o.tenant
		}
		return runEndpointList(ctx, f, list)
	}
	return runList(ctx, f, &o.listOptions)
}

func runGetOne(ctx context.Context, f *Factory, o *listOptions, name string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	of, err := o.find(ctx, c, o.kind, name)
	if err != nil {
		return err
	}
	if o.kind.InspectOnly {
		return runGetEndpoint(ctx, f, c, o, format, of)
	}
	object, err := summarizedObject(ctx, c, o.kind, format, of)
	if err != nil {
		return err
	}
	return f.one(o, format, object.Field, of[len(of)-1], object.ObjectKey(), object)
}

// one writes one object as its row, its name or its value.
func (f *Factory) one(o *listOptions, format term.Format, field func(string) any, name, key string, value any) error {
	l := &term.Listing{Table: term.Table{Columns: o.columns(o.kind, format)}, Value: kinded{o.kind, value}}
	if format.Bare {
		l.Value = value
	}
	if format.Name != term.Quiet {
		name = fullName(o.kind, key)
	}
	l.Row(name, term.Row(l.Columns, field))
	format.Sort = ""
	return f.print(l, format)
}

// runGetEndpoint shows one endpoint, which the server finds by its id, its container's, or a part of them.
func runGetEndpoint(ctx context.Context, f *Factory, c *client.Client, o *listOptions, format term.Format, of []string) error {
	k := model.KindEndpoint()
	var answer json.RawMessage
	if err := c.InspectRaw(ctx, k, &answer, of...); err != nil {
		return err
	}
	var found struct{ Oper model.EndpointOper }
	if err := json.Unmarshal(answer, &found); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	e := &found.Oper
	return f.one(o, format, e.Field, e.EndpointID, e.Key, answer)
}

func newExport(f *Factory) *cobra.Command {
	o, tenant := &output{}, ""
	c := &cobra.Command{
		Use: "export", Short: "Print all objects as a file for netctl apply", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runExport(cmd.Context(), f, o, tenant) },
	}
	o.registerOutput(c, "yaml")
	c.Flags().StringVarP(&tenant, "tenant", "t", "", "only this tenant")
	return c
}

func runExport(ctx context.Context, f *Factory, o *output, tenant string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if tenant != "" {
		if _, err := c.Tenants().Get(ctx, tenant); err != nil {
			return err
		}
	}
	var all []model.Object
	for _, k := range model.Order() {
		objects, err := c.List(ctx, k)
		if err != nil {
			return err
		}
		all = append(all, slices.DeleteFunc(objects, func(object model.Object) bool { return !isOf(object, tenant) })...)
	}
	return f.manifests(format, all)
}

// isOf reports whether an object belongs to a tenant, or is that tenant; every object belongs to "".
func isOf(o model.Object, tenant string) bool {
	return tenant == "" || o.Field("tenantName") == tenant
}
