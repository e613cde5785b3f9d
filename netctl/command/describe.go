// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

// describeOptions are those of describe.
type describeOptions struct {
	scope
	output
}

func newDescribe(f *Factory) *cobra.Command {
	o := &describeOptions{}
	c := &cobra.Command{
		Use: "describe KIND NAME... | KIND/NAME... | ADDRESS", Short: "Show an object with its problems, connections, traffic and events", ValidArgsFunction: completeKindAndName(f),
		Long: "For each object, describe shows what applies to its kind: open findings about it and what it depends on, its fields, which groups may reach it\n" +
			"and which it may reach, services, neighbours and refused connections of the last five minutes, rates, events with their authors, and the\n" +
			"commands that show more. A section whose source does not answer reads \"unknown\", with the reason.\n\n" +
			"KIND is as for netctl get, \"node\" included. An endpoint is named by its key, by the id or the name of its container, by its pod, or by its\n" +
			"address. An ADDRESS describes its owner, in every network that has it. netctl inspect prints only configuration and state.",
		Example: "  netctl describe network/shop:front\n  netctl describe endpoint web1 db1 -t shop\n  netctl describe 10.7.0.3\n  netctl describe node h1 -o json",
		Args: func(_ *cobra.Command, args []string) error {
			_, err := described(args)
			return err
		},
		RunE: func(cmd *cobra.Command, args []string) error { return runDescribe(cmd.Context(), f, o, args) },
	}
	o.registerOutput(c, "table")
	o.registerAs(c, "tenant of the object")
	o.registerNamespace(c, "namespace of an object of Kubernetes")
	return c
}

// described parses the arguments of describe: KIND NAME..., KIND/NAME..., or addresses, whose target has no kind.
func described(args []string) (out []target, err error) {
	if len(args) > 0 && isAddress(args[0]) {
		for _, arg := range args {
			if !isAddress(arg) {
				return nil, term.BadUsage("got %s after %s, want an address", arg, args[0])
			}
		}
		return []target{{kind: model.KindEndpoint(), names: args}}, nil
	}
	if len(args) > 0 {
		if ref, _ := identity.ParseRef(args[0]); isDocknets(ref.Kind) {
			return nil, term.BadUsage("Docker networks have no page: want netctl get docknet/ID, or netctl describe of the network or group that it maps to")
		}
		if ref, ok := identity.ParseRef(args[0]); ok && ref.Name != "" && (isNodes(ref.Kind) || len(kindAndName(args[:1])) == 2) {
			return (&getOptions{}).wanted(args)
		}
	}
	if len(args) < 2 {
		return nil, term.BadUsage("expected KIND NAME..., KIND/NAME... or ADDRESS, got %s", quotedArgs(args))
	}
	return wants(nil, args[0], args[1:]...)
}

// quotedArgs are arguments in an error.
func quotedArgs(args []string) string {
	if len(args) == 0 {
		return "no arguments"
	}
	return "only " + strings.Join(args, " ")
}

func isAddress(text string) bool {
	_, err := netip.ParseAddr(text)
	return err == nil
}

func runDescribe(ctx context.Context, f *Factory, o *describeOptions, args []string) error {
	targets, err := described(args)
	if err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	var all []*describe.Document
	a := answer{}
	for _, w := range targets {
		for _, name := range w.names {
			docs, err := o.documents(ctx, f, c, w.kind, name)
			if err != nil {
				return err
			}
			for _, d := range docs {
				all = append(all, d)
				a.names = append(a.names, identity.Ref{Kind: d.Kind, Name: d.Key}.String())
			}
		}
	}
	if format.Tabular() {
		for i, d := range all {
			if i > 0 {
				a.text += "\n"
			}
			a.text += documentText(d, f.screen(format))
		}
	}
	if a.value = all; len(all) == 1 {
		a.value = all[0]
	}
	return f.answer(a, format)
}

// documents describes the objects with a name: one, or the owners of an address.
func (o *describeOptions) documents(ctx context.Context, f *Factory, c *client.Client, k *model.Kind, name string) (out []*describe.Document, err error) {
	options := describe.Options{Now: f.Now()}
	if k == nil {
		d, err := describe.Of(ctx, c, nil, name, options)
		return []*describe.Document{d}, err
	}
	if k == model.KindEndpoint() && isAddress(name) {
		return o.owners(ctx, c, name, options)
	}
	key, err := o.find(ctx, c, k, name)
	if err != nil {
		return nil, err
	}
	d, err := describe.Of(ctx, c, k, model.Key(key...), options)
	return []*describe.Document{d}, err
}

// owners describes the endpoints and services that have an address.
func (o *describeOptions) owners(ctx context.Context, c *client.Client, address string, options describe.Options) (out []*describe.Document, err error) {
	q := client.AddressQuery{Address: address}
	if o.flag.Changed {
		q.Tenant = o.tenant
	}
	states, err := c.Addresses(ctx, q)
	if err != nil {
		return nil, err
	}
	for _, s := range states {
		if s.Owner == nil || s.Owner.Kind != model.OwnerEndpoint && s.Owner.Kind != model.OwnerService {
			continue
		}
		k, _ := model.KindOf(s.Owner.Kind)
		d, err := describe.Of(ctx, c, k, s.Owner.ID, options)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, model.Errorf(model.CodeNotFound, "address", "no endpoint or service has address %s", address).Try("netctl ip who %s shows its state", address)
	}
	return out, nil
}

// maxNameColumn bounds the width of the names in a section.
const maxNameColumn = 24

// documentText prints a document for people.
func documentText(d *describe.Document, screen term.Screen) string {
	var b strings.Builder
	head := d.Kind
	if k, ok := model.KindOf(d.Kind); ok {
		head = k.Title
	}
	b.WriteString(head + " " + d.Key + "\n")
	for i := range d.Sections {
		s := &d.Sections[i]
		b.WriteString("\n" + strings.ToUpper(s.Title) + "\n")
		lines, width := s.Lines(), 0
		for j := range lines {
			width = max(width, len(nameOfRow(&lines[j], screen)))
		}
		width = min(width, maxNameColumn)
		for j := range lines {
			name := nameOfRow(&lines[j], screen)
			indent := 2
			switch {
			case len(name) > width:
				name += "  "
			case width > 0:
				name += strings.Repeat(" ", max(width-len(name), 0)) + "  "
				indent += width + 2
			}
			b.WriteString(screen.Wrap("  "+name+lines[j].String(), indent) + "\n")
		}
	}
	return b.String()
}

// nameOfRow is the first column of a row: its name, or the time of an event.
func nameOfRow(r *describe.Row, screen term.Screen) string {
	if r.Time != nil {
		return screen.Time(*r.Time)
	}
	return r.Name
}
