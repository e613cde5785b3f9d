// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// showHealth prints findings, each with its evidence, its remedy and the next command: causes, and with all also what they explain.
func showHealth(f *Factory, h *model.Health, format term.Format, all bool) error {
	if format.Name == prometheus {
		return writeExposition(f.Out, h)
	}
	l := &term.Listing{Table: term.Table{Columns: columns("Severity", "Code", "Object", "Host", "Since", "Evidence", "Remedy", "Next")}, Value: h}
	if format.Name == "csv" || format.Name == "custom-columns" || format.Sort != "" {
		l.Value = h.Findings
	}
	for i := range h.Findings {
		x := &h.Findings[i]
		l.Row(x.Object, []string{string(x.Severity), x.Code.String(), x.Object, x.Host, x.Since, x.Evidence, x.Remedy, x.Next})
	}
	if !format.Tabular() {
		return f.print(l, format)
	}
	effects := effectsOf(h.Findings)
	var out strings.Builder
	for i := range h.Findings {
		x := &h.Findings[i]
		if x.CausedBy != nil && !all && causeOf(h.Findings, x) {
			continue
		}
		if x.Acknowledged != nil && !all { // dimmed: its header only
			writeHeader(&out, x, f.restamped(x.Since))
			fmt.Fprintf(&out, "         %s (--all)\n", x.Acknowledged.Text())
			continue
		}
		writeFinding(&out, x, f.restamped(x.Since))
		if x.Acknowledged != nil {
			fmt.Fprintf(&out, "         %s\n", x.Acknowledged.Text())
		}
		if x.CausedBy != nil {
			fmt.Fprintf(&out, "         because of: %s\n", x.CausedBy)
		}
		if more := effects[x.Ref()]; len(more) > 0 {
			fmt.Fprintf(&out, "         and %d more: %s\n", len(more), counted(more, all))
		}
	}
	if h.Worst() == "" {
		fmt.Fprintf(&out, "no problems found: %d netmasters, %d hosts, %d endpoints\n", h.Masters, h.Hosts, h.Endpoints)
	}
	return f.text(out.String())
}

// writeHeader prints the line that names a finding.
func writeHeader(out *strings.Builder, x *model.Finding, since string) {
	fmt.Fprintf(out, "%-8s %s  %s", strings.ToUpper(string(x.Severity)), x.Code, x.Object)
	if x.Host != "" && x.Object != "host/"+x.Host {
		fmt.Fprintf(out, " on %s", x.Host)
	}
	fmt.Fprintf(out, "  since %s\n", since)
}

// writeFinding prints one finding.
func writeFinding(out *strings.Builder, x *model.Finding, since string) {
	writeHeader(out, x, since)
	fmt.Fprintf(out, "         %s\n         do: %s\n", x.Evidence, x.Remedy)
	if x.Next != "" {
		fmt.Fprintf(out, "         see: %s\n", x.Next)
	}
}

// effectsOf returns the codes of the findings that each cause explains, in their order.
func effectsOf(list []model.Finding) map[model.FindingRef][]string {
	out := map[model.FindingRef][]string{}
	for i := range list {
		if cause := list[i].CausedBy; cause != nil {
			out[*cause] = append(out[*cause], list[i].Code.String())
		}
	}
	return out
}

// causeOf reports whether the list has the cause of a finding.
func causeOf(list []model.Finding, x *model.Finding) bool {
	return slices.ContainsFunc(list, func(f model.Finding) bool { return f.Ref() == *x.CausedBy })
}

// counted lists codes, each once with its number, and the flag that shows the findings unless all are shown.
func counted(codes []string, all bool) string {
	number, order := map[string]int{}, []string(nil)
	for _, c := range codes {
		if number[c]++; number[c] == 1 {
			order = append(order, c)
		}
	}
	for i, c := range order {
		if n := number[c]; n > 1 {
			order[i] = fmt.Sprintf("%d %s", n, c)
		}
	}
	text := strings.Join(order, ", ")
	if !all {
		text += " (--all)"
	}
	return text
}

// restamped prints a time of RFC 3339 for people; another text stays as it is.
func (f *Factory) restamped(text string) string {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return text
	}
	return f.stamp(t)
}
