// SPDX-License-Identifier: Apache-2.0

package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/identity"
)

// Object is one API object of any kind.
type Object interface {
	// Kind describes the object's type.
	Kind() *Kind
	// ObjectKey is the key made from the object's own fields, "tenant:name".
	ObjectKey() string
	// SetKey stores the key that answers carry.
	SetKey(key string)
	// SetDefaults fills fields that are empty and have a default.
	SetDefaults()
	// Validate checks every field by itself and returns an *Error for the first that is wrong.
	Validate() error
	// Field returns a field's value by its JSON name: a string, an int, a []string or, for labels, a map[string]string; nil for an unknown name.
	Field(name string) any
	// SetLinks replaces the computed links. Sets are keyed by link name.
	SetLinks(sets map[string]LinkSet, links map[string]Link)
	// Clone returns a deep copy.
	Clone() Object
}

// Kind describes one type of object: what generic code needs to know to store, serve, print and document it.
type Kind struct {
	Name        string   // type name in links and in the store: "network"
	Plural      string   // in routes: "networks"
	Many        string   // in texts: "policies" if routes have "policys"
	Names       []string // all its names, in lower case: type, plural, command, short names
	noun, nouns string   // in sentences: "endpoint group", "endpoint groups"
	Title, Doc  string
	Key         []string // JSON names of the fields that make the key
	Fields      []Field  // in wire order
	Oper        []Field  // operational fields of inspect
	LinkSets    []LinkTo
	Links       []LinkTo
	Columns     []Column
	Command     Command
	InspectOnly bool // no list, get, post, put or delete
	// Owner is the system that creates and changes the objects, which are then read-only; "": Contiv's users. Change is its command for
	// that.
	Owner, Change string
	// Guarded: the objects define permissions; the right to manage users is needed to see and to change them.
	Guarded bool
	New     func() Object
}

// Type is the type of a field's value.
type Type string

// The field types.
const (
	String  Type = "string"
	Int     Type = "int"
	Strings Type = "strings"
	Labels  Type = "labels" // of the object: string to string
	List    Type = "list"   // of operational state of another kind
)

// Field describes one attribute.
type Field struct {
	Name     string // JSON name
	Type     Type
	Doc      string
	Example  string
	Of       string // kind of the elements of a List
	Format   string // name of the Format that a string must have, or ""
	Enum     []string
	Default  string
	MaxLen   int // bytes; 0 = no limit
	Min, Max int // of an int
	Required bool
	Optional bool // an enumeration that may be empty, an int below whose Min 0 is accepted
	Summary  bool
	Secret   bool // its value is never recorded or printed
	// Inspected is set for operational state that lists omit.
	Inspected bool
}

// LinkTo declares a link or a set of links to objects of another kind. With Via, the fields of those names hold the
// names of the other objects, in the same tenant; for a single link the first that is set counts. Without, a set holds
// the objects of the other kind that link here, and a link follows the key fields of the other kind, or, with Back, is
// to the object of that kind that links here (the last by key, should there be several).
type LinkTo struct {
	Name, To string
	Via      []string
	Back     bool
}

// Column is one column of a table of objects.
type Column struct {
	Header string
	Field  string // "": an empty column
	Dashes int    // width of the line below the header; 0 = as wide as the header
	Wide   bool   // only in wide tables
	Style  string // how the value is shown: "brackets", "bandwidth", "labels", "time", "yesno", "state", "text"; "" plainly
	Rank   Rank   // how long the column keeps its width on a narrow terminal; 0: as its style and header suggest
	// Parts are texts with a {field}, instead of Field: those whose field is set are shown, separated by commas.
	Parts []string
	None  string // shown for an empty value or 0
}

// Rank is the importance of a column: on a narrow terminal, columns of a lower rank are cut first.
type Rank int

// The ranks.
const (
	RankLow Rank = iota + 1
	RankNormal
	RankHigh
)

// RankOf returns the rank of the column: that of its declaration, else high for states, times and names, and low for texts, which are wrapped.
func (c *Column) RankOf() Rank {
	switch {
	case c.Rank != 0:
		return c.Rank
	case c.Style == "yesno" || c.Style == "state" || c.Style == "time" || c.Field == "name":
		return RankHigh
	case c.Style == "text" || c.Style == "labels":
		return RankLow
	}
	return RankNormal
}

// Fill replaces each {name} of a text, such as "Creating network {tenantName}:{networkName}", by its value.
func Fill(text string, value func(name string) string) string {
	for {
		before, rest, ok := strings.Cut(text, "{")
		if !ok {
			return text
		}
		name, after, _ := strings.Cut(rest, "}")
		text = before + value(name) + after
	}
}

