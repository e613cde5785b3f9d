// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
)

// reference adds the pages of docs/reference to files: one for every kind, one for the error codes, and the index.
func reference(files map[string][]byte, kinds []*kind) error {
	const dir = "docs/reference/"
	for _, page := range []struct {
		name, text string
		data       any
	}{{"README.md", indexPage, kinds}, {"errors.md", errorsPage, model.Codes()}} {
		text, err := markdown(page.text, page.data, kinds)
		if err != nil {
			return err
		}
		files[dir+page.name] = text
	}
	for _, k := range kinds {
		text, err := markdown(kindPage, k, kinds)
		if err != nil {
			return fmt.Errorf("%s: %w", k.Name, err)
		}
		files[dir+k.Name+".md"] = text
	}
	return nil
}

// markdown executes the template of a page. Links lead to the pages of kinds.
func markdown(text string, data any, kinds []*kind) ([]byte, error) {
	t, err := template.New("").Funcs(template.FuncMap{
		"cell":  cell,
		"wrap":  func(text string) string { return wrap(text, 120) },
		"first": func(text string) string { return strings.SplitAfterN(text, ".", 2)[0] },
		"join":  func(list []string) string { return model.Key(list...) },
		"code":  func(list []string) string { return "`" + strings.Join(list, "`, `") + "`" },
		"page": func(name string) string {
			if slices.ContainsFunc(kinds, func(k *kind) bool { return k.Name == name }) {
				return "[" + name + "](" + name + ".md)"
			}
			return name
		},
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := t.Execute(&out, data); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// cell makes text fit a table: a bar would end the cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// Description describes the type of a field's value.
func (f field) Description() string {
	switch f.Type {
	case "strings":
		return "list of strings"
	case "labels":
		return "map of strings"
	case "list":
		return "list of " + f.List
	}
	return f.Type
}

// Limits describes the accepted values of a field.
func (f field) Limits() string {
	var parts []string
	if len(f.Enum) > 0 {
		parts = append(parts, "one of `"+strings.Join(f.Enum, "`, `")+"`")
	}
	if format, ok := model.Formats()[f.Format]; ok {
		parts = append(parts, format.Description)
	}
	if f.MaxLen > 0 {
		parts = append(parts, fmt.Sprintf("at most %d bytes", f.MaxLen))
	}
	if f.Type == "int" && f.Max > 0 {
		bounds := fmt.Sprintf("%d to %d", f.Min, f.Max)
		if f.Optional && f.Min > 0 {
			bounds = "0, or " + bounds
		}
		parts = append(parts, bounds)
	}
	return strings.Join(parts, "; ")
}

// verb is one way to call the command of a kind.
type verb struct{ Line, Does string }

// CommandLines returns the calls of the kind's netctl command.
func (k *kind) CommandLines() []verb {
	c := k.Command
	prefix := "netctl " + c.Use + " "
	tenant := ""
	if len(k.Key) > 1 && k.Key[0] == "tenantName" {
		tenant = " [--tenant T]"
	}
	flags := ""
	if len(c.Flags) > 0 {
		flags = " [flags]"
	}
	one := tenant + " " + strings.Join(c.Args, " ")
	switch {
	case c.Use == "":
		return nil
	case c.Single:
		return []verb{{prefix + "info", "show"}, {prefix + "inspect", "show with operational state"}, {prefix + "set" + flags, "change"}}
	case !k.Writable():
		return []verb{{prefix + "ls", "list"}, {prefix + "inspect" + one, "show with operational state"}}
	case c.Under != "":
		prefix = "netctl " + c.Under + " " + c.Use
		return []verb{{prefix + "-add" + one + flags, "create"}, {prefix + "-rm" + one, "delete"}, {prefix + "-ls" + tenant + " " + c.Args[0], "list"}, {prefix + "-inspect" + one, "show with operational state"}}
	}
	lines := []verb{{prefix + "create" + one + flags, "create or update"}, {prefix + "rm" + one, "delete"}, {prefix + "ls" + tenant, "list"}}
	if len(c.Verbs) == 0 || slices.Contains(c.Verbs, "inspect") {
		lines = append(lines, verb{prefix + "inspect" + one, "show with operational state"})
	}
	return lines
}

// Anchor returns the heading of netctl.md for the kind's command.
func (c command) Anchor() string { return "netctl-" + cmp.Or(c.Under, c.Use) }

// Spelled returns a flag in all its spellings.
func (f flagOf) Spelled() string {
	s := "`--" + f.Name + "`"
	if f.Short != "" {
		s += ", `-" + f.Short + "`"
	}
	if f.Alias != "" {
		s += ", `-" + f.Alias + "`"
	}
	return s
}

// Example returns the kind's sample as an object of a file for netctl apply, the key's fields first; "" without a sample.
func (k *kind) Example() (string, error) {
	if len(k.Sample) == 0 {
		return "", nil
	}
	text := "kind: " + k.Name + "\n"
	names := slices.Clone(k.Key)
	for _, f := range k.Fields {
		if !slices.Contains(names, f.Name) {
			names = append(names, f.Name)
		}
	}
	for _, name := range names {
		value, given := k.Sample[name]
		if !given {
			continue
		}
		if number, ok := value.(float64); ok { // as JSON numbers are read
			text += name + ": " + strconv.Itoa(int(number)) + "\n"
			continue
		}
		line, err := yaml.Marshal(map[string]any{name: value})
		if err != nil {
			return "", err
		}
		text += string(line)
	}
	return text, nil
}

const notice = "<!-- Code generated by api/gen from api/schema. DO NOT EDIT. -->\n\n"

const indexPage = notice + `# Reference

Every object of the API, from the schema that the programs are generated from. ` + "`netctl explain KIND`" + ` prints the same, and
` + "`netctl explain`" + ` without arguments prints this list. Commands that take a KIND, and ` + "`:`" + ` in the console, take any of its names, in any case.

| kind | other names | key | command | what it is |
|---|---|---|---|---|
{{range .}}| {{page .Name}} | {{code .Others}} | {{join .Key}} | {{with .Command}}{{if .Under}}netctl {{.Under}} {{.Use}}-...{{else if .Use}}netctl {{.Use}}{{end}}{{end}} | {{cell (first .Doc)}} |
{{end}}
- [errors.md](errors.md): error codes, their HTTP status and exit code, and what to do.
- [netctl.md](netctl.md): every command with its flags.
- [api/openapi.yaml](../../api/openapi.yaml): the routes as an OpenAPI document.
`

const errorsPage = notice + `# Error codes

A refusal carries one of these codes, in the member ` + "`code`" + ` of an ` + "`application/problem+json`" + ` answer, with the message, the
field that is wrong where it is one, and a remedy. ` + "`netctl explain CODE`" + ` prints a row of this table. A request without an
` + "`Accept`" + ` header gets status 500 and the message as plain text instead, as clients of the original expect.

| code | HTTP status | exit code of netctl | meaning | remedy |
|---|---|---|---|---|
{{range .}}| ` + "`{{.Code}}`" + ` | {{.Status}} | {{.Exit}} | {{cell .Doc}} | {{cell .Remedy}} |
{{end}}`

const kindPage = notice + `# {{.Name}}

{{wrap .Doc}}

{{with .Owner}}{{.}} owns it: ` + "`{{$.Change}}`" + ` changes it.

{{end}}{{if .InspectOnly}}Key: the text that names one.{{else}}Key: ` + "`{{join .Key}}`" + `.{{end}}

## Routes

| route | methods |
|---|---|
| ` + "`/api/v1/{{.Plural}}/`" + ` | GET: list, [in pages and by selectors](api.md#lists-and-watches) |
{{if not .InspectOnly}}| ` + "`/api/v1/{{.Plural}}/KEY/`" + ` | GET: one; {{with .Owner}}anything else is refused, since {{.}} owns it{{else}}POST, PUT: create or update; DELETE{{end}} |
{{end}}| ` + "`/api/v1/inspect/{{.Plural}}/KEY/`" + ` | GET: {{if .InspectOnly}}operational state{{else}}configuration with operational state{{end}} |
{{if .Fields}}{{if not .InspectOnly}}
## Fields

| field | type | required | default | takes | meaning |
|---|---|---|---|---|---|
{{range .Fields}}| ` + "`{{.Name}}`" + ` | {{.Description}} | {{if .Needed}}yes{{end}} | {{with .Default}}` + "`{{.}}`" + `{{end}} | {{cell .Limits}} | {{cell .Doc}}{{with .Example}} Example: ` + "`{{cell .}}`" + `.{{end}} |
{{end}}{{end}}{{end}}{{if .Oper}}
## Operational state

| field | type | meaning |
|---|---|---|
{{range .Oper}}| ` + "`{{.Name}}`" + ` | {{.Description}} | {{cell .Doc}} |
{{end}}{{end}}{{if or .Links .LinkSets}}
## Links

Computed by the server; what a request says about them is passed over.

| link | leads to | through |
|---|---|---|
{{range .Links}}| ` + "`links.{{.Name}}`" + ` | one {{page .To}} | {{if .Via}}{{code .Via}}{{else if .Back}}the {{.To}} that names this object{{else}}the key fields of that kind{{end}} |
{{end}}{{range .LinkSets}}| ` + "`link-sets.{{.Name}}`" + ` | {{page .To}} objects | {{if .Via}}{{code .Via}}{{else}}those that name this object{{end}} |
{{end}}{{end}}{{if .CommandLines}}
## netctl

| command | does |
|---|---|
{{range .CommandLines}}| ` + "`{{.Line}}`" + ` | {{.Does}} |
{{end}}
{{with .Aliases}}Aliases: {{code .}}. {{end}}All verbs with all flags: [netctl.md](netctl.md#{{.Command.Anchor}}).
{{if .Command.Flags}}
| flag | sets | default |
|---|---|---|
{{range .Command.Flags}}| {{.Spelled}} | ` + "`{{.Field}}`" + ` | {{with .Default}}` + "`{{.}}`" + `{{end}} |
{{end}}{{end}}{{end}}{{with .Example}}
## Example

For ` + "`netctl apply -f FILE`" + `:

` + "```yaml\n{{.}}```" + `
{{end}}`
