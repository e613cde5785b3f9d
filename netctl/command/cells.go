package command

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/fields"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// cell reads one field of an object, in JSON, as a table shows it.
type cell struct {
	name   string
	kind   model.Type
	style  string
	absent []byte // what is shown where the object lacks it
}

// cellFor describes the cell of a field; an empty name is an empty cell.
func cellFor(k *model.Kind, name, style string) cell {
	field, _ := k.Field(name)
	c := cell{name: name, kind: field.Type, style: style}
	if name == "" {
		return c
	}
	switch c.kind {
	case model.Strings:
		c.absent = []byte(term.Styled(style, []string(nil)))
	case model.Int:
		c.absent = []byte(term.Styled(style, 0))
	default:
		c.absent = []byte(term.Styled(style, ""))
	}
	return c
}

// show prints a value; the plain text that most are is part of the value, not a copy.
func (c *cell) show(value []byte) ([]byte, error) {
	if len(value) == 0 || c.name == "" {
		return c.absent, nil
	}
	if text, ok := fields.Text(value); ok && c.kind == model.String && c.style == "" {
		return text, nil
	}
	switch c.kind {
	case model.Strings:
		return shownAs[[]string](c, value)
	case model.Int:
		if digits, ok := fields.Digits(value); ok {
			return digits, nil
		}
		return shownAs[int](c, value)
	default:
		return shownAs[string](c, value)
	}
}

// shownAs prints a value by way of its type.
func shownAs[T any](c *cell, value []byte) ([]byte, error) {
	var v T
	if err := json.Unmarshal(value, &v); err != nil {
		return nil, fmt.Errorf("decode the answer: %s: %w", c.name, err)
	}
	return []byte(term.Styled(c.style, v)), nil
}

// fill reads the rows, or the names, of the objects that the options select, without making the objects, and counts them.
func fill(ctx context.Context, c *client.Client, o *listOptions, format term.Format, l *listing) (found int, err error) {
	cells := []cell{cellFor(o.kind, "tenantName", "")}
	for _, name := range nameArgs(o.kind) {
		cells = append(cells, cellFor(o.kind, name, ""))
	}
	key := len(cells) // so many of them
	for _, c := range l.Columns {
		if !c.HeadOnly {
			cells = append(cells, cellFor(o.kind, c.Field, c.Style))
		}
	}
	names := make([]string, len(cells))
	for i, c := range cells {
		names[i] = c.name
	}
	shown := make([][]byte, len(cells))
	above := false // the object before has a row
	take := func(values [][]byte, same []bool) error {
		for i := range cells {
			if same[i] {
				continue
			}
			if shown[i], err = cells[i].show(values[i]); err != nil {
				return err
			}
		}
		if o.kind.TenantScoped() && !o.all && string(shown[0]) != o.tenant {
			above = false
			return nil
		}
		found++
		if format.Tabular() {
			if same = same[key:]; !above {
				same = nil
			}
			above = true
			l.AddText(shown[key:], same)
		} else {
			l.names = append(l.names, nameOf(o.kind, format, shown[:key]))
		}
		return nil
	}
	if err := c.ListStream(ctx, o.kind, func(in io.Reader) error { return fields.Each(in, names, take) }); err != nil {
		return 0, fmt.Errorf("list %s: %w", o.kind.Plural, err)
	}
	return found, nil
}

// nameOf is an object's name in a format that prints names; key is the tenant, which may be empty, and the rest of the object's key.
func nameOf(k *model.Kind, format term.Format, key [][]byte) string {
	if format.Name == term.Quiet {
		return string(key[len(key)-1])
	}
	if !k.TenantScoped() {
		key = key[1:]
	}
	return fullName(k, string(bytes.Join(key, []byte(":"))))
}
