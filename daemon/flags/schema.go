// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// schema is a part of a JSON schema.
type schema struct {
	Schema      string            `json:"$schema,omitempty"`
	Title       string            `json:"title,omitempty"`
	Description string            `json:"description,omitempty"`
	Type        any               `json:"type"`
	Default     any               `json:"default,omitempty"`
	Items       *schema           `json:"items,omitempty"`
	Deprecated  bool              `json:"deprecated,omitempty"`
	Additional  *bool             `json:"additionalProperties,omitempty"`
	Properties  map[string]schema `json:"properties,omitempty"`
}

// printSchema prints the JSON schema of the configuration file.
func (s *Set) printSchema() error {
	no := false
	root := schema{Schema: "https://json-schema.org/draft/2020-12/schema", Title: "configuration of " + s.program, Type: []string{"object", "null"}, Additional: &no, Properties: map[string]schema{}}
	for _, f := range s.keys() {
		root.Properties[f.Name] = s.property(f)
	}
	for alias, name := range s.alias {
		if s.isKey(name) {
			p := s.property(s.set.Lookup(name))
			p.Description, p.Deprecated = "another name of "+name, true
			root.Properties[alias] = p
		}
	}
	e := json.NewEncoder(s.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(root)
}

// property describes the values of a key.
func (s *Set) property(f *pflag.Flag) schema {
	out := schema{Type: "string", Description: s.usage(f)}
	switch f.Value.Type() {
	case "bool":
		out.Type = "boolean"
	case "int":
		n, _ := strconv.Atoi(f.DefValue)
		out.Type, out.Default = "integer", n
	case "list":
		out.Type, out.Items = "array", &schema{Type: []string{"string", "integer"}}
	default:
		if f.DefValue != "" {
			out.Default = f.DefValue
		}
	}
	return out
}

// usage returns the description of a flag without its other names and its variable.
func (s *Set) usage(f *pflag.Flag) string {
	text := strings.TrimSuffix(f.Usage, marked(s.env[f.Name]))
	if before, _, ok := strings.Cut(text, " (also --"); ok {
		return before
	}
	return text
}
