// SPDX-License-Identifier: Apache-2.0

// Package describe builds the page of one object for operators, which netctl describe and the console show: its problems, its fields, the
// allowed connections, services, neighbours, events, addresses and drops. Everything comes from netmaster's REST API. A section whose source
// did not answer is unknown, with the reason; it is never just empty.
package describe

import (
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// NodeKind is the kind of netmasters and agents, and AddressKind that of addresses, which have no objects.
const (
	NodeKind    = "node"
	AddressKind = "address"
)

// Document is the page of one object.
type Document struct {
	Kind     string    `json:"kind"` // as commands take it: "network", "group", "node"
	Key      string    `json:"key"`
	Sections []Section `json:"sections"`
}

// Section is a part of the page.
type Section struct {
	Title   string   `json:"title"`
	Rows    []Row    `json:"rows,omitempty"`
	None    string   `json:"none,omitempty"`    // text if there are no rows, and nothing is unknown
	Unknown []string `json:"unknown,omitempty"` // reasons why rows are unknown or missing
}

// Row is one line of a section.
type Row struct {
	Name  string         `json:"name,omitempty"`
	Time  *time.Time     `json:"time,omitempty"`  // of an event
	State model.Severity `json:"state,omitempty"` // of a problem
	Text  []Part         `json:"text"`
}

// Part is a piece of a line's text. The parts of a line follow each other without blanks.
type Part struct {
	Text string `json:"text"`
	Link *Ref   `json:"link,omitempty"` // the mentioned object; nil: none
}

// Ref names an object.
type Ref struct {
	Kind    string `json:"kind"` // as in Document, or AddressKind
	Key     string `json:"key"`  // of an address: that of its network
	Address string `json:"address,omitempty"`
}

// String is the row's text.
func (r *Row) String() string {
	var b strings.Builder
	for _, p := range r.Text {
		b.WriteString(p.Text)
	}
	return b.String()
}

// Lines are the rows, followed by what is unknown, or the text of an empty section.
func (s *Section) Lines() []Row {
	out := append([]Row(nil), s.Rows...)
	for _, why := range s.Unknown {
		out = append(out, Row{State: model.SeverityUnknown, Text: []Part{plain("unknown: %s", why)}})
	}
	if len(out) == 0 {
		out = append(out, Row{Text: []Part{plain("%s", s.None)}})
	}
	return out
}

// plain is text without a link.
func plain(format string, args ...any) Part { return Part{Text: fmt.Sprintf(format, args...)} }

// link mentions an object of a kind by its key.
func link(k *model.Kind, key string) Part { return linkAs(k, key, key) }

// linkAs mentions an object by another name than its key.
func linkAs(k *model.Kind, key, text string) Part {
	return Part{Text: text, Link: &Ref{Kind: k.Command.Use, Key: key}}
}

// host mentions the agent of a host.
func host(name string) Part { return Part{Text: name, Link: &Ref{Kind: NodeKind, Key: name}} }

// row makes a row of a name and its text.
func row(name string, parts ...Part) Row { return Row{Name: name, Text: parts} }

// maxListed bounds the mentions in a row, and the rows of a list.
const maxListed = 20

// listed joins mentions by commas, and counts those for which there is no room.
func listed(parts []Part) (out []Part) {
	for i, p := range parts {
		if i == maxListed {
			return append(out, plain(" and %d more", len(parts)-i))
		}
		if i > 0 {
			out = append(out, plain(", "))
		}
		out = append(out, p)
	}
	return out
}
