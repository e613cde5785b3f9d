// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode"

	"github.com/contiv/contiv/api/yaml"
)

// kind is one file of api/schema.
type kind struct {
	Name        string   `json:"name"`
	Plural      string   `json:"plural"`
	Many        string   `json:"many"`  // in texts; "": Plural
	Short       []string `json:"short"` // short names
	Title       string   `json:"title"`
	Doc         string   `json:"doc"`
	Key         []string `json:"key"`
	InspectOnly bool     `json:"inspectOnly"`
	Owner       string   `json:"owner"`   // the system that creates and changes the objects, if not Contiv's user: they are read-only
	Change      string   `json:"change"`  // the owner's command that changes one
	Guarded     bool     `json:"guarded"` // only admins see and change the objects
	Fields      []field  `json:"fields"`
	Oper        []field  `json:"oper"`
	LinkSets    []link   `json:"linkSets"`
	Links       []link   `json:"links"`
	Columns     []column `json:"columns"`
	Command     command  `json:"command"`
	// Sample is a valid object for the reference: values by field name.
	Sample map[string]any `json:"sample"`
}

type field struct {
	Name     string   `json:"name"`
	Type     string   `json:"type"` // string (default), int, strings, labels
	List     string   `json:"list"` // of operational state of this kind
	Doc      string   `json:"doc"`
	Example  string   `json:"example"`
	Format   string   `json:"format"`
	Enum     []string `json:"enum"`
	Default  string   `json:"default"`
	MaxLen   int      `json:"-"`
	Min      int      `json:"min"`
	Max      int      `json:"max"` // the bound of an int, the length of a string
	Required bool     `json:"required"`
	Optional bool     `json:"optional"` // an enum that may be empty, an int below whose min 0 is accepted
	Summary  bool     `json:"summary"`
	Secret   bool     `json:"secret"` // the history hides the value
	// Inspected: operational state that lists omit.
	Inspected bool `json:"inspected"`
}

type link struct {
	Name string `json:"name"`
	To   string `json:"to"`
	// Via are fields that name the other objects. A single link uses the first that is set.
	Via []string `json:"via"`
	// Back means a single link to the object of that kind that links here.
	Back bool `json:"back"`
}

type column struct {
	Header string `json:"header"`
	Field  string `json:"field"` // none: an empty column
	Dashes int    `json:"dashes"`
	Wide   bool   `json:"wide"`
	Style  string `json:"style"` // how the value is shown: brackets, bandwidth, labels, time, yesno, state, text; default plain
	Rank   string `json:"rank"`  // low or high: how long the column keeps its width on a narrow terminal
	// Parts are texts with a {field}, instead of Field: those whose field is set are shown, separated by commas.
	Parts []string `json:"parts"`
	None  string   `json:"none"` // shown for an empty value or 0
}

// names lists the fields that the column shows.
func (c *column) names() []string {
	if c.Field != "" {
		return []string{c.Field}
	}
	var out []string
	for _, part := range c.Parts {
		_, rest, _ := strings.Cut(part, "{")
		name, _, _ := strings.Cut(rest, "}")
		out = append(out, name)
	}
	return out
}

type command struct {
	Use      string   `json:"use"`
	Under    string   `json:"under"` // command of which this one's verbs are part, as "rule-add"
	Aliases  []string `json:"aliases"`
	Verbs    []string `json:"verbs"`  // of create, rm, ls, inspect; empty: all
	Single   bool     `json:"single"` // of one object: info, inspect, set
	Merge    bool     `json:"merge"`  // set keeps fields that are not given
	Args     []string `json:"args"`
	More     bool     `json:"more"`  // create ignores further arguments
	Names    string   `json:"names"` // arguments of rm and inspect: "Tenant name"
	Wants    string   `json:"wants"` // arguments of create; empty: Names
	Creating string   `json:"creating"`
	Deleting string   `json:"deleting"`
	Flags    []flagOf `json:"flags"`
	Info     []line   `json:"info"`
}

// line is one line of the info of a single object.
type line struct {
	Text  string `json:"text"`
	Field string `json:"field"`
}

type flagOf struct {
	Name    string `json:"name"`
	Short   string `json:"short"`
	Alias   string `json:"alias"`
	Field   string `json:"field"`
	Default string `json:"default"`
	Needed  bool   `json:"required"` // on the command line, though not by the server
	Split   string `json:"split"`    // separator of the elements in one value of a list
}

