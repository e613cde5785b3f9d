// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newDelete(f *Factory) *cobra.Command {
	o, s, of := &applyOptions{}, &scope{}, &targets{}
	c := &cobra.Command{
		Use: "delete [KIND NAME... | KIND/NAME | KIND -l SELECTOR]", Short: "Delete objects by name, by label or from files, in one transaction",
		Long: "Only the kind and the key fields of an object in a file are used; netctl explain KIND lists them. An object of a file that does not\n" +
			"exist is reported as absent; an object named on the command line must exist, unless --ignore-not-found is set.",
		ValidArgsFunction: completeKindAndName(f),
		Args: func(_ *cobra.Command, args []string) error {
			switch n := len(kindAndName(args)); {
			case n == 0 && len(o.files) == 0:
				return term.BadUsage("KIND NAME or -f FILE is required")
			case n > 0 && len(o.files) > 0:
				return term.BadUsage("-f FILE and KIND NAME exclude each other: remove %s", args[0])
			case n == 0 && of.selector.given():
				return term.BadUsage("--selector requires KIND")
			case n == 0:
				return nil
			}
			return of.checkNames(kindAndName(args))
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				args = kindAndName(args)
				return runDeleteNamed(cmd.Context(), f, o, s, of, args[0], args[1:])
			}
			return runDeleteFiles(cmd.Context(), f, o)
		},
	}
	registerFiles(c, &o.files)
	of.register(c)
	c.Flags().BoolVar(&of.missing, "ignore-not-found", false, "succeed if an object that is named does not exist")
	s.registerAs(c, "tenant of the objects of KIND")
	o.writing.register(c)
	return c
}

func runDeleteFiles(ctx context.Context, f *Factory, o *applyOptions) error {
	objects, err := readManifests(f, o.files)
	if err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	return o.carryOut(ctx, f, format, &portions{c: c, dry: o.dryRun.on()}, nil, objects)
}

func runDeleteNamed(ctx context.Context, f *Factory, o *applyOptions, s *scope, of *targets, kind string, names []string) error {
	k, err := kindOf(kind)
	if err != nil {
		return err
	}
	if k.Owner != "" {
		return k.Owned()
	}
	if k.InspectOnly {
		return term.BadUsage("%s cannot be deleted by name: they are deleted with their containers", k.Nouns())
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	objects, err := of.find(ctx, c, s, k, names)
	if err != nil {
		return err
	}
	for i := range names { // one that is named must exist
		if _, err := c.Get(ctx, k, keyParts(k, objects[i])...); err != nil && !(of.missing && client.IsCode(err, model.CodeNotFound)) {
			return err
		}
	}
	if len(objects) == 0 {
		fmt.Fprintf(f.Err, "no %s selected\n", k.Nouns())
		return nil
	}
	return o.carryOut(ctx, f, format, &portions{c: c, dry: o.dryRun.on()}, nil, objects)
}

// keyParts returns the parts of the key in a request's object.
func keyParts(k *model.Kind, o model.ApplyObject) (out []string) {
	for _, name := range k.Key {
		out = append(out, fmt.Sprint(o.Fields[name]))
	}
	return out
}

// keyOf names an object in a request.
func keyOf(object model.Object) model.ApplyObject {
	fields := map[string]any{}
	for _, name := range object.Kind().Key {
		fields[name] = object.Field(name)
	}
	return model.ApplyObject{Kind: object.Kind().Name, Fields: fields}
}
