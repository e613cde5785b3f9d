// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// createOptions are the options of create.
type createOptions struct {
	scope
	kind   *model.Kind
	fields map[string]any // by JSON name
	// prepare, unless nil, checks and completes the fields before they become an object.
	prepare func(fields map[string]any) error
	silent  bool // print nothing on success
	writing
}

func newCreate(f *Factory, k *model.Kind) (*cobra.Command, *createOptions) {
	o := &createOptions{kind: k, fields: map[string]any{}}
	c := &cobra.Command{
		Use: "create", Short: "Create " + article(k.Noun()), Args: named(cmp.Or(k.Command.Wants, k.Command.Names), len(k.Command.Args), k.Command.More),
		RunE: func(cmd *cobra.Command, args []string) error {
			for i, name := range k.Command.Args {
				o.fields[name] = args[i]
			}
			return runCreate(cmd.Context(), f, o)
		},
	}
	o.scope.register(c, k)
	for _, fl := range k.Command.Flags {
		addFlag(c.Flags(), k, fl, o.fields)
	}
	o.writing.register(c)
	return c, o
}

// addFlag adds the flag of a field, which stores its value in fields.
func addFlag(set *pflag.FlagSet, k *model.Kind, fl model.Flag, fields map[string]any) {
	field, _ := k.Field(fl.Field)
	usage := field.Doc
	if field.Example != "" {
		usage += " Example: " + field.Example + "."
	}
	v := &fieldValue{kind: field.Type, name: fl.Field, fields: fields, initial: fl.Default, split: fl.Split}
	if fl.Default != "" {
		_ = v.Set(fl.Default) // the generator has checked it
	}
	added := set.VarPF(v, fl.Name, fl.Short, usage)
	if fl.Alias != "" {
		added.Annotations = map[string][]string{aliasOf: {fl.Alias}}
		added.Usage += " Also -" + fl.Alias + "."
	}
}

// fieldValue is the value of a flag for a field.
type fieldValue struct {
	kind    model.Type
	name    string
	fields  map[string]any
	initial string
	split   string // separator of the elements in one value of a list; "": a value is an element
}

// Set stores the value in the field's type.
func (v *fieldValue) Set(text string) error {
	switch v.kind {
	case model.Int:
		var n int
		if _, err := fmt.Sscanf(text+"\n", "%d\n", &n); err != nil {
			return fmt.Errorf("got %q, want an integer", text)
		}
		v.fields[v.name] = n
	case model.Strings:
		list, _ := v.fields[v.name].([]string)
		if v.split == "" {
			list = append(list, text)
		} else if text != "" {
			list = append(list, strings.Split(text, v.split)...)
		}
		v.fields[v.name] = list
	default:
		v.fields[v.name] = text
	}
	return nil
}

// String returns the default, for help.
func (v *fieldValue) String() string { return v.initial }

// Type names the kind of value, for help.
func (v *fieldValue) Type() string {
	if v.kind == model.Strings {
		return "list"
	}
	return string(v.kind)
}

// object returns the object that the options describe.
func (o *createOptions) object() (model.Object, error) {
	if o.kind.TenantScoped() {
		o.fields["tenantName"] = cmp.Or(o.tenant, "default")
	}
	if o.prepare != nil {
		if err := o.prepare(o.fields); err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(o.fields)
	if err != nil {
		return nil, err
	}
	object := o.kind.New()
	if err := json.Unmarshal(text, object); err != nil {
		return nil, err
	}
	return object, o.check(object)
}

// addresses are the formats of fields that contain an address.
var addresses = []string{"ipv4", "ipv6", "routerIP", "routerIP6", "neighbors"}

// check refuses what needs no server: missing required flags, and malformed addresses.
func (o *createOptions) check(object model.Object) error {
	for _, name := range o.kind.Key {
		if value, _ := object.Field(name).(string); strings.Contains(value, "/") { // which would be another route
			return term.BadUsage("%s %s: a name cannot contain /", name, value)
		}
	}
	for _, fl := range o.kind.Command.Flags {
		field, _ := o.kind.Field(fl.Field)
		value, isText := object.Field(fl.Field).(string)
		list, _ := object.Field(fl.Field).([]string)
		switch {
		case (field.Required || fl.Needed) && value == "" && len(list) == 0:
			return term.BadUsage("%s is required: --%s", wordOf(fl.Name), fl.Name)
		case !isText:
		case slices.Contains(addresses, field.Format) && !model.Formats()[field.Format].Accepts(value):
			return term.BadUsage("--%s: got %s, want %s", fl.Name, value, model.Formats()[field.Format].Description)
		}
	}
	return nil
}

// wordOf returns a flag's name as it begins messages: "Subnet".
func wordOf(flag string) string { return strings.ToUpper(flag[:1]) + flag[1:] }

func runCreate(ctx context.Context, f *Factory, o *createOptions) error {
	object, err := o.object()
	if err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	said := ""
	if o.kind.Command.Creating != "" && !o.silent {
		said = model.Fill(o.kind.Command.Creating, func(name string) string { return term.Cell(object.Field(name)) }) + "\n"
	}
	rev, err := o.put(ctx, f, c, format, object, said)
	if err != nil {
		return err
	}
	return o.await(ctx, f, c, rev)
}
