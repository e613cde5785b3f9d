// SPDX-License-Identifier: Apache-2.0

package term

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"k8s.io/client-go/util/jsonpath"

	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/sanitize"
)

// Format is an output format of ls.
type Format struct {
	Name string // table, wide, json, yaml, name, Quiet or jsonpath
	Path string // of jsonpath
}

// Quiet is the format of --quiet: bare names, as the original printed them.
const Quiet = "quiet"

// Names reports whether only names are printed.
func (f Format) Names() bool { return f.Name == "name" || f.Name == Quiet }

// Formats returns the names, for help and completion.
func Formats() []string { return []string{"table", "wide", "json", "yaml", "name", "jsonpath="} }

// ParseFormat parses -o's value.
func ParseFormat(text string) (Format, error) {
	name, path, has := strings.Cut(text, "=")
	switch {
	case name == "jsonpath" && has:
		return Format{name, path}, nil
	case !has && (name == "table" || name == "wide" || name == "json" || name == "yaml" || name == "name"):
		return Format{Name: name}, nil
	}
	return Format{}, BadUsage("output format: got %q, want table, wide, json, yaml, name or jsonpath=TEMPLATE", text)
}

// Wide reports whether all columns are printed.
func (f Format) Wide() bool { return f.Name == "wide" }

// Tabular reports whether rows are printed rather than values.
func (f Format) Tabular() bool { return f.Name == "table" || f.Name == "wide" }

// Write prints a value in a format that is not a table.
func (f Format) Write(w io.Writer, v any) error {
	switch f.Name {
	case "yaml":
		text, err := yaml.Marshal(v)
		if err != nil {
			return err
		}
		_, err = w.Write(text)
		return err
	case "jsonpath":
		return writePath(w, f.Path, v)
	default:
		return WriteJSON(w, v)
	}
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

func writePath(w io.Writer, path string, v any) error {
	if !strings.Contains(path, "{") {
		path = "{" + path + "}"
	}
	p := jsonpath.New("output").AllowMissingKeys(true)
	if err := p.Parse(path); err != nil {
		return BadUsage("jsonpath template: %v", err)
	}
	// The template sees JSON names, so the value goes through JSON.
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		return err
	}
	if err := p.Execute(w, plain); err != nil {
		return BadUsage("jsonpath: %v", err)
	}
	_, err = fmt.Fprintln(w)
	return err
}
