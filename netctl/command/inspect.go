// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

type inspectOptions struct {
	scope
	output
	kind *model.Kind
	name string // as the user typed it
}

func newInspect(f *Factory, k *model.Kind) *cobra.Command {
	o := &inspectOptions{kind: k}
	c := &cobra.Command{
		Use: "inspect", Short: "Show " + article(k.Noun()) + " with its operational state", Args: objectArgs(k),
		ValidArgsFunction: complete(f, k, &o.scope),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.name = model.Key(args...)
			return runInspect(cmd.Context(), f, o)
		},
	}
	if k.InspectOnly {
		c.ValidArgsFunction = nil
	}
	o.scope.register(c, k)
	o.registerOutput(c, "json")
	return c
}

func runInspect(ctx context.Context, f *Factory, o *inspectOptions) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	var inspected json.RawMessage
	key, err := o.find(ctx, c, o.kind, o.name)
	if err != nil {
		return err
	}
	if err := c.InspectRaw(ctx, o.kind, &inspected, key...); err != nil {
		return err
	}
	return f.document(answer{names: []string{fullName(o.kind, model.Key(key...))}, value: inspected}, format)
}
