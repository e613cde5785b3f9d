package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// watchList prints the objects that there are and then one line for each change, until ctx ends. As a table, the first
// column says what happened; as JSON, each line is an event.
func watchList(ctx context.Context, f *Factory, c *client.Client, o *listOptions, format term.Format) error {
	ctx, end := f.interruptible(ctx)
	defer end()
	columns := append([]model.Column{{Header: "Change", Dashes: len("deleted")}}, term.Columns(o.kind, format.Wide())...)
	table := &term.Table{Columns: columns}
	emit := func(change string, object model.Object) error {
		if !o.selects(object) {
			return nil
		}
		switch {
		case format.Tabular():
			table.Add(append([]string{change}, term.Row(columns[1:], object.Field)...))
			return local(table.Write(f.Out))
		case format.Name == term.Quiet:
			return printf(f.Out, "%s %s\n", change, term.Cell(object.Field(nameArg(o.kind))))
		case format.Names():
			return printf(f.Out, "%s %s\n", change, fullName(o.kind, object.ObjectKey()))
		default:
			text, err := json.Marshal(struct {
				Change string       `json:"change"`
				Object model.Object `json:"object"`
			}{change, object})
			if err != nil {
				return local(err)
			}
			return printf(f.Out, "%s\n", text)
		}
	}
	if format.Tabular() {
		if err := local(table.Write(f.Out)); err != nil {
			return err
		}
	}
	follow := &follower{kind: o.kind, shown: map[string]model.Object{}, emit: emit}
	for event, err := range c.Watch(ctx, []*model.Kind{o.kind}, o.options()...) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			f.Fail(fmt.Errorf("%w; trying again", err))
			continue
		}
		if err := follow.take(event); err != nil {
			return err
		}
	}
	return nil
}

// follower turns events of a kind into changes of what has been shown.
type follower struct {
	kind  *model.Kind
	shown map[string]model.Object
	left  map[string]model.Object // of what was shown before everything began to be told again, what has not been told yet
	emit  func(change string, object model.Object) error
}

// take takes one event.
func (w *follower) take(event model.Event) error {
	switch event.Type {
	case model.EventFull: // at the start, and after a broken connection
		w.left = maps.Clone(w.shown)
		return w.putAll(event.Items)
	case model.EventMore:
		return w.putAll(event.Items)
	case model.EventPut:
		return w.put(event.Object)
	case model.EventDelete:
		return w.drop(event.Key)
	case model.EventSync:
		for key := range w.left {
			if err := w.drop(key); err != nil {
				return err
			}
		}
		w.left = nil
	}
	return nil
}

func (w *follower) putAll(items []json.RawMessage) error {
	for _, raw := range items {
		if err := w.put(raw); err != nil {
			return err
		}
	}
	return nil
}

func (w *follower) put(raw json.RawMessage) error {
	object := w.kind.New()
	if err := json.Unmarshal(raw, object); err != nil {
		return fmt.Errorf("decode an event: %w", err)
	}
	key, change := object.ObjectKey(), "added"
	if _, ok := w.shown[key]; ok {
		change = "changed"
	}
	w.shown[key] = object
	delete(w.left, key)
	return w.emit(change, object)
}

func (w *follower) drop(key string) error {
	object, ok := w.shown[key]
	if !ok {
		return nil
	}
	delete(w.shown, key)
	return w.emit("deleted", object)
}