// Command describes the netctl command of a kind.
type Command struct {
	Use      string // "": the kind has no command
	Under    string // command of which this one's verbs are part, as "rule-add"
	Aliases  []string
	Verbs    []string // the supported ones of create, rm, ls and inspect; nil: all
	Single   bool     // the kind has one object; the verbs are info, inspect and set
	Merge    bool     // set keeps fields that are not given
	Args     []string // fields that create takes as arguments, in order
	More     bool     // create ignores further arguments
	Names    string   // arguments of rm and inspect, for messages: "Tenant name"
	Wants    string   // arguments of create; "" as Names
	Creating string   // printed after create; {field} is replaced
	Deleting string   // printed before rm
	Flags    []Flag
	Info     []Line // of a single object
}

// Flag is a command line flag that sets a field.
type Flag struct {
	Name, Short, Alias, Field, Default string
	Needed                             bool   // on the command line, though not by the server
	Split                              string // separator of the elements in one value of a list
}

// Line is one line of the info of a single object.
type Line struct{ Text, Field string }

// Has reports whether the command has a verb.
func (c *Command) Has(verb string) bool { return c.Verbs == nil || slices.Contains(c.Verbs, verb) }

// Listing is the command line that lists the objects, of all tenants; "" if there is none.
func (k *Kind) Listing() string {
	all := ""
	if k.TenantScoped() {
		all = " --all"
	}
	switch {
	case k.Command.Use == "":
		return ""
	case k.Command.Under != "": // its own list is of one object above it
		return "netctl get " + k.Command.Use + all
	case k.Command.Single:
		return "netctl " + k.Command.Use + " info"
	}
	return "netctl " + k.Command.Use + " ls" + all
}

// Summary returns the first sentence of Doc, without its period.
func (k *Kind) Summary() string {
	first, _, _ := strings.Cut(k.Doc, ". ")
	return strings.TrimSuffix(first, ".")
}

// ShortName returns the shortest name of the kind: its command's alias, or its command.
func (k *Kind) ShortName() string {
	if len(k.Command.Aliases) > 0 {
		return k.Command.Aliases[0]
	}
	return k.Command.Use
}

// Count returns a number of objects in words: "1 network", "2 networks".
func (k *Kind) Count(n int) string {
	if n == 1 {
		return "1 " + k.Name
	}
	return strconv.Itoa(n) + " " + k.Many
}

// Noun returns the name of one object in texts: "endpoint group".
func (k *Kind) Noun() string { return k.noun }

// Nouns returns the name of several objects: "policies".
func (k *Kind) Nouns() string { return k.nouns }

// Writable reports whether users create and change objects of the kind, which are then stored.
func (k *Kind) Writable() bool { return !k.InspectOnly && k.Owner == "" }

// Owned returns the refusal to change an object that another system owns.
func (k *Kind) Owned() *Error {
	return Errorf(CodeUnsupported, "", "a %s is only shown here, since %s owns it", k.noun, k.Owner).Try("%s changes it", k.Change)
}

// Field returns the description of a field by JSON name.
func (k *Kind) Field(name string) (Field, bool) {
	i := slices.IndexFunc(k.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return Field{}, false
	}
	return k.Fields[i], true
}

// TenantScoped reports whether objects of this kind belong to a tenant.
func (k *Kind) TenantScoped() bool { return len(k.Key) > 1 && k.Key[0] == "tenantName" }

// Namespaced reports whether objects of this kind belong to a namespace of Kubernetes.
func (k *Kind) Namespaced() bool { return len(k.Key) > 1 && k.Key[0] == "namespace" }

// UserKinds returns the kinds for users: those with a command, ordered by name.
func UserKinds() []*Kind {
	return slices.DeleteFunc(Kinds(), func(k *Kind) bool { return k.Command.Use == "" })
}

// KindOf finds a kind by any of its names, ignoring case.
func KindOf(name string) (*Kind, bool) {
	for _, k := range Kinds() {
		if k.Name == name || slices.ContainsFunc(k.Names, func(n string) bool { return strings.EqualFold(name, n) }) {
			return k, true
		}
	}
	return nil, false
}

// Aliases returns the names of the kind other than its command's.
func (k *Kind) Aliases() []string { return k.NamesBeside(k.Command.Use) }

// NamesBeside returns the names of the kind that differ from a name, ignoring case.
func (k *Kind) NamesBeside(name string) []string {
	return slices.DeleteFunc(slices.Clone(k.Names), func(x string) bool { return strings.EqualFold(x, name) })
}

// Link points at an object.
type Link struct {
	Type string `json:"type,omitempty"`
	Key  string `json:"key,omitempty"`
}

// LinkSet is a set of links, by object key.
type LinkSet map[string]Link

// Key joins the parts of a key as routes and links write it.
func Key(parts ...string) string { return identity.Join(parts...) }

// Parts are the parts of a key of the kind, one for each of its key fields; fewer if the key is not of the kind.
func (k *Kind) Parts(key string) []string { return identity.Parts(key, len(k.Key)) }
