// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/configfile"
)

// Env is the environment of a process, as os.Environ returns it.
type Env []string

// Get returns the value of a variable; "" if it is not set.
func (e Env) Get(name string) string {
	for _, line := range e {
		if key, value, _ := strings.Cut(line, "="); key == name {
			return value
		}
	}
	return ""
}

// inherited is what a process has from its environment. It stays as it is while files change.
type inherited struct {
	other bool // a flag, or its variable, makes the program something else than the daemon
	files files
	plain []configfile.Variable // of the program, by name, without those of the files below
	empty []configfile.Variable // those that are set to nothing, which is as if no layer below had them
	host  bool                  // the process was started with the variables of the file that contiv init and contiv join write
	own   bool                  // with those of the operator's file
}

// inherit divides the environment: a variable with the value that a file of variables has comes from that file. A unit starts its daemon with
// the variables of these files.
func (s *Set) inherit(env Env) *inherited {
	for _, name := range []string{dirFlag, mainFlag} {
		if value := env.Get(s.env[name]); value != "" && !s.set.Changed(name) {
			_ = s.set.Lookup(name).Value.Set(value) // every text is valid
		}
	}
	in := &inherited{files: s.files, other: s.isOther(env)}
	var ours []configfile.Variable
	for _, line := range env {
		name, value, _ := strings.Cut(line, "=")
		if strings.HasPrefix(name, s.prefix) {
			ours = append(ours, configfile.Variable{Name: name, Value: value})
		}
	}
	slices.SortFunc(ours, func(a, b configfile.Variable) int { return strings.Compare(a.Name, b.Name) })
	var host, own []configfile.Variable
	if !in.other {
		host, own = s.variablesOf(in.files.host(s.program)), s.variablesOf(in.files.own(s.program))
	}
	in.host = within(host, ours)
	in.own = in.host || within(own, ours)
	for _, v := range ours {
		switch {
		case in.own && has(own, v) || in.host && has(host, v):
		case v.Value == "":
			in.empty = append(in.empty, v)
		default:
			in.plain = append(in.plain, v)
		}
	}
	return in
}

// within reports whether all variables of a file are set, and it has some.
func within(file, all []configfile.Variable) bool {
	for _, v := range file {
		if !slices.ContainsFunc(all, func(a configfile.Variable) bool { return a.Name == v.Name }) {
			return false
		}
	}
	return len(file) > 0
}

// has reports whether a file sets a variable to the same value.
func has(file []configfile.Variable, v configfile.Variable) bool {
	return slices.ContainsFunc(file, func(f configfile.Variable) bool { return f.Name == v.Name && f.Value == v.Value })
}

// variablesOf reads the variables of the program in a file. A missing file has none.
func (s *Set) variablesOf(path string) []configfile.Variable {
	if path == "" {
		return nil
	}
	text, err := configfile.ReadTrusted(path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			s.warnings = append(s.warnings, fmt.Sprintf("cannot read a file of variables: %v", err))
		}
		return nil
	}
	return slices.DeleteFunc(configfile.ParseEnv(text), func(v configfile.Variable) bool { return !strings.HasPrefix(v.Name, s.prefix) })
}

// addVariables adds the layers of variables.
func (s *Set) addVariables() (problems []error) {
	in := s.inherited
	var own []configfile.Variable
	if in.own {
		own = s.variablesOf(in.files.own(s.program))
	}
	if in.host {
		path := in.files.host(s.program)
		for _, v := range s.variablesOf(path) {
			if cleared(own, v) || cleared(in.empty, v) {
				continue
			}
			if !s.addVariable(v, Origin{Layer: LayerHost, File: path, Line: v.Line, Variable: v.Name}) {
				s.warnings = append(s.warnings, fmt.Sprintf("%s:%d: ignored the unknown variable %s of another build", path, v.Line, v.Name))
			}
		}
	}
	if in.own {
		path := in.files.own(s.program)
		for _, v := range own {
			if !s.addVariable(v, Origin{Layer: LayerEnvironment, File: path, Line: v.Line, Variable: v.Name}) {
				problems = append(problems, &configfile.Problem{File: path, Line: v.Line, Text: s.unknownVariable(v.Name)})
			}
		}
	}
	for _, v := range in.plain {
		if !s.addVariable(v, Origin{Layer: LayerEnvironment, Variable: v.Name}) && !in.other && !injected(v, s.prefix) {
			problems = append(problems, errors.New("environment: "+s.unknownVariable(v.Name)))
		}
	}
	return problems
}

// cleared reports whether a variable is set to nothing.
func cleared(in []configfile.Variable, v configfile.Variable) bool {
	return slices.ContainsFunc(in, func(one configfile.Variable) bool { return one.Name == v.Name && one.Value == "" })
}

// addVariable adds the value of a variable, unless it is empty. It reports whether the program has the variable.
func (s *Set) addVariable(v configfile.Variable, o Origin) bool {
	if v.Value == "" {
		return true
	}
	for flag, variable := range s.env {
		if variable == v.Name {
			s.add(flag, v.Value, o)
			return true
		}
	}
	return false
}

// unknownVariable is the error about an unknown variable.
func (s *Set) unknownVariable(name string) string {
	var ours []string // without the prefix, which would make all of them similar
	for _, variable := range s.env {
		ours = append(ours, strings.TrimPrefix(variable, s.prefix))
	}
	slices.Sort(ours)
	alike := model.Alike(strings.TrimPrefix(name, s.prefix), ours)
	for i := range alike {
		alike[i] = s.prefix + alike[i]
	}
	return fmt.Sprintf("unknown variable %s: %s%s --help lists the variables", name, suggestion(alike), s.program)
}

// suggestion is the question for similar names, and a space; "" if there are none.
func suggestion(alike []string) string {
	if len(alike) == 0 {
		return ""
	}
	return "did you mean " + strings.Join(alike, " or ") + "? "
}

// service matches the variables that Kubernetes and Docker set for a service or a linked container whose name begins with that of the program.
var service = regexp.MustCompile(`(^|_)(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)$`)

// injected reports whether Kubernetes or Docker has set a variable, for a service contiv-netmaster for example.
func injected(v configfile.Variable, prefix string) bool {
	return service.MatchString(strings.TrimPrefix(v.Name, prefix)) || strings.HasSuffix(v.Name, "_PORT") && strings.Contains(v.Value, "://")
}

// files are the paths of a program's configuration.
type files struct{ Dir, Main string }

// in returns a path below the directory; "" if there is none.
func (f *files) in(elements ...string) string {
	if f.Dir == "" {
		return ""
	}
	return filepath.Join(append([]string{f.Dir}, elements...)...)
}

// host returns the path of the variables that contiv init and contiv join write.
func (f *files) host(program string) string { return f.in("host", program+".env") }

// HostSettings returns the path of the variables that contiv init and contiv join write for the program; "" before Parse, and without a directory.
func (s *Set) HostSettings() string {
	if s.inherited == nil {
		return ""
	}
	return s.inherited.files.host(s.program)
}

// own returns the path of the operator's variables.
func (f *files) own(program string) string { return f.in(program + ".env") }
