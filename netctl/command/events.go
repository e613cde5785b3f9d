// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// kindFinding is the kind of findings among the kinds of events.
const kindFinding = "finding"

// timelineInterval is the time between two reads of the timeline, which has no stream.
const timelineInterval = 2 * time.Second

type eventsOptions struct {
	output
	kinds  []string
	limit  int
	follow bool
	out    stream

	changed uint64 // sequence of the last change that was printed
	found   uint64 // number of the last finding
}

// occurrence is a line of events.
type occurrence struct {
	at    time.Time
	text  string
	name  string
	value any
	row   []string
}

func newEvents(f *Factory) *cobra.Command {
	o := &eventsOptions{}
	c := &cobra.Command{
		Use: "events", Short: "Show recent changes and findings, and follow new ones", Args: exactly(),
		Long: "Changes of objects, as in netctl history, and findings that appeared or ended, in order of time.",
		RunE: func(cmd *cobra.Command, _ []string) error { return runEvents(cmd.Context(), f, o) },
	}
	c.Flags().StringSliceVar(&o.kinds, "kind", nil, "only these kinds; finding selects findings")
	c.Flags().IntVar(&o.limit, "limit", 20, "maximum number of past events, newest first (0: all)")
	c.Flags().BoolVarP(&o.json, "json", "j", false, "print events as JSON, one per line, as -o json does")
	c.Flags().BoolVar(&o.headless, "no-headers", false, "print no header")
	o.registerOutput(c, "table")
	c.Flags().BoolVarP(&o.follow, "follow", "f", false, "continue until interrupted")
	return c
}

// runEvents prints the events and, to follow, reads again after each notification of the watch stream, and regularly.
func runEvents(ctx context.Context, f *Factory, o *eventsOptions) error {
	for i, name := range o.kinds {
		if name == kindFinding {
			continue
		}
		kind, _, err := historyKind(name)
		if err != nil {
			return err
		}
		o.kinds[i] = kind
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	o.out.Columns = columns("Time", "Revision", "Severity", "Verb", "Object", "By", "Text")
	if err := o.print(ctx, f, c, format, o.limit); err != nil || !o.follow {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	changes := make(chan error)
	go watched(ctx, c, changes)
	tick := time.NewTicker(timelineInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case err = <-changes:
		}
		const most = 200 // between two reads
		if err == nil {
			err = o.print(ctx, f, c, format, most)
		}
		if err != nil && ctx.Err() == nil {
			f.Fail(fmt.Errorf("%w; trying again", err))
		}
		err = nil
	}
}

// watched sends nil whenever the watch stream has delivered all changes of a moment, or the error that ended it, until ctx ends.
func watched(ctx context.Context, c *client.Client, changes chan<- error) {
	for event, err := range c.Watch(ctx, nil) {
		if err == nil && event.Type != model.EventSync {
			continue
		}
		select {
		case changes <- err:
		case <-ctx.Done():
			return
		}
	}
}

// print prints the newest events since its last call, at most limit lines.
func (o *eventsOptions) print(ctx context.Context, f *Factory, c *client.Client, format term.Format, limit int) error {
	lines, err := o.changes(ctx, f, c, limit)
	if err != nil {
		return err
	}
	found, err := o.findings(ctx, f, c, limit)
	if err != nil {
		return err
	}
	lines = append(lines, found...)
	slices.SortStableFunc(lines, func(a, b occurrence) int { return a.at.Compare(b.at) })
	if limit > 0 && len(lines) > limit {
		lines = lines[len(lines)-limit:]
	}
	for _, x := range lines {
		if err := o.out.item(f, format, x.text, x.name, x.value, x.row); err != nil {
			return err
		}
	}
	return nil
}

func (o *eventsOptions) wants(kind string) bool {
	return len(o.kinds) == 0 || slices.Contains(o.kinds, kind)
}

// changes returns the changes after the last printed one.
func (o *eventsOptions) changes(ctx context.Context, f *Factory, c *client.Client, limit int) (out []occurrence, err error) {
	if len(o.kinds) == 1 && o.kinds[0] == kindFinding {
		return nil, nil
	}
	ask := client.HistoryQuery{Limit: limit}
	if len(o.kinds) == 1 {
		ask.Kind = o.kinds[0]
	}
	entries, err := c.History(ctx, ask)
	if err != nil {
		return nil, err
	}
	seen := o.changed
	for _, e := range entries {
		if e.Sequence <= seen {
			continue
		}
		o.changed = max(o.changed, e.Sequence)
		if !o.wants(e.Kind) {
			continue
		}
		line := fmt.Sprintf("%s  %-8d %-10s  %s %s  by %s  %s", f.stamp(e.Time), e.Revision, e.Verb, e.Kind, e.Key, e.By, e.Difference())
		name := e.Kind + "/" + e.Key
		out = append(out, occurrence{e.Time, line, name, e, []string{e.Time.UTC().Format(time.RFC3339), fmt.Sprint(e.Revision), "", e.Verb, name, e.By.String(), e.Difference()}})
	}
	return out, nil
}

// findings returns the events of the timeline after the last printed one.
func (o *eventsOptions) findings(ctx context.Context, f *Factory, c *client.Client, limit int) (out []occurrence, err error) {
	if !o.wants(kindFinding) {
		return nil, nil
	}
	events, err := c.Timeline(ctx, client.TimelineQuery{Limit: limit})
	if err != nil {
		return nil, err
	}
	for i := range events {
		e := &events[i]
		if e.Number <= o.found {
			continue
		}
		o.found = e.Number
		line := fmt.Sprintf("%s  %-8s %-10s  %s  %s", f.stamp(e.Time), e.Severity, e.Verb(), e.Object, e.Text())
		out = append(out, occurrence{e.Time, line, e.Object, e, []string{e.Time.UTC().Format(time.RFC3339), "", string(e.Severity), e.Verb(), e.Object, "", e.Text()}})
	}
	return out, nil
}
