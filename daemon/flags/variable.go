// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Variable is an environment variable that stands for a flag. --variables prints those of a program as a JSON array, for programs
// that make configurations of them.
type Variable struct {
	Name    string `json:"name"`
	Flag    string `json:"flag"`
	Usage   string `json:"usage"`
	Default string `json:"default,omitempty"` // what the flag has without it; "" is none, or found out at the start
}

// variables are those of the set, by their names.
func (s *Set) variables() []Variable {
	out := []Variable{}
	s.set.VisitAll(func(f *pflag.Flag) {
		variable, ok := s.env[f.Name]
		if !ok {
			return
		}
		out = append(out, Variable{Name: variable, Flag: f.Name, Usage: strings.TrimSuffix(f.Usage, marked(variable)), Default: f.DefValue})
	})
	slices.SortFunc(out, func(a, b Variable) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// marked is how the usage of a flag names its variable.
func marked(variable string) string { return " [$" + variable + "]" }

// printVariables writes them as a JSON array.
func (s *Set) printVariables() error {
	e := json.NewEncoder(s.out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(s.variables())
}
