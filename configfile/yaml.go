// SPDX-License-Identifier: Apache-2.0

package configfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Kind is the kind of a value.
type Kind string

// Kinds of values, as errors name them.
const (
	Text  Kind = "text"
	Bool  Kind = "a boolean"
	Int   Kind = "a whole number"
	Float Kind = "a number"
	Null  Kind = "nothing"
	List  Kind = "a list"
	Map   Kind = "a map"
)

// Value is a value of a file.
type Value struct {
	Kind  Kind
	Line  int
	Text  string  // of a scalar, without quotes
	Items []Value // of a list
	Map   []Entry // of a map, in the order of the file
}

// String describes the value for an error.
func (v *Value) String() string {
	switch v.Kind {
	case Text, Int, Float, Bool:
		return fmt.Sprintf("%s (%s)", v.Kind, v.Text)
	}
	return string(v.Kind)
}

// Entry is a key of a map with its value.
type Entry struct {
	Key   string
	Line  int // of the key
	Value Value
}

// maxDepth is the maximum number of nested lists and maps.
const maxDepth = 8

// ParseMap decodes the only document of a text, a map from texts; an empty text or document is an empty map. It returns all entries that it can read
// besides the problems, which have no file: wrong syntax, doubled keys, keys that are not texts, and aliases.
func ParseMap(text []byte) ([]Entry, []*Problem) {
	d := yaml.NewDecoder(bytes.NewReader(text))
	var doc, next yaml.Node
	if err := d.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, nil
	} else if err != nil {
		return nil, []*Problem{syntax(err)}
	}
	if err := d.Decode(&next); err == nil {
		return nil, []*Problem{{Line: max(1, next.Line), Text: "got a second document, want one: remove the line --- and what follows"}}
	} else if !errors.Is(err, io.EOF) {
		return nil, []*Problem{syntax(err)}
	}
	p := parser{}
	v := p.value(doc.Content[0], 0)
	if v.Kind == Null {
		return nil, p.problems
	}
	if v.Kind != Map && len(p.problems) == 0 {
		p.add(v.Line, "got %s, want a map of keys: write KEY: VALUE", &v)
	}
	return v.Map, p.problems
}

// parser collects the problems of a document.
type parser struct{ problems []*Problem }

func (p *parser) add(line int, format string, args ...any) {
	p.problems = append(p.problems, &Problem{Line: max(1, line), Text: fmt.Sprintf(format, args...)})
}

// value converts a node.
func (p *parser) value(n *yaml.Node, depth int) Value {
	v := Value{Line: max(1, n.Line), Kind: Null}
	if depth > maxDepth {
		p.add(n.Line, "got more than %d nested maps and lists", maxDepth)
		return v
	}
	switch n.Kind {
	case yaml.ScalarNode:
		v.Kind, v.Text = scalar(n), n.Value
	case yaml.SequenceNode:
		v.Kind = List
		for _, item := range n.Content {
			v.Items = append(v.Items, p.value(item, depth+1))
		}
	case yaml.MappingNode:
		v.Kind = Map
		p.entries(&v, n.Content, depth)
	case yaml.AliasNode:
		p.add(n.Line, "got an alias (*%s), want a value: aliases are not supported", n.Value)
	}
	return v
}

// entries adds the entries of a map, which nodes has in pairs.
func (p *parser) entries(v *Value, nodes []*yaml.Node, depth int) {
	lines := map[string]int{}
	for i := 0; i+1 < len(nodes); i += 2 {
		key := nodes[i]
		if key.Kind != yaml.ScalarNode || scalar(key) != Text {
			p.add(key.Line, "got a key that is not text, want a name")
			continue
		}
		if was := lines[key.Value]; was != 0 {
			p.add(key.Line, "%s: got the key twice, want it once: it is also in line %d", key.Value, was)
			continue
		}
		lines[key.Value] = max(1, key.Line)
		v.Map = append(v.Map, Entry{Key: key.Value, Line: max(1, key.Line), Value: p.value(nodes[i+1], depth+1)})
	}
}

// scalar returns the kind of a scalar.
func scalar(n *yaml.Node) Kind {
	switch n.ShortTag() {
	case "!!bool":
		return Bool
	case "!!int":
		return Int
	case "!!float":
		return Float
	case "!!null":
		return Null
	}
	return Text // of a date too
}

var lineOf = regexp.MustCompile(`^(?:yaml: )?line (\d+): `)

// syntax converts an error of the YAML library.
func syntax(err error) *Problem {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	if m := lineOf.FindStringSubmatch(err.Error()); m != nil {
		if line, err := strconv.Atoi(m[1]); err == nil {
			return &Problem{Line: line, Text: "wrong YAML: " + strings.TrimPrefix(text, strings.TrimPrefix(m[0], "yaml: "))}
		}
	}
	return &Problem{Line: 1, Text: "wrong YAML: " + text}
}
