// SPDX-License-Identifier: Apache-2.0

// Package manifest reads and writes objects as YAML documents, the format of netctl apply and netctl export: the fields of an object, and
// its kind in a field "kind".
package manifest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
)

// Parse parses YAML or JSON documents, each one object or a list of them, which may be the value of a field "items". An object is its fields and a field "kind". An error names the
// document, by its number.
func Parse(text []byte) ([]model.ApplyObject, error) {
	var out []model.ApplyObject
	documents := yamlv3.NewDecoder(bytes.NewReader(text))
	for n := 1; ; n++ {
		var value any
		err := documents.Decode(&value)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		list, isList := value.([]any)
		if object, ok := value.(map[string]any); ok && object["kind"] == nil {
			list, isList = object["items"].([]any) // as netctl get prints a list
		}
		if !isList && value != nil {
			list = []any{value}
		}
		for _, item := range list {
			fields, ok := item.(map[string]any)
			kind, named := fields["kind"].(string)
			if !ok || !named {
				return nil, fmt.Errorf("document %d: want an object with a field \"kind\"", n)
			}
			delete(fields, "kind")
			delete(fields, "summary") // of a list, which nobody can set
			out = append(out, model.ApplyObject{Kind: kind, Fields: fields})
		}
	}
}

// Write writes an object as a document that Parse accepts: its fields in the schema's order, without computed ones and empty ones.
func Write(w io.Writer, o model.Object) error {
	if _, err := fmt.Fprintf(w, "---\nkind: %s\n", o.Kind().Name); err != nil {
		return err
	}
	names := slices.Clone(o.Kind().Key)
	for _, field := range o.Kind().Fields {
		if !slices.Contains(names, field.Name) {
			names = append(names, field.Name)
		}
	}
	for _, name := range names {
		value := o.Field(name)
		if absent(value) {
			continue
		}
		text, err := yaml.Marshal(map[string]any{name: value})
		if err != nil {
			return err
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
	}
	return nil
}

// absent reports whether a field's value is as if it were not given.
func absent(value any) bool {
	switch v := value.(type) {
	case []string:
		return len(v) == 0
	case map[string]string:
		return len(v) == 0
	}
	return value == "" || value == 0
}
