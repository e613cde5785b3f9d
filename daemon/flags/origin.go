// SPDX-License-Identifier: Apache-2.0

package flags

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// Layer is a source of settings. A setting of a higher layer overrides those of lower ones.
type Layer int

// Layers, the lowest first.
const (
	LayerDefault Layer = iota
	LayerHost          // the files of variables that contiv init and contiv join write
	LayerFile
	LayerDropIn
	LayerEnvironment
	LayerFlag
)

// String names the layer.
func (l Layer) String() string {
	return [...]string{"default", "host settings", "file", "conf.d", "environment", "flag"}[l]
}

// MarshalText returns the name of the layer.
func (l Layer) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads the name of a layer.
func (l *Layer) UnmarshalText(text []byte) error {
	for one := LayerDefault; one <= LayerFlag; one++ {
		if one.String() == string(text) {
			*l = one
			return nil
		}
	}
	return fmt.Errorf("layer: got %s, want default, host settings, file, conf.d, environment or flag", text)
}

// Origin describes where a value is set.
type Origin struct {
	Layer    Layer  `json:"layer"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Variable string `json:"variable,omitempty"`
}

// String describes the origin: "/etc/contiv/netmaster.yaml:3", "environment CONTIV_NETMASTER_LOG_LEVEL (/etc/contiv/netmaster.env:1)".
func (o Origin) String() string {
	at := o.File
	if o.Line > 0 {
		at = fmt.Sprintf("%s:%d", o.File, o.Line)
	}
	switch {
	case o.Variable != "" && at != "":
		return fmt.Sprintf("%s %s (%s)", o.Layer, o.Variable, at)
	case o.Variable != "":
		return fmt.Sprintf("%s %s", o.Layer, o.Variable)
	case at != "":
		return at
	}
	return o.Layer.String()
}

// given is a value of a layer.
type given struct {
	text   string
	origin Origin
}

// add adds a value of a layer. The last one of a layer counts.
func (s *Set) add(flag, text string, o Origin) {
	s.given[flag] = append(s.given[flag], given{text, o})
	slices.SortStableFunc(s.given[flag], func(a, b given) int { return int(a.origin.Layer - b.origin.Layer) })
}

// last returns the value that counts; false: the default does.
func (s *Set) last(flag string) (given, bool) {
	all := s.given[flag]
	if len(all) == 0 {
		return given{origin: Origin{Layer: LayerDefault}}, false
	}
	return all[len(all)-1], true
}

// apply sets the flags to the values that count, and returns an error for each that a flag does not accept.
func (s *Set) apply() (problems []error) {
	s.set.VisitAll(func(f *pflag.Flag) {
		g, ok := s.last(f.Name)
		if !ok || g.origin.Layer == LayerFlag {
			return
		}
		if err := s.set.Set(f.Name, g.text); err != nil {
			problems = append(problems, fmt.Errorf("%s: %w", g.origin, err))
		}
	})
	return problems
}

// Explain adds to each error about a flag where its value is set, unless this is the command line. It keeps several errors apart.
func (s *Set) Explain(err error) error {
	if err == nil {
		return nil
	}
	if all := joined(err); len(all) > 1 {
		for i := range all {
			all[i] = s.Explain(all[i])
		}
		return errors.Join(all...)
	}
	text := err.Error()
	_, rest, ok := strings.Cut(text, "--")
	if !ok {
		return err
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r != '-' && (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	if end < 0 {
		end = len(rest)
	}
	name := s.full(rest[:end])
	g, ok := s.last(name)
	if !ok || g.origin.Layer == LayerFlag {
		return err
	}
	return fmt.Errorf("%w (%s: %s)", err, name, g.origin)
}
