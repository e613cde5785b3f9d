// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newExplain(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "explain [KIND[.FIELD]|CODE]", Short: "List the kinds of objects, or describe a kind, a field, or the code of an error or a finding",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return term.BadUsage("expected at most one argument (KIND[.FIELD] or CODE), got %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return explainable(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			format, err := o.parse()
			if err != nil {
				return err
			}
			return runExplain(f, format, args)
		},
	}
	o.register(c)
	return c
}

// explainable lists what explain describes by one word: the kinds, and the codes of errors and findings.
func explainable() []string {
	names := kindNames()
	for _, c := range model.Codes() {
		names = append(names, string(c.Code))
	}
	for _, c := range model.FindingCodes() {
		names = append(names, c.Code.String())
	}
	return names
}

// explanation is a description as text, and as a value for programs.
type explanation struct {
	names []string
	text  string
	value any
}

func runExplain(f *Factory, format term.Format, args []string) error {
	x := explanation{kindNames(), kindTable(true), explainedKinds(model.UserKinds())}
	if len(args) == 1 {
		var err error
		if x, err = explain(args[0]); err != nil {
			return err
		}
	}
	return f.answer(answer{x.text, x.names, x.value}, format)
}

// kindTable lists the kinds that have commands with all their names and, with explained, the first sentence about them.
func kindTable(explained bool) string {
	var b strings.Builder
	out := tabwriter.NewWriter(&b, 0, 2, 2, ' ', 0)
	row := func(kind, names, about string) {
		if !explained {
			fmt.Fprintf(out, "%s\t%s\n", kind, names)
			return
		}
		fmt.Fprintf(out, "%s\t%s\t%s\n", kind, names, about)
	}
	row("KIND", "OTHER NAMES", "WHAT IT IS")
	for _, k := range model.UserKinds() {
		row(k.Name, strings.Join(k.NamesBeside(k.Name), " "), k.Summary()+".")
	}
	_ = out.Flush() // a Builder accepts everything
	return b.String()
}

// explain describes a code, a kind or a field.
func explain(what string) (explanation, error) {
	for _, c := range model.Codes() {
		if string(c.Code) == what {
			return explanation{[]string{what}, fmt.Sprintf("error code %s (HTTP %d, exit %d)\n\n%s\n%s\n", c.Code, c.Status, c.Exit, c.Doc, c.Remedy), c}, nil
		}
	}
	for _, c := range model.FindingCodes() {
		if c.Code.String() == what {
			return explanation{[]string{what}, findingText(&c), c}, nil
		}
	}
	kindName, fieldName, one := strings.Cut(what, ".")
	k, ok := model.KindOf(kindName)
	if !ok {
		return explanation{}, unexplained(kindName)
	}
	if !one {
		return explanation{[]string{k.Name}, kindText(k), explainedKinds([]*model.Kind{k})[0]}, nil
	}
	for _, field := range slices.Concat(k.Fields, k.Oper) {
		if field.Name == fieldName {
			text := fmt.Sprintf("%s.%s (%s)\n\n%s\n%s", k.Name, field.Name, field.Type, field.Doc, limits(field))
			return explanation{[]string{field.Name}, text, explainedFields([]model.Field{field})[0]}, nil
		}
	}
	return explanation{}, term.BadUsage("%s has no field %q; netctl explain %s lists them", k.Name, fieldName, k.Name)
}

// unexplained is the refusal of a word that is neither a kind nor a code.
func unexplained(what string) error {
	meant := "netctl explain lists the kinds; docs/findings.md and docs/reference/errors.md list the codes"
	if alike := model.Alike(what, explainable()); len(alike) > 0 {
		meant = "did you mean " + strings.Join(alike, ", ") + "? " + meant
	}
	return term.BadUsage("unknown kind or code %q: %s", what, meant)
}

