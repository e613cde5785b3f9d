// SPDX-License-Identifier: Apache-2.0

package app

import (
	"encoding/json"
	"strings"
	"time"

	"github.com/contiv/contiv/api/describe"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// describeBriefly gives an object of the fixed cluster a page, unless it has one.
func describeBriefly(s *feed.Snapshot, kind, key string) {
	q := feed.Question{Topic: feed.Described, Kind: kind, Key: key}
	if _, known := s.Answers[q]; known {
		return
	}
	if kind == "" {
		kind = describe.NodeKind
	}
	s.Answers[q] = feed.Answer{At: s.Received, Value: describe.Document{Kind: kind, Key: key, Sections: []describe.Section{
		{Title: "Problems", None: "none known"}, {Title: "About", Rows: []describe.Row{{Name: "page", Text: []describe.Part{{Text: "described: " + kind + " " + key}}}}}}}}
}

func words(texts ...string) (out []describe.Part) {
	for _, t := range texts {
		out = append(out, describe.Part{Text: t})
	}
	return out
}

func mention(kind, key, text string) describe.Part {
	return describe.Part{Text: text, Link: &describe.Ref{Kind: kind, Key: key}}
}

func row(name string, parts ...describe.Part) describe.Row {
	return describe.Row{Name: name, Text: parts}
}

// describedEndpoint is a page with every form of a row.
func describedEndpoint(now time.Time) describe.Document {
	hour := now.Add(-time.Hour)
	comma := describe.Part{Text: ", "}
	return describe.Document{Kind: "endpoint", Key: "acme:blue:web-1", Sections: []describe.Section{
		{Title: "Problems", Rows: []describe.Row{
			{Name: "error", State: model.SeverityError, Text: append(words("agent-silent "), mention("node", "h1", "host/h1"), describe.Part{Text: ": its agent has not reported for 20 seconds, so that nothing of what happens on the host reaches a netmaster (for 1 minute)"})},
			row("", words("remedy: start netplugin on the host, or look why it reaches no netmaster")...)}},
		{Title: "About", Rows: []describe.Row{
			row("addresses", describe.Part{Text: "10.1.1.1", Link: &describe.Ref{Kind: "address", Key: "acme:blue", Address: "10.1.1.1"}}, comma,
				describe.Part{Text: "2001:db8:1::1", Link: &describe.Ref{Kind: "address", Key: "acme:blue", Address: "2001:db8:1::1"}}, describe.Part{Text: ", 02:02:0a:01:01:01"}),
			row("host", mention("node", "h1", "h1")), row("network", mention("network", "acme:blue", "acme:blue")), row("group", mention("group", "acme:web", "acme:web")), row("tenant", mention("tenant", "acme", "acme"))}},
		{Title: "May be reached by", Rows: []describe.Row{row("all", mention("group", "acme:db", "db"), comma, mention("group", "acme:web", "web"), comma, describe.Part{Text: "outside"})}},
		{Title: "May reach", Rows: []describe.Row{row("tcp 5432", mention("group", "acme:db", "db"), describe.Part{Text: " (rules "}, mention("rule", "acme:db-in:base", "db-in:base"), comma, mention("rule", "acme:db-in:pg", "db-in:pg"), describe.Part{Text: ")"})}},
		{Title: "Provides", Rows: []describe.Row{row("", mention("service", "acme:front", "acme:front"), describe.Part{Text: "  10.1.1.7 80:8080:TCP"})}},
		{Title: "Neighbours", Unknown: []string{"host h1: its agent does not answer"}},
		{Title: "Events", Rows: []describe.Row{{Time: &hour, Text: words("create by h1 (unproved) with netplugin")}}},
		{Title: "Commands", Rows: []describe.Row{row("why", words("netctl why endpoint/acme:blue:web-1 TO tcp PORT")...)}},
	}}
}

func describedNetwork() describe.Document {
	return describe.Document{Kind: "network", Key: "acme:blue", Sections: []describe.Section{
		{Title: "Problems", None: "none known"},
		{Title: "About", Rows: []describe.Row{row("tenant", mention("tenant", "acme", "acme")), row("subnet", words("10.1.1.0/24")...), row("available addresses", words("10.1.1.8-10.1.1.253")...)}},
		{Title: "Endpoints", Rows: []describe.Row{
			row("", mention("endpoint", "acme:blue:db", "db"), describe.Part{Text: "  10.1.1.2  group "}, mention("group", "acme:db", "acme:db"), describe.Part{Text: "  on "}, mention("node", "h2", "h2")),
			row("", mention("endpoint", "acme:blue:web-1", "shop/web"), describe.Part{Text: "  10.1.1.1  group "}, mention("group", "acme:web", "acme:web"), describe.Part{Text: "  on "}, mention("node", "h1", "h1"))}},
		{Title: "Endpoint groups", Rows: []describe.Row{row("", mention("group", "acme:db", "db"), describe.Part{Text: ", "}, mention("group", "acme:web", "web"))}},
		{Title: "Events", Unknown: []string{"no answer within 4s"}},
	}}
}

func describedNode() describe.Document {
	return describe.Document{Kind: describe.NodeKind, Key: "h2", Sections: []describe.Section{
		{Title: "Problems", Rows: []describe.Row{{Name: "warning", State: model.SeverityWarning, Text: append(words("agent-lag "), mention("node", "h2", "host/h2"), describe.Part{Text: ": 3 changes are on the way to its switch"})}}},
		{Title: "About", Rows: []describe.Row{row("role", words("agent")...), row("ready", words("yes")...)}},
		{Title: "Endpoints", Rows: []describe.Row{row("", mention("endpoint", "acme:blue:db", "db"), describe.Part{Text: "  10.1.1.2  group "}, mention("group", "acme:db", "acme:db"))}},
	}}
}

// renamed is a document with other names, by way of its encoding.
func renamed(d describe.Document, names ...string) (out describe.Document) {
	text, err := json.Marshal(d)
	if err == nil {
		err = json.Unmarshal([]byte(strings.NewReplacer(names...).Replace(string(text))), &out)
	}
	if err != nil {
		panic(err)
	}
	return out
}
