// SPDX-License-Identifier: Apache-2.0

// Package flags reads the settings of a daemon from its command line, its environment and its configuration files. The command line and the
// environment are as the original's: one or two dashes, aliases, an environment variable for each flag. The schema of the files follows from the
// declared flags.
package flags

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// ExitConfig is the exit code of a process whose configuration is wrong (EINVAL, as the original's).
const ExitConfig = 22

// ErrHelp says that help, or another description of the flags, was asked for and printed.
var ErrHelp = pflag.ErrHelp

// Set is the flags of one program.
type Set struct {
	set        *pflag.FlagSet
	program    string            // "netmaster"
	prefix     string            // of the environment variables, "CONTIV_NETMASTER_"
	env        map[string]string // flag -> variable
	alias      map[string]string
	standalone []string // flags with which the program is not the daemon
	keyless    []string // flags that the files do not have
	out        io.Writer

	list, check, schema bool   // --variables, --check-config, --config-schema
	print               string // --print-config
	files               files
	given               map[string][]given // flag -> values of all layers but the default, the lowest first
	inherited           *inherited
	values              map[string]string // flag -> its value as it is set
	warnings            []string
}

// New makes an empty set. Help and usage go to out.
func New(program, prefix string, out io.Writer) *Set {
	s := &Set{set: pflag.NewFlagSet(program, pflag.ContinueOnError), program: program, prefix: prefix, env: map[string]string{}, alias: map[string]string{}, out: out}
	s.set.SortFlags = true
	s.set.SetOutput(out)
	s.set.Usage = func() { fmt.Fprintf(out, "Usage: %s [flags]\n\n%s", program, s.set.FlagUsagesWrapped(110)) }
	s.set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName { return pflag.NormalizedName(s.full(name)) })
	s.set.BoolVar(&s.list, "variables", false, "print the environment variables that are read, as JSON, and exit")
	s.set.BoolVar(&s.check, "check-config", false, "check the configuration and exit: with code 0, or with all errors")
	s.set.StringVar(&s.print, "print-config", "", "print each setting with its origin, as yaml or json, and exit")
	s.set.BoolVar(&s.schema, "config-schema", false, "print the JSON schema of the configuration file, and exit")
	s.String(&s.files.Dir, dirFlag, "CONFIG_DIR", DefaultDir, "directory of the configuration files: "+program+".yaml, conf.d/*.yaml; empty for none")
	s.String(&s.files.Main, mainFlag, "CONFIG", "", "configuration file, which must exist, in place of "+program+".yaml in --config-dir")
	return s
}

// full returns the name of a flag or of its alias.
func (s *Set) full(name string) string {
	if full, ok := s.alias[name]; ok {
		return full
	}
	return name
}

// String adds a flag with a value. variable is the environment variable without the program's prefix, "" for none.
func (s *Set) String(p *string, name, variable, value, usage string, aliases ...string) {
	s.set.StringVar(p, name, value, s.describe(name, variable, usage, aliases))
}

// Bool adds a switch.
func (s *Set) Bool(p *bool, name, variable string, usage string, aliases ...string) {
	s.set.BoolVar(p, name, false, s.describe(name, variable, usage, aliases))
}

// Int adds a flag with a whole number.
func (s *Set) Int(p *int, name, variable string, value int, usage string, aliases ...string) {
	s.set.IntVar(p, name, value, s.describe(name, variable, usage, aliases))
}

// List adds a flag with a comma list.
func (s *Set) List(p *[]string, name, variable, usage string, aliases ...string) {
	s.set.Var(&list{p}, name, s.describe(name, variable, usage, aliases))
}

// Standalone declares flags with which the program is not the daemon: it reads no files then, and accepts any variable.
func (s *Set) Standalone(names ...string) { s.standalone = append(s.standalone, names...) }

func (s *Set) describe(name, variable, usage string, aliases []string) string {
	for _, a := range aliases {
		s.alias[a] = name
	}
	if len(aliases) > 0 {
		usage += also(aliases)
	}
	if variable != "" {
		s.env[name] = s.prefix + variable
		usage += marked(s.prefix + variable)
	}
	return usage
}

// also is the part of a usage that names aliases.
func also(aliases []string) string { return " (also --" + strings.Join(aliases, ", --") + ")" }

// Parse reads args and, for what they leave out, the environment, the files, and the settings of contiv init and contiv join. Errors name the flag,
// the variable or the line of a file, all of them; ErrHelp: the output that a flag asked for is printed.
func (s *Set) Parse(args []string, env Env) error {
	return s.parse(args, func() *inherited { return s.inherit(env) })
}

// Reparse is Parse of another set in the environment of this process, for files that have changed since s was parsed.
func (s *Set) Reparse(next *Set, args []string) error {
	return next.parse(args, func() *inherited { return s.inherited })
}

func (s *Set) parse(args []string, inherit func() *inherited) error {
	if err := s.set.Parse(s.doubled(args)); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return ErrHelp
		}
		return fmt.Errorf("%w; --help lists the flags", err)
	}
	for _, printed := range []struct {
		is    bool
		print func() error
	}{{s.list, s.printVariables}, {s.schema, s.printSchema}} {
		if printed.is {
			return errors.Join(ErrHelp, printed.print())
		}
	}
	if rest := s.set.Args(); len(rest) > 0 {
		return fmt.Errorf("argument %q is not a flag; --help lists the flags", rest[0])
	}
	if s.print != "" {
		if err := OneOf("print-config", s.print, "yaml", "json"); err != nil {
			return err
		}
	}
	return s.read(inherit)
}

// read reads all layers below the command line.
func (s *Set) read(inherit func() *inherited) error {
	s.given = map[string][]given{}
	s.set.Visit(func(f *pflag.Flag) { s.add(f.Name, f.Value.String(), Origin{Layer: LayerFlag}) })
	s.inherited = inherit()
	var problems []error
	if !s.inherited.other {
		problems = s.readFiles()
	}
	problems = append(problems, s.addVariables()...)
	problems = append(problems, s.apply()...)
	s.values = map[string]string{}
	for _, f := range s.keys() {
		s.values[f.Name] = f.Value.String()
	}
	if s.print != "" {
		if err := s.printSettings(); err != nil {
			return err
		}
		if len(problems) == 0 {
			return ErrHelp
		}
	}
	return errors.Join(problems...)
}

// doubled turns -flag into --flag, where that is a flag.
func (s *Set) doubled(args []string) []string {
	args = slices.Clone(args)
	for i, a := range args {
		if a == "--" {
			break
		}
		if len(a) < 3 || a[0] != '-' || a[1] == '-' {
			continue
		}
		name, _, _ := strings.Cut(a[1:], "=")
		if s.set.Lookup(name) != nil {
			args[i] = "-" + a
		}
	}
	return args
}
