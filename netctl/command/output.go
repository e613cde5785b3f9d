// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// output has the flags for the format of a command's result.
type output struct {
	json, quiet, watch, headless bool
	format, sort                 string
	more                         string // another format, of this command only
}

// register adds the flags of a list.
func (o *output) register(c *cobra.Command) {
	c.Flags().BoolVarP(&o.json, "json", "j", false, "print JSON; unlike -o json, a list is an array without \"items\"")
	c.Flags().BoolVarP(&o.quiet, "quiet", "q", false, "print only names, without kind or tenant (see also -o name)")
	c.Flags().StringVar(&o.sort, "sort-by", "", "sort by this column, such as Subnet, or by this field of the objects, such as .subnet")
	c.Flags().BoolVar(&o.headless, "no-headers", false, "print no header")
	o.registerOutput(c, "table")
}

// registerOutput adds the flag of a result that is no list, or has one format of its own. initial is the format without the flag. A command
// whose -o is another flag of the original has only --output.
func (o *output) registerOutput(c *cobra.Command, initial string) {
	short := "o"
	if c.Flags().ShorthandLookup(short) != nil {
		short = ""
	}
	usage, formats := term.FormatUsage, term.Formats()
	if o.more != "" {
		usage, formats = o.more+", "+usage, append(formats, o.more)
	}
	c.Flags().StringVarP(&o.format, "output", short, initial, usage)
	_ = c.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoSpace|cobra.ShellCompDirectiveNoFileComp))
}

func (o *output) parse() (term.Format, error) {
	format := term.Format{Sort: o.sort, Headless: o.headless}
	switch {
	case o.json:
		format.Name, format.Bare = "json", true
		return format, nil
	case o.quiet:
		format.Name = term.Quiet
		return format, nil
	case o.more != "" && o.format == o.more:
		format.Name = o.more
		return format, nil
	}
	parsed, err := term.ParseFormat(o.format)
	format.Name, format.Text = parsed.Name, parsed.Text
	return format, err
}

// client returns the client, after it has checked the format.
func (o *output) client(f *Factory) (*client.Client, term.Format, error) {
	format, err := o.parse()
	if err != nil {
		return nil, format, err
	}
	c, err := f.client()
	return c, format, err
}

// print writes a list.
func (f *Factory) print(l *term.Listing, format term.Format) error {
	l.Screen = f.screen(format)
	if !format.Tabular() {
		return local(l.Write(f.Out, format))
	}
	return local(l.Write(f.painted(), format))
}

// table writes the new rows of a table.
func (f *Factory) table(t *term.Table, format term.Format) error {
	t.Screen, t.Headless = f.screen(format), format.Headless
	return local(t.Write(f.painted()))
}

// screen returns the screen for a format: all columns of -o wide, and lines of any length.
func (f *Factory) screen(format term.Format) term.Screen {
	s := f.Screen
	if f.utc && s.Zone != nil {
		s.Zone = time.UTC
	}
	if format.Name != "table" {
		s.Width = 0
	}
	if !format.Tabular() {
		s.Zone = nil
	}
	return s
}

// painted returns the writer for text that term.Screen has prepared: it may have colours, which Out replaces.
func (f *Factory) painted() io.Writer {
	if f.Screen.Colour && f.raw != nil {
		return f.raw
	}
	return f.Out
}

// text writes text for people, whose states have colours.
func (f *Factory) text(text string) error {
	return printf(f.painted(), "%s", f.screen(term.Format{Name: "table"}).Text(text))
}

// stamp prints a time for people.
func (f *Factory) stamp(t time.Time) string { return f.screen(term.Format{Name: "table"}).Time(t) }

// columns returns columns with these headers; those of times, states and texts have their styles.
func columns(headers ...string) []model.Column {
	var out []model.Column
	for _, h := range headers {
		c := model.Column{Header: h}
		switch h {
		case "Time", "Since", "Until", "Made", "Expires":
			c.Style = "time"
		case "Verdict", "Severity", "Fate", "State", "Link":
			c.Style = "state"
		case "Reason", "Why", "Text", "Evidence", "Remedy":
			c.Style = "text"
		}
		out = append(out, c)
	}
	return out
}

