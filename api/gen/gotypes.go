// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
)

// goTypes has types of Go sources, with their JSON names and comments, for the schemas of the document. The sources are read, not
// compiled, because they may be among the generated files.
type goTypes struct {
	specs map[string]declared
	texts map[string]struct{} // types that are strings in JSON
}

type declared struct {
	spec *ast.TypeSpec
	doc  string
	pkg  string // prefix of names without one: "record." or ""
}

// readTypes reads the types of directories, by prefix of their names.
func readTypes(dirs map[string]string) (*goTypes, error) {
	t := &goTypes{map[string]declared{}, map[string]struct{}{}}
	for prefix, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			if err := t.add(prefix, path, text); err != nil {
				return nil, err
			}
		}
	}
	return t, nil
}

// add adds the types of one file.
func (t *goTypes) add(prefix, path string, text []byte) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Recv != nil && f.Name.Name == "MarshalText" {
			if of, ok := f.Recv.List[0].Type.(*ast.Ident); ok {
				t.texts[prefix+of.Name] = struct{}{}
			}
		}
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.TYPE {
			continue
		}
		for _, spec := range group.Specs {
			s := spec.(*ast.TypeSpec)
			doc := s.Doc.Text()
			if doc == "" {
				doc = group.Doc.Text()
			}
			t.specs[prefix+s.Name.Name] = declared{s, doc, prefix}
		}
	}
	return nil
}

// selector returns the Go selector of a field of a struct by JSON names with dots between: "By.Via" for "by.via".
func (t *goTypes) selector(of, names string) (string, error) {
	name, rest, more := strings.Cut(names, ".")
	field, inner := t.member(of, name)
	switch {
	case field == "":
		return "", fmt.Errorf("type %s has no field %q", of, name)
	case !more:
		return field, nil
	}
	path, err := t.selector(inner, rest)
	return field + "." + path, err
}

// member returns the Go name and the type of a struct's field, its own or an embedded one, by JSON name; "" if there is none.
func (t *goTypes) member(of, name string) (field, kind string) {
	d, ok := t.specs[of]
	if !ok {
		return "", ""
	}
	list, ok := d.spec.Type.(*ast.StructType)
	if !ok {
		return "", ""
	}
	for _, f := range list.Fields.List {
		id, _ := f.Type.(*ast.Ident)
		if len(f.Names) == 0 && id != nil {
			if field, kind = t.member(id.Name, name); field != "" {
				return field, kind
			}
		}
		if f.Tag == nil || len(f.Names) != 1 {
			continue
		}
		tag, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
		if tag == name {
			if id != nil {
				kind = id.Name
			}
			return f.Names[0].Name, kind
		}
	}
	return "", ""
}

// schema describes a type by name, "X", "record.X" or "[]X", and adds what it needs to schemas.
func (t *goTypes) schema(name string, schemas object) (object, error) {
	if of, is := strings.CutPrefix(name, "[]"); is {
		items, err := t.schema(of, schemas)
		return object{"type": "array", "items": items}, err
	}
	d, ok := t.specs[name]
	if !ok {
		return nil, fmt.Errorf("type %s is unknown", name)
	}
	component := strings.ReplaceAll(name, "record.", "Record")
	if _, known := schemas[component]; known {
		return ref(component), nil
	}
	if _, text := t.texts[name]; text {
		return object{"type": "string"}, nil
	}
	// The schema of a type X with its own encoding is that of the type xJSON.
	bare := strings.TrimPrefix(name, d.pkg)
	if as, ok := t.specs[d.pkg+strings.ToLower(bare[:1])+bare[1:]+"JSON"]; ok {
		d.spec = as.spec
	}
	list, ok := d.spec.Type.(*ast.StructType)
	if !ok {
		return t.of(d.spec.Type, d.pkg, schemas)
	}
	properties := object{}
	schemas[component] = object{"type": "object", "description": sentence(d.doc), "properties": properties}
	return ref(component), t.fields(list, d.pkg, properties, schemas)
}

func (t *goTypes) fields(list *ast.StructType, pkg string, properties, schemas object) error {
	for _, f := range list.Fields.List {
		tag := ""
		if f.Tag != nil {
			text, err := strconv.Unquote(f.Tag.Value)
			if err != nil {
				return err
			}
			tag, _, _ = strings.Cut(reflect.StructTag(text).Get("json"), ",")
		}
		if tag == "-" {
			continue
		}
		if len(f.Names) == 0 { // embedded
			id, ok := f.Type.(*ast.Ident)
			if !ok {
				return fmt.Errorf("an embedded %T is not supported", f.Type)
			}
			inner, ok := t.specs[pkg+id.Name].spec.Type.(*ast.StructType)
			if !ok {
				return fmt.Errorf("embedded %s: want a struct", id.Name)
			}
			if err := t.fields(inner, pkg, properties, schemas); err != nil {
				return err
			}
			continue
		}
		for _, name := range f.Names {
			if !name.IsExported() {
				continue
			}
			schema, err := t.of(f.Type, pkg, schemas)
			if err != nil {
				return fmt.Errorf("%s: %w", name.Name, err)
			}
			if doc := sentence(f.Doc.Text() + f.Comment.Text()); doc != "" && schema["$ref"] == nil {
				schema["description"] = doc
			}
			if tag == "" {
				tag = name.Name
			}
			properties[tag] = schema
			tag = ""
		}
	}
	return nil
}

// of describes a type expression.
func (t *goTypes) of(e ast.Expr, pkg string, schemas object) (object, error) {
	switch e := e.(type) {
	case *ast.StarExpr:
		return t.of(e.X, pkg, schemas)
	case *ast.ArrayType:
		items, err := t.of(e.Elt, pkg, schemas)
		return object{"type": "array", "items": items}, err
	case *ast.MapType:
		values, err := t.of(e.Value, pkg, schemas)
		return object{"type": "object", "additionalProperties": values}, err
	case *ast.InterfaceType:
		return object{}, nil
	case *ast.SelectorExpr:
		switch e.Sel.Name {
		case "Time":
			return object{"type": "string", "format": "date-time"}, nil
		case "RawMessage":
			return object{}, nil
		case "Addr", "AddrPort", "Prefix", "Range", "Pod": // of netip, ipam and identity: strings
			return object{"type": "string"}, nil
		}
		return nil, fmt.Errorf("type %s of another package is not supported", e.Sel.Name)
	case *ast.Ident:
		switch name := e.Name; {
		case name == "string":
			return object{"type": "string"}, nil
		case name == "bool":
			return object{"type": "boolean"}, nil
		case name == "any":
			return object{}, nil
		case strings.HasPrefix(name, "int"), strings.HasPrefix(name, "uint"), name == "byte":
			return object{"type": "integer"}, nil
		case strings.HasPrefix(name, "float"):
			return object{"type": "number"}, nil
		}
		return t.schema(pkg+e.Name, schemas)
	}
	return nil, fmt.Errorf("a type like %T is not supported", e)
}

// sentence joins the lines of a comment.
func sentence(comment string) string { return strings.Join(strings.Fields(comment), " ") }