// findingText describes the code of a finding.
func findingText(c *model.FindingInfo) string {
	var severities []string
	for _, s := range c.Severities {
		severities = append(severities, string(s))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "finding %s (%s)\n\n%s\n%s\nReported by: %s\nCuts: %s\n", c.Code, strings.Join(severities, ", "), c.Doc, c.Remedy, c.Reporter, c.Cut)
	for _, e := range c.Explains {
		fmt.Fprintf(&b, "Explains, %s: %s\n", e.Relation.Describe(), codeList(e.Codes))
	}
	var by []model.FindingCode
	for _, other := range model.FindingCodes() {
		if slices.ContainsFunc(other.Explains, func(e model.Explanation) bool { return slices.Contains(e.Codes, c.Code) }) {
			by = append(by, other.Code)
		}
	}
	if len(by) > 0 {
		fmt.Fprintf(&b, "May follow from: %s\n", codeList(by))
	}
	return b.String()
}

// codeList lists codes in one line.
func codeList(codes []model.FindingCode) string {
	var out []string
	for _, c := range codes {
		out = append(out, c.String())
	}
	return strings.Join(out, ", ")
}

// explainedKind is a kind for programs.
type explainedKind struct {
	Kind   string           `json:"kind"`
	Names  []string         `json:"names"`
	Title  string           `json:"title"`
	Key    []string         `json:"key"`
	Doc    string           `json:"doc"`
	Owner  string           `json:"owner,omitempty"`
	Change string           `json:"change,omitempty"` // the owner's command that changes an object
	Fields []explainedField `json:"fields,omitempty"`
	Oper   []explainedField `json:"oper,omitempty"`
}

// explainedField is a field for programs.
type explainedField struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"`
	Doc      string   `json:"doc"`
	Required bool     `json:"required,omitempty"`
	Enum     []string `json:"enum,omitempty"`
	Format   string   `json:"format,omitempty"`
	Default  string   `json:"default,omitempty"`
	Example  string   `json:"example,omitempty"`
	MaxLen   int      `json:"maxLength,omitempty"` // bytes
	Min      int      `json:"min,omitempty"`
	Max      int      `json:"max,omitempty"`
}

func explainedKinds(kinds []*model.Kind) (out []explainedKind) {
	for _, k := range kinds {
		out = append(out, explainedKind{k.Name, k.Names, k.Title, k.Key, k.Doc, k.Owner, k.Change, explainedFields(k.Fields), explainedFields(k.Oper)})
	}
	return out
}

func explainedFields(fields []model.Field) (out []explainedField) {
	for _, f := range fields {
		out = append(out, explainedField{f.Name, fmt.Sprint(f.Type), f.Doc, f.Required, f.Enum, f.Format, f.Default, f.Example, f.MaxLen, f.Min, f.Max})
	}
	return out
}

// kindText describes a kind with its fields.
func kindText(k *model.Kind) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s), key %s\n\n%s\n", k.Name, k.Title, model.Key(k.Key...), k.Doc)
	if k.Owner != "" {
		fmt.Fprintf(&b, "\n%s owns it: %s changes it.\n", k.Owner, k.Change)
	}
	for _, part := range []struct {
		title  string
		fields []model.Field
	}{{"Fields", k.Fields}, {"Operational state", k.Oper}} {
		if len(part.fields) == 0 {
			continue
		}
		out := tabwriter.NewWriter(&b, 0, 2, 2, ' ', 0)
		fmt.Fprintf(out, "\n%s:\n", part.title)
		for _, field := range part.fields {
			mark := ""
			if field.Required {
				mark = "required. "
			}
			fmt.Fprintf(out, "  %s\t%s\t%s%s\n", field.Name, field.Type, mark, field.Doc)
		}
		_ = out.Flush() // a Builder takes everything
	}
	return b.String()
}

// limits lists the permitted values of a field, one per line.
func limits(f model.Field) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if f.Required {
		line("required")
	}
	if len(f.Enum) > 0 {
		line("one of: %s", strings.Join(f.Enum, ", "))
	}
	if format, ok := model.Formats()[f.Format]; ok {
		line("takes %s", format.Description)
	}
	if f.MaxLen > 0 {
		line("at most %d characters", f.MaxLen)
	}
	if f.Max > 0 {
		line("between %d and %d", f.Min, f.Max)
	}
	if f.Default != "" {
		line("default: %s", f.Default)
	}
	if f.Example != "" {
		line("example: %s", f.Example)
	}
	return b.String()
}
