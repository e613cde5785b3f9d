// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strings"
	"testing"

	"github.com/contiv/contiv/api/yaml"
)

// A column of a listing is a field of the type, also of a struct within it or of the one that the listing declares, or what a method returns.
func TestListing(t *testing.T) {
	const head = "name: host\ntype: Host\nreport:\n  type: HostReport\n  doc: HostReport is a report.\n  fields:\n    - {name: kernel, type: string, doc: the kernel}\n" +
		"views:\n  - name: hosts\n    doc: the hosts\n    columns:\n"
	const source = "package model\ntype Host struct {\n\tLabel string `json:\"name\"`\n\tHostReport\n\tBy Actor `json:\"by\"`\n}\ntype Actor struct {\n\tVia string `json:\"via,omitempty\"`\n}\n"
	for _, row := range []struct{ column, want string }{
		{"{header: Name, field: name, wide: true}", `{Column: Column{Header: "Name", Wide: true}, Value: func(x *Host) any { return x.Label }}`},
		{"{header: Kernel, field: kernel, through: reported}", `{Column: Column{Header: "Kernel"}, Value: func(x *Host) any { return x.reported(x.Kernel) }}`},
		{"{header: Via, field: by.via, none: direct}", `{Column: Column{Header: "Via", None: "direct"}, Value: func(x *Host) any { return x.By.Via }}`},
		{"{header: State, call: state, style: time}", `{Column: Column{Header: "State", Style: "time"}, Value: func(x *Host) any { return x.state() }}`},
		{"{header: Up}", `{Column: Column{Header: "Up"}}`},
		{"{header: Name, field: label}", `view hosts: column Name: type Host has no field "label"`},
		{"{header: Via, field: by.path}", `column Via: type Actor has no field "path"`},
		{"{header: Name, field: name, call: state}", "got field and call, want one of them"},
		{"{header: Name, through: reported}", "through reported has no field"},
	} {
		types := &goTypes{map[string]declared{}, map[string]struct{}{}}
		if err := types.add("", "host.go", []byte(source)); err != nil {
			t.Fatal(err)
		}
		l := &listing{}
		if err := yaml.UnmarshalStrict([]byte(head+"      - "+row.column+"\n"), l); err != nil {
			t.Fatal(err)
		}
		text, err := l.source(types)
		got := string(text)
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, row.want) {
			t.Errorf("%s: want %s, got %s", row.column, row.want, got)
		}
	}
}
