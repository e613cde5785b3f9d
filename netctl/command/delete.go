package command

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newDelete(f *Factory) *cobra.Command {
	o, s := &applyOptions{}, &scope{}
	c := &cobra.Command{
		Use: "delete [KIND NAME... | KIND/NAME]", Short: "Delete objects by name or from files, in one transaction",
		Long: "Only the kind and the key fields of an object in a file are used; netctl explain KIND lists them. An object of a file that does not\n" +
			"exist is reported as absent; an object named on the command line must exist.",
		ValidArgsFunction: completeKind,
		Args: func(_ *cobra.Command, args []string) error {
			switch n := len(kindAndName(args)); {
			case n == 0 && len(o.files) == 0:
				return term.BadUsage("KIND NAME or -f FILE is required")
			case n > 0 && len(o.files) > 0:
				return term.BadUsage("-f FILE and KIND NAME exclude each other: remove %s", args[0])
			case n == 1:
				return term.BadUsage("expected KIND NAME, got only %s", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.checkDryRun(); err != nil {
				return err
			}
			if len(args) > 0 {
				args = kindAndName(args)
				return runDeleteNamed(cmd.Context(), f, o, s, args[0], args[1:])
			}
			return runDeleteFiles(cmd.Context(), f, o)
		},
	}
	registerFiles(c, &o.files)
	o.registerDryRun(c)
	s.registerAs(c, "tenant of the named objects")
	o.waiting.register(c)
	return c
}

func runDeleteFiles(ctx context.Context, f *Factory, o *applyOptions) error {
	objects, err := readManifests(f, o.files)
	if err != nil {
		return err
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	return o.carryOut(ctx, f, &portions{c: c, dry: o.dryRun != ""}, nil, objects)
}

func runDeleteNamed(ctx context.Context, f *Factory, o *applyOptions, s *scope, kind string, names []string) error {
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
	c, err := f.client()
	if err != nil {
		return err
	}
	var objects []model.ApplyObject
	for _, name := range names {
		of, err := s.find(ctx, c, k, name)
		if err != nil {
			return err
		}
		object, err := c.Get(ctx, k, of...)
		if err != nil {
			return err
		}
		objects = append(objects, keyOf(object))
	}
	return o.carryOut(ctx, f, &portions{c: c, dry: o.dryRun != ""}, nil, objects)
}

// keyOf names an object in a request.
func keyOf(object model.Object) model.ApplyObject {
	fields := map[string]any{}
	for _, name := range object.Kind().Key {
		fields[name] = object.Field(name)
	}
	return model.ApplyObject{Kind: object.Kind().Name, Fields: fields}
}
