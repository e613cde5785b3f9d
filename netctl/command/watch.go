package command

import (
	"context"
	"encoding/json"
	"fmt"

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
	shown := map[string]model.Object{}
	emit := func(change string, object model.Object) error {
		if !o.selects(object) {
			return nil
		}
		switch {
		case format.Tabular():
			row := append([]string{change}, term.Row(columns[1:], object.Field)...)
			return local((&term.Table{Columns: columns}).WriteRow(f.Out, row))
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
		if err := local((&term.Table{Columns: columns}).Write(f.Out)); err != nil {
			return err
		}
	}
	for event, err := range c.Watch(ctx, o.kind.Name) {
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			f.Fail(fmt.Errorf("%w; trying again", err))
			continue
		}
		if err := follow(o.kind, event, shown, emit); err != nil {
			return err
		}
	}
	return nil
}

// follow turns one event into changes of what has been shown.
func follow(k *model.Kind, event model.Event, shown map[string]model.Object, emit func(string, model.Object) error) error {
	put := func(raw json.RawMessage) (string, error) {
		object := k.New()
		if err := json.Unmarshal(raw, object); err != nil {
			return "", fmt.Errorf("decode an event: %w", err)
		}
		key, change := object.ObjectKey(), "added"
		if _, ok := shown[key]; ok {
			change = "changed"
		}
		shown[key] = object
		return key, emit(change, object)
	}
	switch event.Type {
	case model.EventFull: // at the start, and after a broken connection
		seen := map[string]bool{}
		for _, raw := range event.Items {
			key, err := put(raw)
			if err != nil {
				return err
			}
			seen[key] = true
		}
		for key, object := range shown {
			if !seen[key] {
				delete(shown, key)
				if err := emit("deleted", object); err != nil {
					return err
				}
			}
		}
	case model.EventPut:
		_, err := put(event.Object)
		return err
	case model.EventDelete:
		if object, ok := shown[event.Key]; ok {
			delete(shown, event.Key)
			return emit("deleted", object)
		}
	}
	return nil
}
