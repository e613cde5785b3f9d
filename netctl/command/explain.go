package command

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

func newExplain(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "explain [KIND[.FIELD]|CODE]", Short: "List the kinds of objects, or describe a kind, a field or an error code",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return term.BadUsage("expected at most one argument (KIND[.FIELD] or CODE), got %d", len(args))
			}
			return nil
		},
		ValidArgsFunction: completeKind,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printf(f.Out, "%s", kindTable(true))
			}
			return runExplain(f, args[0])
		},
	}
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

func runExplain(f *Factory, what string) error {
	for _, c := range model.Codes() {
		if string(c.Code) == what {
			return printf(f.Out, "error code %s (HTTP %d, exit %d)\n\n%s\n%s\n", c.Code, c.Status, c.Exit, c.Doc, c.Remedy)
		}
	}
	kindName, fieldName, one := strings.Cut(what, ".")
	k, err := kindOf(kindName)
	if err != nil {
		return err
	}
	if one {
		for _, fields := range [][]model.Field{k.Fields, k.Oper} {
			for _, field := range fields {
				if field.Name == fieldName {
					return printf(f.Out, "%s.%s (%s)\n\n%s\n%s", k.Name, field.Name, field.Type, field.Doc, limits(field))
				}
			}
		}
		return term.BadUsage("%s has no field %q; netctl explain %s lists them", k.Name, fieldName, k.Name)
	}
	return explainKind(f, k)
}

func explainKind(f *Factory, k *model.Kind) error {
	if err := printf(f.Out, "%s (%s), key %s\n\n%s\n", k.Name, k.Title, strings.Join(k.Key, ":"), k.Doc); err != nil {
		return err
	}
	if k.Owner != "" {
		if err := printf(f.Out, "\n%s owns it: %s changes it.\n", k.Owner, k.Change); err != nil {
			return err
		}
	}
	for _, part := range []struct {
		title  string
		fields []model.Field
	}{{"Fields", k.Fields}, {"Operational state", k.Oper}} {
		if len(part.fields) == 0 {
			continue
		}
		out := tabwriter.NewWriter(f.Out, 0, 2, 2, ' ', 0)
		fmt.Fprintf(out, "\n%s:\n", part.title)
		for _, field := range part.fields {
			mark := ""
			if field.Required {
				mark = "required. "
			}
			fmt.Fprintf(out, "  %s\t%s\t%s%s\n", field.Name, field.Type, mark, field.Doc)
		}
		if err := local(out.Flush()); err != nil {
			return err
		}
	}
	return nil
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
