package command

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	yamlv3 "go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/netctl/term"
)

// maxManifest bounds what is read from one file or stream, in bytes.
const maxManifest = 64 << 20

// readManifests reads the objects of files, of the .yaml, .yml and .json files of directories, and of standard input ("-").
func readManifests(f *Factory, paths []string) ([]model.ApplyObject, error) {
	if len(paths) == 0 {
		return nil, term.BadUsage("-f FILE, -f DIRECTORY or -f - is required")
	}
	var out []model.ApplyObject
	for _, path := range paths {
		names := []string{path}
		if info, err := os.Stat(path); path != "-" && err == nil && info.IsDir() {
			if names, err = manifestsIn(path); err != nil {
				return nil, local(err)
			}
		}
		for _, name := range names {
			objects, err := readManifest(f, name)
			if err != nil {
				return nil, err
			}
			out = append(out, objects...)
		}
	}
	if len(out) == 0 {
		return nil, term.Exitf(term.Usage, "no objects in %s", strings.Join(paths, ", "))
	}
	return out, nil
}

func manifestsIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(e.Name())) && !e.IsDir() {
			names = append(names, filepath.Join(folder, e.Name()))
		}
	}
	return names, nil
}

func readManifest(f *Factory, name string) ([]model.ApplyObject, error) {
	var text []byte
	var err error
	if name == "-" {
		text, err = io.ReadAll(io.LimitReader(f.In, maxManifest))
	} else {
		text, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, local(fmt.Errorf("read %s: %w", name, err))
	}
	objects, err := parseManifest(text)
	if err != nil {
		return nil, term.Exitf(term.Usage, "%s: %v", name, err)
	}
	return objects, nil
}

// parseManifest parses YAML or JSON documents, each one object or a list of them. An object is its fields and a field "kind".
func parseManifest(text []byte) ([]model.ApplyObject, error) {
	var out []model.ApplyObject
	documents := yamlv3.NewDecoder(bytes.NewReader(text))
	for n := 1; ; n++ {
		var value any
		err := documents.Decode(&value)
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, fmt.Errorf("document %d: %w", n, err)
		}
		list, isList := value.([]any)
		if !isList && value != nil {
			list = []any{value}
		}
		for _, item := range list {
			fields, ok := item.(map[string]any)
			kind, named := fields["kind"].(string)
			if !ok || !named {
				return nil, fmt.Errorf("document %d: want an object with a field \"kind\"", n)
			}
			delete(fields, "kind")
			out = append(out, model.ApplyObject{Kind: kind, Fields: fields})
		}
	}
}

// absent reports whether a field's value is as if it were not given.
func absent(value any) bool {
	switch v := value.(type) {
	case []string:
		return len(v) == 0
	case map[string]string:
		return len(v) == 0
	}
	return value == "" || value == 0
}

// writeManifest prints an object in the form of parseManifest: its fields in the schema's order, without computed ones.
func writeManifest(w io.Writer, o model.Object) error {
	if err := printf(w, "---\nkind: %s\n", o.Kind().Name); err != nil {
		return err
	}
	names := slices.Clone(o.Kind().Key)
	for _, field := range o.Kind().Fields {
		if !slices.Contains(names, field.Name) {
			names = append(names, field.Name)
		}
	}
	for _, name := range names {
		value := o.Field(name)
		if absent(value) {
			continue
		}
		text, err := yaml.Marshal(map[string]any{name: value})
		if err != nil {
			return local(err)
		}
		if _, err := w.Write(text); err != nil {
			return local(err)
		}
	}
	return nil
}
