// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// watchList prints the existing objects and then one line for each change of its output, until ctx ends. In a table, the first column is
// the kind of change; as JSON, each line is an event.
func watchList(ctx context.Context, f *Factory, c *client.Client, o *listOptions, format term.Format) error {
	ctx, end := f.interruptible(ctx)
	defer end()
	columns := append([]model.Column{{Header: "Change", Dashes: len("deleted")}}, o.storedColumns(o.kind, format)...)
	table, out := &term.Table{Columns: columns}, &stream{}
	follow := &follower{kind: o.kind, shown: map[string][]string{}, selects: o.selects}
	switch {
	case format.Tabular():
		follow.cells = func(object model.Object) ([]string, error) { return term.Row(columns[1:], object.Field), nil }
		follow.emit = func(change string, cells []string) error {
			table.Add(append([]string{change}, cells...))
			return f.table(table, format)
		}
		if err := f.table(table, format); err != nil {
			return err
		}
	default:
		follow.cells = func(object model.Object) ([]string, error) { return watchedText(o.kind, format, object) }
		follow.emit = func(change string, cells []string) error {
			if format.Name == term.Quiet || format.Names() {
				return printf(f.Out, "%s %s\n", change, cells[0])
			}
			return out.item(f, format, "", "", watchedObject{change, json.RawMessage(cells[0])}, nil)
		}
	}
	for event, err := range c.Watch(ctx, []*model.Kind{o.kind}, o.options()...) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			f.Fail(fmt.Errorf("%w; trying again", err))
			continue
		}
		if err := follow.print(event); err != nil {
			return err
		}
	}
	return nil
}

// watchedObject is a change of an object for programs.
type watchedObject struct {
	Change string          `json:"change"`
	Object json.RawMessage `json:"object"`
}

// watchedText returns the output for an object of a watch that prints no table. A name is printed if anything but a link of its object has
// changed.
func watchedText(k *model.Kind, format term.Format, object model.Object) ([]string, error) {
	names := format.Name == term.Quiet || format.Names()
	if names {
		object = object.Clone() // without links
	}
	text, err := json.Marshal(object)
	switch {
	case format.Name == term.Quiet:
		return []string{term.Cell(object.Field(nameArg(k))), string(text)}, local(err)
	case names:
		return []string{fullName(k, object.ObjectKey()), string(text)}, local(err)
	}
	return []string{string(text)}, local(err)
}

// follower turns events of a kind into changes of the output. netmaster also sends an object if only a computed link has changed, and all
// objects after a broken connection: follower does not repeat a row with equal cells.
type follower struct {
	kind    *model.Kind
	shown   map[string][]string
	left    map[string][]string // rows from before a complete resend that have not arrived again
	selects func(model.Object) bool
	cells   func(model.Object) ([]string, error)
	emit    func(change string, cells []string) error
}

// print takes one event.
func (w *follower) print(event model.Event) error {
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
	if !w.selects(object) {
		return nil
	}
	cells, err := w.cells(object)
	if err != nil {
		return err
	}
	key, change := object.ObjectKey(), "added"
	was, had := w.shown[key]
	delete(w.left, key)
	if had && slices.Equal(was, cells) {
		return nil
	}
	if had {
		change = "changed"
	}
	w.shown[key] = cells
	return w.emit(change, cells)
}

func (w *follower) drop(key string) error {
	was, ok := w.shown[key]
	if !ok {
		return nil
	}
	delete(w.shown, key)
	return w.emit("deleted", was)
}
