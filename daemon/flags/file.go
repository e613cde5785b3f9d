// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/configfile"
)

// DefaultDir is the directory of the configuration files.
const DefaultDir = "/etc/contiv"

// Flags about the files.
const (
	dirFlag  = "config-dir"
	mainFlag = "config"
)

// programs are the keys of the files in conf.d.
func programs() []string { return []string{"netmaster", "netplugin"} }

// isOther reports whether a flag, or its variable, makes the program something else than the daemon.
func (s *Set) isOther(env Env) bool {
	return slices.ContainsFunc(s.standalone, func(name string) bool {
		f := s.set.Lookup(name)
		return f.Value.String() != f.DefValue || s.env[name] != "" && env.Get(s.env[name]) != ""
	})
}

// WithoutKeys declares flags that the files do not have: those for a single start.
func (s *Set) WithoutKeys(names ...string) { s.keyless = append(s.keyless, names...) }

// isKey reports whether the files have a flag as a key.
func (s *Set) isKey(name string) bool {
	return s.env[name] != "" && name != dirFlag && name != mainFlag && !slices.Contains(s.standalone, name) && !slices.Contains(s.keyless, name)
}

// keys are the keys of the files, in alphabetical order.
func (s *Set) keys() (out []*pflag.Flag) {
	s.set.VisitAll(func(f *pflag.Flag) {
		if s.isKey(f.Name) {
			out = append(out, f)
		}
	})
	return out
}

// readFiles adds the layers of the configuration file and of the files in conf.d.
func (s *Set) readFiles() (problems []error) {
	f := s.inherited.files
	main := f.Main
	if main == "" {
		main = f.in(s.program + ".yaml")
	}
	if main != "" {
		entries, wrong := entriesOf(main, f.Main == "")
		problems = byLine(append(wrong, s.section(main, LayerFile, entries)...))
	}
	if f.Dir == "" {
		return problems
	}
	all, err := configfile.Files(f.in("conf.d"))
	if err != nil {
		return append(problems, err)
	}
	for _, path := range all {
		entries, wrong := entriesOf(path, true) // it may have gone in the meantime
		problems = append(problems, byLine(append(wrong, s.dropIn(path, entries)...))...)
	}
	return problems
}

// byLine sorts the problems of a file.
func byLine(problems []error) []error {
	line := func(err error) (n int) {
		if p, ok := errors.AsType[*configfile.Problem](err); ok {
			n = p.Line
		}
		return n
	}
	slices.SortStableFunc(problems, func(a, b error) int { return line(a) - line(b) })
	return problems
}

// entriesOf reads a file. An optional one may be missing.
func entriesOf(path string, optional bool) (entries []configfile.Entry, problems []error) {
	text, err := configfile.ReadTrusted(path)
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, []error{fmt.Errorf("configuration file: %w", err)}
	}
	entries, wrong := configfile.ParseMap(text)
	for _, p := range wrong {
		p.File = path
		problems = append(problems, p)
	}
	return entries, problems
}

// dropIn adds the program's section of a file in conf.d.
func (s *Set) dropIn(path string, entries []configfile.Entry) (problems []error) {
	for _, e := range entries {
		switch {
		case !slices.Contains(programs(), e.Key):
			text := fmt.Sprintf("unknown key %s: %swant %s", e.Key, suggestion(model.Alike(e.Key, programs())), strings.Join(programs(), " or "))
			problems = append(problems, &configfile.Problem{File: path, Line: e.Line, Text: text})
		case e.Value.Kind != configfile.Map && e.Value.Kind != configfile.Null:
			problems = append(problems, &configfile.Problem{File: path, Line: e.Line, Text: fmt.Sprintf("%s: got %s, want a map of settings", e.Key, &e.Value)})
		case e.Key == s.program:
			problems = append(problems, s.section(path, LayerDropIn, e.Value.Map)...)
		}
	}
	return problems
}

// section adds the settings of a map.
func (s *Set) section(path string, layer Layer, entries []configfile.Entry) (problems []error) {
	lines := map[string]int{}
	for _, e := range entries {
		name := s.full(e.Key)
		text, err := "", error(nil)
		switch {
		case !s.isKey(name):
			err = errors.New(s.unknownKey(e.Key))
		case lines[name] != 0:
			err = fmt.Errorf("%s: got the setting twice, want it once: line %d has it as well", e.Key, lines[name])
		default:
			lines[name] = e.Line
			if text, err = convert(s.set.Lookup(name).Value.Type(), &e.Value); err != nil {
				err = fmt.Errorf("%s: %w", e.Key, err)
			}
		}
		if err != nil {
			problems = append(problems, &configfile.Problem{File: path, Line: e.Line, Text: err.Error()})
			continue
		}
		s.add(name, text, Origin{Layer: layer, File: path, Line: e.Line})
	}
	return problems
}

// unknownKey is the error about an unknown key.
func (s *Set) unknownKey(key string) string {
	if s.set.Lookup(key) != nil {
		return fmt.Sprintf("%s: files do not have this setting: use the flag --%s%s", key, s.full(key), s.orVariable(s.full(key)))
	}
	var all []string
	for _, f := range s.keys() {
		all = append(all, f.Name)
	}
	for alias, name := range s.alias {
		if s.isKey(name) {
			all = append(all, alias)
		}
	}
	slices.Sort(all)
	return fmt.Sprintf("unknown key %s: %scontiv config schema %s lists the keys", key, suggestion(model.Alike(key, all)), s.program)
}

// orVariable is the part of an error that names the variable of a flag.
func (s *Set) orVariable(flag string) string {
	if s.env[flag] == "" {
		return ""
	}
	return " or the variable " + s.env[flag]
}

// convert returns a value as a flag of a type expects it.
func convert(kind string, v *configfile.Value) (string, error) {
	switch kind {
	case "bool":
		if v.Kind == configfile.Bool {
			return strings.ToLower(v.Text), nil
		}
		return "", fmt.Errorf("got %s, want true or false", v)
	case "int":
		if _, err := strconv.ParseInt(v.Text, 0, strconv.IntSize); v.Kind == configfile.Int && err == nil {
			return v.Text, nil
		}
		return "", fmt.Errorf("got %s, want %s", v, configfile.Int)
	case "list":
		return convertList(v)
	}
	switch v.Kind {
	case configfile.Text:
		return v.Text, nil
	case configfile.Null:
		return "", fmt.Errorf(`got nothing, want text: write "" for an empty one`)
	case configfile.Int, configfile.Float, configfile.Bool:
		return "", fmt.Errorf("got %s, want text: write %q", v, v.Text)
	}
	return "", fmt.Errorf("got %s, want text", v)
}

// convertList returns a list as a comma list.
func convertList(v *configfile.Value) (string, error) {
	if v.Kind != configfile.List {
		return "", fmt.Errorf("got %s, want a list: write [a, b]", v)
	}
	var items []string
	for i := range v.Items {
		item := &v.Items[i]
		if item.Kind != configfile.Text && item.Kind != configfile.Int {
			return "", fmt.Errorf("item %d: got %s, want text", i+1, item)
		}
		if strings.TrimSpace(item.Text) == "" || strings.Contains(item.Text, ",") {
			return "", fmt.Errorf("item %d: got %q, want one value without a comma", i+1, item.Text)
		}
		items = append(items, item.Text)
	}
	return strings.Join(items, ","), nil
}
