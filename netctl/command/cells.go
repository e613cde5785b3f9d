package command

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/fields"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// cell reads one field of an object, in JSON, as a table shows it.
type cell struct {
	name  string
	kind  model.Type
	style string
}

// cellFor describes the cell of a field; an empty name is an empty cell.
func cellFor(k *model.Kind, name, style string) cell {
	field, _ := k.Field(name)
	return cell{name, field.Type, style}
}

// show prints a value; the plain text that most are is part of the value, not a copy.
func (c cell) show(value string) (string, error) {
	if text, ok := fields.Text(value); ok && c.kind == model.String && c.style == "" {
		return text, nil
	}
	switch c.kind {
	case model.Strings:
		return shownAs[[]string](c, value)
	case model.Int:
		return shownAs[int](c, value)
	default:
		return shownAs[string](c, value)
	}
}

// shownAs prints a value by way of its type, whose zero value an absent one has.
func shownAs[T any](c cell, value string) (string, error) {
	var v T
	if c.name == "" {
		return "", nil
	}
	if value != "" {
		if err := json.Unmarshal([]byte(value), &v); err != nil {
			return "", fmt.Errorf("decode the answer: %s: %w", c.name, err)
		}
	}
	return term.Styled(c.style, v), nil
}

// fill reads the rows and names of the objects that the options select, without making the objects, and counts them.
func fill(ctx context.Context, c *client.Client, o *listOptions, l *listing) (found int, err error) {
	text, err := c.ListText(ctx, o.kind)
	if err != nil {
		return 0, err
	}
	columns := slices.DeleteFunc(slices.Clone(l.columns), func(c model.Column) bool { return c.HeadOnly })
	tenant, name := cellFor(o.kind, "tenantName", ""), cellFor(o.kind, nameArg(o.kind), "")
	cells := []cell{tenant, name}
	for _, c := range columns {
		cells = append(cells, cellFor(o.kind, c.Field, c.Style))
	}
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = c.name
	}
	shown := make([]string, len(cells))
	err = fields.Each(text, names, func(values []string) error {
		for i, c := range cells {
			if shown[i], err = c.show(values[i]); err != nil {
				return err
			}
		}
		if o.kind.TenantScoped() && !o.all && shown[0] != o.tenant {
			return nil
		}
		found++
		l.row(shown[1], shown[2:])
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("list %s: %w", o.kind.Plural, err)
	}
	return found, nil
}
