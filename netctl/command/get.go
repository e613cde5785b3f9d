// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/manifest"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/netctl/term"
)

// kindOf finds the kind with a name: its type, its plural or its command, in any case.
func kindOf(name string) (*model.Kind, error) {
	k, ok := model.KindOf(name)
	if !ok {
		return nil, term.BadUsage("unknown kind %q: want one of %s; list all names with netctl explain", name, strings.Join(kindNames(), ", "))
	}
	return k, nil
}

func kindNames() []string {
	var names []string
	for _, k := range model.Kinds() {
		names = append(names, k.Name)
	}
	return names
}

func completeKind(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return kindNames(), cobra.ShellCompDirectiveNoFileComp
}

func newGet(f *Factory) *cobra.Command {
	o := &listOptions{}
	c := &cobra.Command{
		Use: "get KIND [NAME] | KIND/NAME", Short: "Show objects of any kind", ValidArgsFunction: completeKind,
		Long: "KIND is one of the names below, in any case, \"all\" for the objects of every kind, or \"nodes\" for masters and agents.\n\n" + kindTable(false),
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return term.BadUsage("expected KIND [NAME], got %d arguments", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			args = kindAndName(args)
			if len(args) > 1 && o.watch {
				return term.BadUsage("--watch is only for lists: remove %s", args[1])
			}
			switch name := strings.ToLower(args[0]); {
			case (o.fields != "" || o.labels != "" && name != "all") && (len(args) > 1 || name == "all" || name == "nodes" || name == "node"):
				return term.BadUsage("--field-selector and --selector require a single kind: remove %s", args[len(args)-1])
			case len(args) > 1 || o.watch: // of one kind
			case name == "all":
				return runGetAll(cmd.Context(), f, o)
			case name == "nodes" || name == "node":
				return runNodeList(cmd.Context(), f, &o.output)
			}
			k, err := kindOf(args[0])
			if err != nil {
				return err
			}
			o.kind = k
			if len(args) == 2 {
				return runGetOne(cmd.Context(), f, o, args[1])
			}
			if k.InspectOnly {
				list := &endpointListOptions{output: o.output, selection: o.selection, kind: k}
				if cmd.Flags().Changed("tenant") && !o.all {
					list.tenant = o.tenant
				}
				return runEndpointList(cmd.Context(), f, list)
			}
			return runList(cmd.Context(), f, o)
		},
	}
	o.output.register(c)
	o.selection.register(c, nil)
	o.registerAs(c, "tenant of the objects")
	o.registerNamespace(c, "only this namespace, for objects of Kubernetes")
	c.Flags().BoolVarP(&o.all, "all", "a", false, "all tenants")
	c.Flags().BoolVarP(&o.watch, "watch", "w", false, "watch for changes")
	return c
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
	object, err := c.Get(ctx, o.kind, of...)
	if err != nil {
		return err
	}
	switch {
	case format.Tabular():
		t := &term.Table{Columns: o.columns(o.kind, format)}
		t.Add(term.Row(t.Columns, object.Field))
		return local(t.Write(f.Out))
	case format.Name == term.Quiet:
		return printf(f.Out, "%s\n", of[len(of)-1])
	case format.Names():
		return printf(f.Out, "%s\n", fullName(o.kind, object.ObjectKey()))
	}
	return local(format.Write(f.Out, object))
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
	switch e := &found.Oper; {
	case format.Tabular():
		t := &term.Table{Columns: o.columns(k, format)}
		t.Add(term.Row(t.Columns, e.Field))
		return local(t.Write(f.Out))
	case format.Name == term.Quiet:
		return printf(f.Out, "%s\n", e.EndpointID)
	case format.Names():
		return printf(f.Out, "%s\n", fullName(k, e.Key))
	}
	return local(format.Write(f.Out, answer))
}

func newDescribe(f *Factory) *cobra.Command {
	s := &scope{}
	c := &cobra.Command{
		Use: "describe KIND NAME | KIND/NAME", Short: "Show an object with its configuration, links and operational state",
		Args:              func(cmd *cobra.Command, args []string) error { return exactly("KIND", "NAME")(cmd, kindAndName(args)) },
		ValidArgsFunction: completeKind,
		RunE: func(cmd *cobra.Command, args []string) error {
			args = kindAndName(args)
			k, err := kindOf(args[0])
			if err != nil {
				return err
			}
			return runDescribe(cmd.Context(), f, k, s, args[1])
		},
	}
	s.registerAs(c, "tenant of the object")
	s.registerNamespace(c, "namespace of an object of Kubernetes")
	return c
}

func runDescribe(ctx context.Context, f *Factory, k *model.Kind, s *scope, name string) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	var answer json.RawMessage
	key, err := s.find(ctx, c, k, name)
	if err != nil {
		return err
	}
	if err := c.InspectRaw(ctx, k, &answer, key...); err != nil {
		return err
	}
	var whole any
	if err := json.Unmarshal(answer, &whole); err != nil {
		return fmt.Errorf("decode the answer: %w", err)
	}
	relabel(whole)
	text, err := yaml.Marshal(whole)
	if err != nil {
		return local(err)
	}
	return printf(f.Out, "%s %s\n%s", k.Title, model.Key(key...), text)
}

// relabel replaces the labels of endpoints by the form of selectors, anywhere in an answer.
func relabel(v any) {
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			relabel(x)
		}
	case map[string]any:
		for name, x := range v {
			if text, ok := x.(string); ok && name == "labels" {
				v[name] = model.LabelText(text)
			}
			relabel(x)
		}
	}
}

func newExport(f *Factory) *cobra.Command {
	var tenant string
	c := &cobra.Command{
		Use: "export", Short: "Print all objects as a file for netctl apply", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runExport(cmd.Context(), f, tenant) },
	}
	c.Flags().StringVarP(&tenant, "tenant", "t", "", "only this tenant")
	return c
}

func runExport(ctx context.Context, f *Factory, tenant string) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	if tenant != "" {
		if _, err := c.Tenants().Get(ctx, tenant); err != nil {
			return err
		}
	}
	for _, k := range model.Order() {
		objects, err := c.List(ctx, k)
		if err != nil {
			return err
		}
		for _, o := range objects {
			if !isOf(o, tenant) {
				continue
			}
			if err := local(manifest.Write(f.Out, o)); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOf reports whether an object belongs to a tenant, or is that tenant; every object belongs to "".
func isOf(o model.Object, tenant string) bool {
	return tenant == "" || o.Field("tenantName") == tenant
}
