package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

type eventsOptions struct {
	kinds  []string
	limit  int
	json   bool
	follow bool
	last   uint64 // sequence of the last one printed
}

func newEvents(f *Factory) *cobra.Command {
	o := &eventsOptions{}
	c := &cobra.Command{
		Use: "events", Short: "Print the last changes of the cluster, and further ones as they happen", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error { return runEvents(cmd.Context(), f, o) },
	}
	c.Flags().StringSliceVar(&o.kinds, "kind", nil, "of these kinds alone")
	c.Flags().IntVar(&o.limit, "limit", 20, "so many of the past, the newest; 0 is all that is kept")
	c.Flags().BoolVarP(&o.json, "json", "j", false, "print events as JSON, one a line")
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "go on until interrupted")
	return c
}

// runEvents prints what has changed and, to follow, looks again whenever the watch stream tells of something.
func runEvents(ctx context.Context, f *Factory, o *eventsOptions) error {
	for i, name := range o.kinds {
		kind, _, err := historyKind(name)
		if err != nil {
			return err
		}
		o.kinds[i] = kind
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	if err := o.print(ctx, f, c, o.limit); err != nil || !o.follow {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	for event, err := range c.Watch(ctx, nil) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			f.Fail(fmt.Errorf("%w; trying again", err))
			continue
		}
		if event.Type != model.EventSync {
			continue
		}
		const most = 200 // between two looks
		if err := o.print(ctx, f, c, most); err != nil {
			if ctx.Err() != nil {
				return nil
			}
			f.Fail(fmt.Errorf("%w; trying again", err))
		}
	}
	return nil
}

// print prints the entries behind the last one.
func (o *eventsOptions) print(ctx context.Context, f *Factory, c *client.Client, limit int) error {
	entries, err := c.History(ctx, client.HistoryQuery{Limit: limit})
	if err != nil {
		return err
	}
	seen := o.last
	for _, e := range entries {
		if e.Sequence <= seen {
			continue
		}
		o.last = max(o.last, e.Sequence)
		if len(o.kinds) > 0 && !slices.Contains(o.kinds, e.Kind) {
			continue
		}
		line := fmt.Sprintf("%s  %-8d %-10s  %s %s  by %s  %s", stamp(e.Time), e.Revision, e.Verb, e.Kind, e.Key, e.By, difference(e))
		if o.json {
			text, err := json.Marshal(e)
			if err != nil {
				return local(err)
			}
			line = string(text)
		}
		if err := printf(f.Out, "%s\n", line); err != nil {
			return err
		}
	}
	return nil
}
