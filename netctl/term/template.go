// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bytes"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/template"

	"k8s.io/client-go/util/jsonpath"

	"github.com/contiv/contiv/api/model"
)

// parsePath parses a template of JSONPath; without braces, it is one expression.
func parsePath(text string) (*jsonpath.JSONPath, error) {
	if !strings.Contains(text, "{") {
		text = "{" + text + "}"
	}
	p := jsonpath.New("output").AllowMissingKeys(true)
	if err := p.Parse(text); err != nil {
		return nil, BadUsage("jsonpath template: %v", err)
	}
	return p, nil
}

// writePath evaluates a JSONPath template. A template that indexes the root, such as {[0].subnet}, gets a list as an array: so lists were
// printed before they had "items".
func writePath(w io.Writer, text string, value any) error {
	p, err := parsePath(text)
	if err != nil {
		return err
	}
	if indexed := regexp.MustCompile(`^\[|\{\s*(range\s+)?[$@]?\[`); indexed.MatchString(text) {
		value = items(value)
	}
	if err := p.Execute(w, value); err != nil {
		return BadUsage("jsonpath: %v", err)
	}
	_, err = fmt.Fprintln(w)
	return err
}

func parseTemplate(text string) (*template.Template, error) {
	t, err := template.New("output").Parse(text)
	if err != nil {
		return nil, BadUsage("go-template: %v", err)
	}
	return t, nil
}

// writeTemplate evaluates a template of text/template. A missing field is printed as <no value>, as kubectl prints it.
func writeTemplate(w io.Writer, text string, value any) error {
	t, err := parseTemplate(text)
	if err != nil {
		return err
	}
	if err := t.Execute(w, value); err != nil {
		return BadUsage("go-template: %v", err)
	}
	return nil
}

// customColumn is a column of custom-columns.
type customColumn struct {
	header string
	path   *jsonpath.JSONPath
}

// parseColumns parses HEADER:FIELD,HEADER:FIELD, where a field is an expression of JSONPath: .labels.app, or labels.app.
func parseColumns(text string) ([]customColumn, error) {
	var out []customColumn
	for part := range strings.SplitSeq(text, ",") {
		at := strings.IndexByte(part, ':')
		if at <= 0 || at == len(part)-1 {
			return nil, BadUsage("custom-columns: got %q, want HEADER:FIELD, such as SUBNET:.subnet", part)
		}
		path, err := fieldPath(part[at+1:])
		if err != nil {
			return nil, err
		}
		out = append(out, customColumn{part[:at], path})
	}
	return out, nil
}

// fieldPath parses the path of a field, with or without braces and its first period.
func fieldPath(field string) (*jsonpath.JSONPath, error) {
	field = strings.TrimSuffix(strings.TrimPrefix(field, "{"), "}")
	return parsePath("{." + strings.TrimPrefix(field, ".") + "}")
}

// fieldOf returns the value of a path in an item, in one line; has reports whether the item has it.
func fieldOf(p *jsonpath.JSONPath, item any) (text string, has bool) {
	results, err := p.FindResults(item)
	if err != nil {
		return "", false
	}
	var parts []string
	for _, result := range results {
		for _, v := range result {
			if v.IsValid() && v.CanInterface() && v.Interface() != nil {
				parts = append(parts, scalar(v.Interface()))
			}
		}
	}
	return strings.Join(parts, ","), len(parts) > 0
}

// writeCustom prints the columns of custom-columns; <none> is a missing field, as in kubectl.
func (f Format) writeCustom(w io.Writer, list []any) error {
	columns, err := parseColumns(f.Text)
	if err != nil {
		return err
	}
	t := Table{Headless: f.Headless, Plain: true}
	for _, c := range columns {
		t.Columns = append(t.Columns, model.Column{Header: c.header})
	}
	for _, item := range list {
		row := make([]string, len(columns))
		for i, c := range columns {
			text, has := fieldOf(c.path, item)
			if row[i] = text; !has {
				row[i] = "<none>"
			}
		}
		t.Add(row)
	}
	var b bytes.Buffer
	if err := t.Write(&b); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}
