package command

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

func newEvents(f *Factory) *cobra.Command {
	var kinds []string
	var asJSON bool
	c := &cobra.Command{
		Use: "events", Short: "Print changes of the cluster as they happen", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runEvents(cmd.Context(), f, kinds, asJSON) },
	}
	c.Flags().StringSliceVar(&kinds, "kind", nil, "of these kinds alone")
	c.Flags().BoolVarP(&asJSON, "json", "j", false, "print events as JSON, one a line")
	c.Flags().Bool("follow", true, "go on until interrupted; events always does")
	return c
}

// runEvents prints what changes from now on.
func runEvents(ctx context.Context, f *Factory, kinds []string, asJSON bool) error {
	for i, name := range kinds {
		k, err := kindOf(name)
		if err != nil {
			return err
		}
		kinds[i] = k.Name
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	for event, err := range c.Watch(ctx, kinds...) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			f.Fail(fmt.Errorf("%w; trying again", err))
			continue
		}
		if event.Type != model.EventPut && event.Type != model.EventDelete {
			continue
		}
		if asJSON {
			text, err := json.Marshal(event)
			if err != nil {
				return local(err)
			}
			if err := printf(f.Out, "%s\n", text); err != nil {
				return err
			}
			continue
		}
		if err := printf(f.Out, "%s  %-8d %-6s  %s %s\n", f.Now().Format(time.TimeOnly), event.Revision, event.Type, event.Kind, event.Key); err != nil {
			return err
		}
	}
	return nil
}
