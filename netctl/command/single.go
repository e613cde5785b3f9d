// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"maps"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// newSingle returns the command group of a kind that has one object.
func newSingle(f *Factory, k *model.Kind) *cobra.Command {
	c := &cobra.Command{Use: k.Command.Use, Aliases: k.Aliases(), Short: k.Title, Long: k.Doc}
	c.AddCommand(newSingleInfo(f, k), newSingleInspect(f, k), newSingleSet(f, k))
	return c
}

// singleName returns the key of the only object.
func singleName(k *model.Kind) string {
	field, _ := k.Field(nameArg(k))
	return field.Enum[0]
}

func newSingleInfo(f *Factory, k *model.Kind) *cobra.Command {
	var ignored struct {
		tenant string
		all    bool
	}
	o := &output{}
	c := &cobra.Command{
		Use: "info", Short: "Show the settings", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runSingleInfo(cmd.Context(), f, k, o) },
	}
	c.Flags().BoolVarP(&o.json, "json", "j", false, "print JSON, as an array")
	o.registerOutput(c, "table")
	c.Flags().StringVarP(&ignored.tenant, "tenant", "t", "default", "ignored, for old scripts")
	c.Flags().BoolVarP(&ignored.all, "all", "a", false, "ignored, for old scripts")
	return c
}

func runSingleInfo(ctx context.Context, f *Factory, k *model.Kind, o *output) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	list, err := c.List(ctx, k)
	if err != nil {
		return err
	}
	if !format.Tabular() {
		l := &term.Listing{Value: list}
		for _, object := range list {
			l.Names = append(l.Names, fullName(k, object.ObjectKey()))
		}
		return f.print(l, format)
	}
	for _, object := range list {
		for _, l := range k.Command.Info {
			if err := printf(f.Out, "%s: %s\n", l.Text, term.Cell(object.Field(l.Field))); err != nil {
				return err
			}
		}
	}
	return nil
}

func newSingleInspect(f *Factory, k *model.Kind) *cobra.Command {
	o := &inspectOptions{kind: k, name: singleName(k)}
	c := &cobra.Command{
		Use: "inspect", Short: "Show the settings with their operational state", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runInspect(cmd.Context(), f, o) },
	}
	o.registerOutput(c, "json")
	return c
}

func newSingleSet(f *Factory, k *model.Kind) *cobra.Command {
	fields, o := map[string]any{}, &writing{}
	short := "Set all settings; omitted ones are cleared or get their default"
	if k.Command.Merge {
		short = "Change settings; omitted ones stay unchanged"
	}
	c := &cobra.Command{
		Use: "set", Short: short, Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runSingleSet(cmd.Context(), f, k, fields, o) },
	}
	for _, fl := range k.Command.Flags {
		addFlag(c.Flags(), k, fl, fields)
	}
	o.register(c)
	return c
}

// runSingleSet posts the object with the given fields, and waits for the agents on request.
func runSingleSet(ctx context.Context, f *Factory, k *model.Kind, fields map[string]any, o *writing) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	object, err := present(ctx, c, k)
	if err != nil {
		return err
	}
	given := maps.Clone(fields)
	given[nameArg(k)] = singleName(k)
	text, err := json.Marshal(given)
	if err != nil {
		return local(err)
	}
	if err := json.Unmarshal(text, object); err != nil {
		return local(err)
	}
	rev, err := o.put(ctx, f, c, format, object, "")
	if err != nil {
		return err
	}
	return o.await(ctx, f, c, rev)
}

// present returns the object that set changes: the current one if the command keeps fields that are not given, else an empty one.
func present(ctx context.Context, c *client.Client, k *model.Kind) (model.Object, error) {
	if !k.Command.Merge {
		return k.New(), nil
	}
	object, err := c.Get(ctx, k, singleName(k))
	if client.IsCode(err, model.CodeNotFound) {
		return nil, model.Errorf(model.CodeNotFound, "", "the %s object has been deleted", k.Name).
			Try("recreate it with its defaults by netctl leader handover, or from a file by netctl apply -f FILE")
	}
	return object, err
}
