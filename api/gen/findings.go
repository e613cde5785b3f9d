// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
)

// declaredFinding is one entry of api/findings.yaml.
type declaredFinding struct {
	Code     string           `json:"code"`
	Where    string           `json:"where"` // a table of docs/findings.md
	By       []string         `json:"by"`    // daemons
	Check    string           `json:"check"` // of the agent
	Severity []model.Severity `json:"severity"`
	Cut      model.Cut        `json:"cut"`
	// Explains lists codes by relation. It is required, so that a new code has its entry in the table.
	Explains map[model.Relation][]string `json:"explains"`
	Summary  string                      `json:"summary"` // one sentence
	More     string                      `json:"more"`
	Remedy   string                      `json:"remedy"`
}

const findingsSource, findingsPage = "api/findings.yaml", "docs/findings.md"

// findings adds the codes of api/model and the page of findings to files.
func findings(files map[string][]byte, root string) error {
	list, err := loadFindings(filepath.Join(root, findingsSource))
	if err != nil {
		return err
	}
	if files["api/model/findings_gen.go"], err = render(findingsTemplate, list); err != nil {
		return err
	}
	page, err := os.ReadFile(filepath.Join(root, findingsPage))
	if err != nil {
		return err
	}
	if files[findingsPage], err = fillFindings(page, list); err != nil {
		return fmt.Errorf("%s: %w", findingsPage, err)
	}
	return nil
}

// loadFindings reads and checks api/findings.yaml.
func loadFindings(path string) ([]declaredFinding, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []declaredFinding
	if err := yaml.UnmarshalStrict(text, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	names := map[string]bool{}
	for i := range out {
		f := &out[i]
		if err := f.validate(); err != nil {
			return nil, fmt.Errorf("%s: finding %d, %q: %w", path, i+1, f.Code, err)
		}
		if names[f.Code] {
			return nil, fmt.Errorf("%s: finding %q is declared twice", path, f.Code)
		}
		names[f.Code] = true
	}
	if err := validateCauses(out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return out, nil
}

// validate checks one entry by itself.
func (f *declaredFinding) validate() error {
	severities := []model.Severity{model.SeverityError, model.SeverityWarning, model.SeverityUnknown, model.SeverityInfo}
	if !regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`).MatchString(f.Code) {
		return fmt.Errorf("code: got %q, want words joined by dashes", f.Code)
	}
	for field, text := range map[string]string{"summary": f.Summary, "remedy": f.Remedy} {
		if !strings.HasSuffix(text, ".") {
			return fmt.Errorf("%s: got %q, want a sentence with its period", field, text)
		}
	}
	if strings.Contains(f.Summary, ". ") {
		return fmt.Errorf("summary: got several sentences, want one: the others belong in more")
	}
	if len(f.Severity) == 0 {
		return fmt.Errorf("severity: got none, want one or more of %q", severities)
	}
	for _, s := range f.Severity {
		if !slices.Contains(severities, s) {
			return fmt.Errorf("severity: got %q, want one of %q", s, severities)
		}
	}
	if len(f.By) == 0 {
		return fmt.Errorf("by: got none, want agent or netmaster")
	}
	for _, by := range f.By {
		if by != "agent" && by != "netmaster" {
			return fmt.Errorf("by: got %q, want agent or netmaster", by)
		}
	}
	if f.Check != "" && !slices.Contains(f.By, "agent") {
		return fmt.Errorf("check: got %q, want none, since the agent does not report the finding", f.Check)
	}
	return nil
}

// Go returns the Go name of the finding's code in api/model.
func (f *declaredFinding) Go() string { return variable(f.Code) }

// variable returns the Go name of a code.
func variable(code string) string {
	var b strings.Builder
	for word := range strings.SplitSeq(code, "-") {
		switch word {
		case "bgp", "mac", "mtu", "ovsdb", "vlan", "vtep":
			b.WriteString(strings.ToUpper(word))
		default:
			b.WriteString(exported(word))
		}
	}
	return "Finding" + b.String()
}

// Reporter names the daemon that reports the finding, and its check.
func (f *declaredFinding) Reporter() string {
	var parts []string
	for _, by := range f.By {
		if by == "agent" {
			by += ", check " + f.Check
		}
		parts = append(parts, by)
	}
	return strings.Join(parts, "; ")
}

// Severities lists the severities that the finding can have.
func (f *declaredFinding) Severities() string {
	var parts []string
	for _, s := range f.Severity {
		parts = append(parts, string(s))
	}
	return strings.Join(parts, ", ")
}

// Doc is the full description of the finding.
func (f *declaredFinding) Doc() string { return strings.TrimSpace(f.Summary + " " + f.More) }

// fillFindings writes the tables of the page, each between its two marks.
func fillFindings(page []byte, list []declaredFinding) ([]byte, error) {
	page, err := fillTable(page, "causes", causesTable, slices.DeleteFunc(slices.Clone(list), func(f declaredFinding) bool { return len(f.Explains) == 0 }))
	if err != nil {
		return nil, err
	}
	places := map[string]bool{}
	for i := range list {
		where := list[i].Where
		if places[where] {
			continue
		}
		places[where] = true
		rows := slices.DeleteFunc(slices.Clone(list), func(f declaredFinding) bool { return f.Where != where })
		if page, err = fillTable(page, where, findingsTable, rows); err != nil {
			return nil, err
		}
	}
	return page, nil
}

// fillTable writes a table between its two marks.
func fillTable(page []byte, name, template string, rows []declaredFinding) ([]byte, error) {
	const end = "<!-- end -->\n"
	mark := fmt.Appendf(nil, "<!-- findings %s: make generate writes them from api/findings.yaml -->\n", name)
	before, rest, found := bytes.Cut(page, mark)
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return nil, fmt.Errorf("got no line %q with %q after it, want both around the table", bytes.TrimSpace(mark), strings.TrimSpace(end))
	}
	table, err := markdown(template, rows, nil)
	if err != nil {
		return nil, err
	}
	return slices.Concat(before, mark, table, []byte(end), after), nil
}

const findingsTable = "| code | severity | by | what is wrong | remedy |\n|---|---|---|---|---|\n" +
	"{{range .}}| `{{.Code}}` | {{.Severities}} | {{.Reporter}} | {{cell .Doc}} | {{cell .Remedy}} |\n{{end}}"

const causesTable = "| cause | cuts | explains |\n|---|---|---|\n" +
	"{{range .}}| `{{.Code}}` | {{.Cut}} | {{range $i, $c := .Causes}}{{if $i}}; {{end}}{{cell $c.Text}}{{end}} |\n{{end}}"

const findingsTemplate = `// Code generated by api/gen from api/findings.yaml. DO NOT EDIT.

package model

// The codes of findings.
var ({{range .}}
	{{.Go}} = FindingCode{ {{quote .Code}} }{{end}}
)

// FindingCodes lists every code of a finding once, in the order of api/findings.yaml.
func FindingCodes() []FindingInfo {
	return []FindingInfo{
{{range .}}		{Code: {{.Go}}, Severities: []Severity{ {{range .Severity}}{{printf "%q" .}}, {{end}} }, Reporter: {{quote .Reporter}}, Doc: {{quote .Doc}}, Remedy: {{quote .Remedy}},
			Cut: {{printf "%q" .Cut}}, Explains: []Explanation{ {{range .Causes}}{Relation: {{printf "%q" .Relation}}, Codes: []FindingCode{ {{range .Variables}}{{.}}, {{end}} }}, {{end}} }},
{{end}}	}
}
`
