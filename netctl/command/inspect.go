package command

import (
	"context"
	"encoding/json"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

type inspectOptions struct {
	scope
	kind *model.Kind
	of   []string // its key
}

func newInspect(f *Factory, k *model.Kind) *cobra.Command {
	o := &inspectOptions{kind: k}
	c := &cobra.Command{
		Use: "inspect", Short: "Show " + article(k.Noun()) + " with its operational state", Args: objectArgs(k),
		ValidArgsFunction: complete(f, k, &o.scope),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.of, err = o.find(k, model.Key(args...)); err != nil {
				return err
			}
			return runInspect(cmd.Context(), f, o)
		},
	}
	if k.InspectOnly {
		c.ValidArgsFunction = nil
	}
	o.register(c, k)
	return c
}

func runInspect(ctx context.Context, f *Factory, o *inspectOptions) error {
	c, err := f.client()
	if err != nil {
		return err
	}
	var answer json.RawMessage
	if err := c.InspectRaw(ctx, o.kind, &answer, o.of...); err != nil {
		return err
	}
	return local(term.WriteJSON(f.Out, answer))
}