// answer is a result that is no list: its text for people, and its value and names for programs.
type answer struct {
	text  string
	names []string
	value any
}

// answer writes a result.
func (f *Factory) answer(a answer, format term.Format) error {
	if format.Tabular() {
		return f.text(a.text)
	}
	return f.print(&term.Listing{Names: a.names, Value: a.value}, format)
}

// document writes a result whose only text is JSON or YAML: a table is YAML.
func (f *Factory) document(a answer, format term.Format) error {
	if format.Tabular() {
		format.Name = "yaml"
	}
	return f.answer(a, format)
}

// changedObject is an object that a command has changed, for programs.
type changedObject struct {
	Kind     string          `json:"kind"`
	Key      string          `json:"key"`
	Action   model.Action    `json:"action"`
	DryRun   bool            `json:"dryRun,omitempty"`
	Revision client.Revision `json:"revision,omitempty"` // of the store, after the change
	Changes  []model.Change  `json:"changes,omitempty"`
	Affected *model.Affected `json:"affected,omitempty"`
	Refusal  *model.Problem  `json:"refusal,omitempty"`
}

// changedObjects returns the results of a request for programs.
func changedObjects(results []model.ApplyResult, dry bool, rev client.Revision) (out []changedObject) {
	if dry {
		rev = 0 // nothing was stored
	}
	for _, r := range results {
		out = append(out, changedObject{r.Kind, r.Key, r.Action, dry, rev, r.Changes, r.Affected, r.Refusal})
	}
	return out
}

// changed writes the results of a request, with text for people.
func (f *Factory) changed(format term.Format, list []changedObject, text func(c *changedObject) string) error {
	l := &term.Listing{Table: term.Table{Columns: columns("Kind", "Key", "Action")}, Value: list}
	for i := range list {
		c := &list[i]
		if format.Tabular() {
			if err := printf(f.Out, "%s", text(c)); err != nil {
				return err
			}
		}
		l.Row(nameOf(c.Kind, c.Key), []string{c.Kind, c.Key, string(c.Action)})
	}
	if format.Tabular() {
		return nil
	}
	return f.print(l, format)
}

// nameOf returns the name of an object as -o name prints it.
func nameOf(kind, key string) string {
	if k, ok := model.KindOf(kind); ok {
		return fullName(k, key)
	}
	return kind + "/" + key
}

// line is the text of a change: "network default:n1 created (dry run) (affects ...)".
func (c *changedObject) line() string {
	note := ""
	if c.DryRun {
		note = " (dry run)"
	}
	return fmt.Sprintf("%s %s %s%s\n", c.Kind, c.Key, c.Action, note+affects(c.Affected))
}

// dryRun is the flag of a trial: "" or "server".
type dryRun string

func (d *dryRun) register(c *cobra.Command) {
	c.Flags().StringVar((*string)(d), "dry-run", "", `check on the server without changing anything; the only value is "server"`)
	c.Flags().Lookup("dry-run").NoOptDefVal = "server"
}

// on reports whether nothing may change.
func (d dryRun) on() bool { return d != "" }

func (d dryRun) check() error {
	if d != "" && d != "server" {
		return term.BadUsage("--dry-run: got %s, want server", string(d))
	}
	return nil
}

// kinded is an object with its kind, as files for apply have it.
type kinded struct {
	kind *model.Kind
	of   any
}

// MarshalJSON puts the kind before the fields of the object.
func (k kinded) MarshalJSON() ([]byte, error) {
	text, err := json.Marshal(k.of)
	if err != nil || !bytes.HasPrefix(text, []byte("{")) {
		return text, err
	}
	head := fmt.Appendf(nil, "{%q:%q", "kind", k.kind.Name)
	if !bytes.Equal(text, []byte("{}")) {
		head = append(head, ',')
	}
	return append(head, text[1:]...), nil
}
