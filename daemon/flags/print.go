// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"encoding/json"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"go.yaml.in/yaml/v3"
)

// Setting is the value of a key, as --print-config json prints it.
type Setting struct {
	Key       string   `json:"key"`
	Variable  string   `json:"variable"` // the environment variable that overrides it
	Value     any      `json:"value"`
	Origin    Origin   `json:"origin"`
	Overrides []Origin `json:"overrides,omitempty"` // where else it is set, the lowest layer first
}

// Settings returns the values of all keys, by their names.
func (s *Set) Settings() (out []Setting) {
	for _, f := range s.keys() {
		g, _ := s.last(f.Name)
		one := Setting{Key: f.Name, Variable: s.env[f.Name], Value: typed(f), Origin: g.origin}
		if all := s.given[f.Name]; len(all) > 1 {
			for _, lower := range all[:len(all)-1] {
				one.Overrides = append(one.Overrides, lower.origin)
			}
		}
		out = append(out, one)
	}
	return out
}

// Text returns the value as its environment variable has it.
func (s *Setting) Text() string {
	switch v := s.Value.(type) {
	case string:
		return v
	case bool:
		return strconv.FormatBool(v)
	case []string:
		return strings.Join(v, ",")
	case []any: // decoded from JSON
		var items []string
		for _, item := range v {
			text, _ := item.(string)
			items = append(items, text)
		}
		return strings.Join(items, ",")
	case float64: // decoded from JSON
		return strconv.FormatFloat(v, 'f', -1, 64)
	case int:
		return strconv.Itoa(v)
	}
	return ""
}

// typed returns the value of a flag as the files have it, without passwords of URLs.
func typed(f *pflag.Flag) any {
	text := f.Value.String()
	switch f.Value.Type() {
	case "bool":
		return text == "true"
	case "int":
		n, _ := strconv.Atoi(text)
		return n
	case "list":
		out := []string{}
		for item := range strings.SplitSeq(text, ",") {
			if item != "" {
				out = append(out, redacted(item))
			}
		}
		return out
	}
	return redacted(text)
}

// redacted returns a text, a URL without its password.
func redacted(text string) string {
	if u, err := url.Parse(text); err == nil && u.User != nil {
		return u.Redacted()
	}
	return text
}

// printSettings prints all settings with their origins.
func (s *Set) printSettings() error {
	settings := s.Settings()
	if s.print == "json" {
		e := json.NewEncoder(s.out)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(settings)
	}
	root := &yaml.Node{Kind: yaml.MappingNode}
	for i := range settings {
		one := &settings[i]
		var value yaml.Node
		if err := value.Encode(one.Value); err != nil {
			return err
		}
		if value.Kind == yaml.SequenceNode {
			value.Style = yaml.FlowStyle
		}
		value.LineComment = "# " + one.comment()
		root.Content = append(root.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: one.Key}, &value)
	}
	e := yaml.NewEncoder(s.out)
	if err := e.Encode(root); err != nil {
		return err
	}
	return e.Close()
}

// comment describes where a value is set.
func (s *Setting) comment() string {
	text := s.Origin.String()
	for i, o := range s.Overrides {
		text += []string{"; overrides ", ", "}[min(i, 1)] + o.String()
	}
	return text
}
