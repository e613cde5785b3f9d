// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/sanitize"
)

// Format is how a command prints its result.
type Format struct {
	Name     string // one of Formats without "=", or Quiet
	Text     string // template of jsonpath and go-template, columns of custom-columns
	Sort     string // column or field that orders the rows; "": they come as they are
	Headless bool   // tables have no header
	Bare     bool   // JSON of a list is an array, as the original printed it, instead of an object with "items"
}

// Quiet is the format of --quiet: bare names, as the original printed them.
const Quiet = "quiet"

// Formats returns the names, for help and completion. Those that end with "=" require a text.
func Formats() []string {
	return []string{"table", "wide", "json", "yaml", "name", "csv", "jsonpath=", "go-template=", "custom-columns="}
}

// FormatUsage describes the formats in the help of -o.
const FormatUsage = "table, wide, json, yaml, name, csv, jsonpath=TEMPLATE, go-template=TEMPLATE or custom-columns=HEADER:FIELD,..."

// ParseFormat parses -o's value.
func ParseFormat(text string) (Format, error) {
	name, rest, has := strings.Cut(text, "=")
	f := Format{Name: name, Text: rest}
	switch {
	case has && slices.Contains(Formats(), name+"="):
		return f, f.check()
	case !has && slices.Contains(Formats(), name):
		return f, nil
	}
	return Format{}, BadUsage("output format: got %q, want %s", text, FormatUsage)
}

// check refuses a template that cannot be parsed.
func (f Format) check() (err error) {
	switch f.Name {
	case "jsonpath":
		_, err = parsePath(f.Text)
	case "go-template":
		_, err = parseTemplate(f.Text)
	case "custom-columns":
		_, err = parseColumns(f.Text)
	}
	return err
}

// Names reports whether only names are printed.
func (f Format) Names() bool { return f.Name == "name" || f.Name == Quiet }

// Wide reports whether all columns are printed.
func (f Format) Wide() bool { return f.Name == "wide" || f.Name == "csv" }

// Tabular reports whether rows are printed for people, rather than values.
func (f Format) Tabular() bool { return f.Name == "table" || f.Name == "wide" }

// Rows reports whether rows are printed, for people or programs.
func (f Format) Rows() bool { return f.Tabular() || f.Name == "csv" }

// Write prints a value in a format that is not a table. A list is an object with "items", unless Bare is set.
func (f Format) Write(w io.Writer, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if !f.Bare && bytes.HasPrefix(text, []byte("[")) {
		text = slices.Concat([]byte(`{"items":`), text, []byte("}"))
	}
	switch f.Name {
	case "yaml":
		if text, err = yaml.JSONToYAML(text); err == nil {
			_, err = w.Write(text)
		}
		return err
	case "jsonpath", "go-template", "custom-columns", "csv":
		return f.writeFields(w, text)
	}
	return WriteJSON(w, json.RawMessage(text))
}

// writeFields prints fields of a value, which is JSON.
func (f Format) writeFields(w io.Writer, text []byte) error {
	value, err := plain(text)
	if err != nil {
		return err
	}
	switch f.Name {
	case "jsonpath":
		return writePath(w, f.Text, value)
	case "go-template":
		return writeTemplate(w, f.Text, value)
	case "custom-columns":
		return f.writeCustom(w, items(value))
	}
	return f.writeScalars(w, items(value))
}

// plain decodes JSON: integers stay integers.
func plain(text []byte) (any, error) {
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		return nil, err
	}
	return numbers(value), nil
}

// numbers replaces the numbers of a decoded value by int64 or float64, as the templates compare and print them.
func numbers(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		x, _ := v.Float64() // the decoder has checked it
		return x
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = numbers(v[name])
		}
	}
	return v
}

// items returns the elements of a list, or the value itself.
func items(value any) []any {
	if object, ok := value.(map[string]any); ok {
		if list, ok := object["items"].([]any); ok {
			return list
		}
	}
	if list, ok := value.([]any); ok {
		return list
	}
	return []any{value}
}

// writeScalars prints the fields of objects as CSV, in alphabetical order.
func (f Format) writeScalars(w io.Writer, list []any) error {
	fields := map[string]bool{}
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			object = map[string]any{"value": item}
		}
		for name := range object {
			fields[name] = true
		}
	}
	header := slices.Sorted(maps.Keys(fields))
	var rows [][]string
	for _, item := range list {
		object, ok := item.(map[string]any)
		if !ok {
			object = map[string]any{"value": item}
		}
		row := make([]string, len(header))
		for i, name := range header {
			row[i] = scalar(object[name])
		}
		rows = append(rows, row)
	}
	return f.writeCSV(w, header, rows)
}

// writeCSV prints rows as RFC 4180 describes them, but with plain line feeds.
func (f Format) writeCSV(w io.Writer, header []string, rows [][]string) error {
	out := csv.NewWriter(w)
	if !f.Headless {
		_ = out.Write(header) // Error returns the error
	}
	_ = out.WriteAll(rows)
	return out.Error()
}

// scalar formats a decoded value in one line: text as it is, lists and objects as JSON, "" for none.
func scalar(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return sanitize.Flat(v)
	case int64, float64, bool:
		return fmt.Sprint(v)
	}
	text, _ := json.Marshal(v) // it has come from JSON
	return sanitize.Flat(string(text))
}

// WriteJSON prints a value indented by two spaces.
func WriteJSON(w io.Writer, v any) error {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s\n", sanitize.JSON(text))
	return err
}
