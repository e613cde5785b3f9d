// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/contiv/contiv/daemon/flags"
)

// pages makes manual pages in the language man(7).
type pages struct {
	version, date string
}

// page is a manual page that grows.
type page struct{ bytes.Buffer }

// newPage begins a page.
func (p pages) newPage(name, section, about string) *page {
	out := &page{}
	fmt.Fprintf(out, ".TH %q %s %q %q %q\n", strings.ToUpper(name), section, p.date, "Contiv "+p.version, "Contiv")
	out.section("NAME")
	fmt.Fprintf(out, "%s \\- %s\n", escaped(name), escaped(about))
	return out
}

func (p *page) section(title string) { fmt.Fprintf(p, ".SH %s\n", title) }

// text writes paragraphs.
func (p *page) text(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			p.WriteString(".PP\n")
		}
		p.WriteString(escaped(paragraph) + "\n")
	}
}

// verbatim writes lines as they are.
func (p *page) verbatim(text string) {
	p.WriteString(".PP\n.nf\n" + escaped(strings.Trim(text, "\n")) + "\n.fi\n")
}

// item writes a term with its explanation.
func (p *page) item(term, text string) {
	fmt.Fprintf(p, ".TP\n\\fB%s\\fR\n%s\n", escaped(term), escaped(text))
}

// escaped returns text in which nothing is a command of man(7).
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// pageName returns the name of a command's page, such as netctl-network-create.
func pageName(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// command returns the page of a command.
func (p pages) command(c *cobra.Command) []byte {
	out := p.newPage(pageName(c), "1", c.Short)
	out.section("SYNOPSIS")
	out.text(c.UseLine())
	out.section("DESCRIPTION")
	if c.Long != "" {
		out.text(c.Long)
	} else {
		out.text(c.Short + ".")
	}
	out.options("OPTIONS", c.NonInheritedFlags())
	out.options("OPTIONS OF ALL COMMANDS", c.InheritedFlags())
	if c.Example != "" {
		out.section("EXAMPLES")
		out.verbatim(c.Example)
	}
	var also []string
	if c.HasParent() {
		also = append(also, pageName(c.Parent())+"(1)")
	}
	for _, below := range c.Commands() {
		if below.IsAvailableCommand() && below.Name() != "completion" {
			also = append(also, pageName(below)+"(1)")
		}
	}
	if len(also) > 0 {
		out.section("SEE ALSO")
		out.text(strings.Join(also, ", "))
	}
	return out.Bytes()
}

// options writes a section about flags, unless there are none.
func (p *page) options(title string, all *pflag.FlagSet) {
	if !all.HasAvailableFlags() {
		return
	}
	p.section(title)
	all.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		kind, usage := pflag.UnquoteUsage(f)
		if kind != "" {
			term += " " + kind
		}
		if !slices.Contains([]string{"", "false", "0", "[]", "0s"}, f.DefValue) {
			usage += " (default " + f.DefValue + ")"
		}
		p.item(term, usage)
	})
}

// daemon returns the page of a daemon, which lists the flags and variables that it reads.
func (p pages) daemon(program string) ([]byte, error) {
	text, err := exec.Command(program, "--variables").Output()
	if err != nil {
		return nil, fmt.Errorf("%s --variables: %w", program, err)
	}
	var variables []flags.Variable
	if err := json.Unmarshal(text, &variables); err != nil {
		return nil, fmt.Errorf("%s --variables: %w", program, err)
	}
	name := filepath.Base(program)
	about := map[string]string{"netmaster": "the master of a cluster's container networks", "netplugin": "the agent of a host's container networks"}[name]
	out := p.newPage(name, "8", about)
	out.section("SYNOPSIS")
	out.text(name + " [flags]")
	out.section("DESCRIPTION")
	out.text(fmt.Sprintf("The unit contiv-%s.service starts %[1]s once contiv-init(1) or contiv-join(1) has made this machine a host of a cluster. "+
		"Flags take precedence over variables of the environment.\n\nIt exits with 22 if the configuration is wrong, and with 1 after another failure.", name))
	out.section("OPTIONS")
	for _, v := range variables {
		usage := v.Usage
		if v.Default != "" && v.Default != "false" && v.Default != "0" {
			usage += " (default " + v.Default + ")"
		}
		out.item("--"+v.Flag+", $"+v.Name, usage)
	}
	out.item("--version", "print the version and exit")
	out.section("FILES")
	out.item("/etc/contiv/host/"+name+".env", "settings that contiv init and contiv join write")
	out.item("/etc/contiv/"+name+".env", "your settings, which take precedence")
	out.section("SEE ALSO")
	out.text("contiv(1), netctl(1)")
	return out.Bytes(), nil
}