// loadCommon reads the fields that all kinds have whose objects users change.
func loadCommon(path string) ([]field, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var common struct {
		Fields []field `json:"fields"`
	}
	if err := yaml.UnmarshalStrict(text, &common); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return common.Fields, nil
}

// load reads every schema file, strictly, adds the common fields, and checks what a generator can check.
func load(dir string, common []field) ([]*kind, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no schema files", dir)
	}
	sort.Strings(paths)
	var kinds []*kind
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		k := &kind{}
		if err := yaml.UnmarshalStrict(text, k); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if k.Writable() {
			k.Fields = append(k.Fields, common...)
		}
		if err := k.prepare(); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		kinds = append(kinds, k)
	}
	return kinds, distinct(kinds)
}

// distinct returns an error if two kinds share a name.
func distinct(kinds []*kind) error {
	owner := map[string]*kind{}
	for _, k := range kinds {
		for _, name := range k.Names() {
			if other := owner[name]; other != nil {
				return fmt.Errorf("%s and %s are both called %q", other.Name, k.Name, name)
			}
			owner[name] = k
		}
	}
	return nil
}

// Names returns all names of the kind, in lower case: its type, its command, its short names, and their plurals.
func (k *kind) Names() []string {
	var out []string
	add := func(name string) {
		if name = strings.ToLower(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	add(k.Name)
	add(k.Plural)
	add(k.Many)
	for _, name := range slices.Concat([]string{k.Command.Use}, k.Command.Aliases, k.Short) {
		add(name)
		add(plural(name))
	}
	return out
}

// Others returns the names other than the type's.
func (k *kind) Others() []string { return k.Names()[1:] }

// Aliases returns the names of the kind other than its command's.
func (k *kind) Aliases() []string {
	return slices.DeleteFunc(k.Names(), func(name string) bool { return name == k.Command.Use })
}

// Noun returns the name of one object in a sentence: the title, in lower case unless it begins with an abbreviation or the owner's
// name.
func (k *kind) Noun() string {
	if first, rest, _ := strings.Cut(k.Title, " "); first != strings.ToUpper(first) && first != k.Owner {
		return strings.TrimSpace(strings.ToLower(first) + " " + rest)
	}
	return k.Title
}

// Nouns returns the name of several objects.
func (k *kind) Nouns() string { return plural(k.Noun()) }

// plural returns the plural of an English word. A word that ends with s is its own plural.
func plural(word string) string {
	stem, y := strings.CutSuffix(word, "y")
	switch {
	case word == "" || strings.HasSuffix(word, "s"):
		return word
	case y && stem != "" && !strings.ContainsRune("aeo", rune(stem[len(stem)-1])):
		return stem + "ies"
	}
	return word + "s"
}

func (k *kind) prepare() error {
	if k.Name == "" || k.Plural == "" || k.Doc == "" || len(k.Key) == 0 {
		return fmt.Errorf("name, plural, doc and key are required")
	}
	if (k.Owner == "") != (k.Change == "") || k.Owner != "" && k.InspectOnly {
		return fmt.Errorf("owner needs change, the command that changes its objects, and excludes inspectOnly")
	}
	if k.Many == "" {
		k.Many = k.Plural
	}
	k.Doc = strings.TrimSpace(k.Doc)
	if k.Owner != "" {
		k.Command.Verbs = []string{"ls", "inspect"}
	}
	if err := k.prepareFields(); err != nil {
		return err
	}
	sort.Slice(k.LinkSets, func(i, j int) bool { return k.LinkSets[i].Name < k.LinkSets[j].Name })
	sort.Slice(k.Links, func(i, j int) bool { return k.Links[i].Name < k.Links[j].Name })
	return k.check()
}

// prepareFields fills in what the fields leave out, and puts them in order.
func (k *kind) prepareFields() error {
	for _, fields := range [][]field{k.Fields, k.Oper} {
		for i := range fields {
			f := &fields[i]
			switch {
			case f.Type == "":
				f.Type = "string"
			case !slices.Contains([]string{"string", "int", "strings", "labels"}, f.Type):
				return fmt.Errorf("field %s: type: got %q, want string, int, strings or labels", f.Name, f.Type)
			}
			f.Doc = strings.TrimSpace(f.Doc)
			if f.List != "" {
				f.Type = "list"
			}
			if f.Doc == "" {
				return fmt.Errorf("field %s: doc is required", f.Name)
			}
			if f.Type == "string" {
				f.MaxLen, f.Max = f.Max, 0
			}
		}
		sort.Slice(fields, func(i, j int) bool { return fields[i].Go() < fields[j].Go() })
	}
	return nil
}

// check finds references to missing fields, and incomplete commands.
func (k *kind) check() error {
	known := func(name string) bool {
		is := func(f field) bool { return f.Name == name }
		return slices.ContainsFunc(k.Fields, is) || k.InspectOnly && slices.ContainsFunc(k.Oper, is)
	}
	for _, name := range k.Key {
		if !known(name) {
			return fmt.Errorf("key names the unknown field %q", name)
		}
	}
	for _, c := range k.Columns {
		for _, name := range c.names() {
			if !known(name) {
				return fmt.Errorf("column %s names the unknown field %q", c.Header, name)
			}
		}
	}
	for _, l := range k.Command.Info {
		if !known(l.Field) {
			return fmt.Errorf("info line %s names the unknown field %q", l.Text, l.Field)
		}
	}
	for _, l := range slices.Concat(k.Links, k.LinkSets) {
		for _, name := range l.Via {
			if !known(name) {
				return fmt.Errorf("link %s goes via the unknown field %q", l.Name, name)
			}
		}
	}
	for name := range k.Sample {
		if !k.Writable() || !known(name) {
			return fmt.Errorf("sample sets the unknown field %q", name)
		}
	}
	if k.Command.Use != "" && k.Writable() && len(k.Sample) == 0 {
		return fmt.Errorf("sample is required: an object that netctl apply accepts")
	}
	if k.Command.Use != "" && k.Command.Names == "" && !k.Command.Single {
		return fmt.Errorf("command %s: names is required", k.Command.Use)
	}
	for _, f := range k.Command.Flags {
		if !known(f.Field) {
			return fmt.Errorf("flag --%s sets the unknown field %q", f.Name, f.Field)
		}
		isInt := slices.ContainsFunc(k.Fields, func(o field) bool { return o.Name == f.Field && o.Type == "int" })
		if _, err := strconv.Atoi(f.Default); isInt && f.Default != "" && err != nil {
			return fmt.Errorf("flag --%s: default: %w", f.Name, err)
		}
	}
	return nil
}

// Writable reports whether users create and change the objects.
func (k *kind) Writable() bool { return !k.InspectOnly && k.Owner == "" }

// Go returns the exported Go name of a kind.
func (k *kind) Go() string { return exported(k.Name) }

// Collection returns the Go name of the kind's plural.
func (k *kind) Collection() string { return exported(k.Plural) }

// File returns the base name of the kind's generated files.
func (k *kind) File() string { return strings.ToLower(k.Name) }

// Go returns the exported Go name of a field.
func (f field) Go() string { return exported(f.Name) }

// GoType returns the Go type of a field.
func (f field) GoType() string {
	switch f.Type {
	case "int":
		return "int"
	case "strings":
		return "[]string"
	case "labels":
		return "map[string]string"
	case "list":
		return "[]" + exported(f.List) + "Oper"
	default:
		return "string"
	}
}

// Omit is the option of the field's JSON tag that leaves out an empty value. Labels that are empty but given differ from absent ones.
func (f field) Omit() string {
	if f.Type == "labels" {
		return "omitzero"
	}
	return "omitempty"
}

// Maps reports whether a field is a map.
func (k *kind) Maps() bool {
	return slices.ContainsFunc(k.Fields, func(f field) bool { return f.Type == "labels" })
}

// GoConst is the model.Type constant of a field.
func (f field) GoConst() string { return exported(f.Type) }

// Needed reports whether an empty value of an enumeration is refused.
func (f field) Needed() bool { return f.Required || len(f.Enum) > 0 && !f.Optional && f.Default == "" }

// exported makes a Go name: first letter and letters after a dash in upper case.
func exported(name string) string {
	var b strings.Builder
	up := true
	for _, r := range name {
		if r == '-' {
			up = true
			continue
		}
		if up {
			r = unicode.ToUpper(r)
			up = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
