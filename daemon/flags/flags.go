// Package flags reads the command line and environment of the daemons as the original did: one or two dashes, aliases,
// an environment variable for each flag, the command line before the environment.
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

// ErrHelp says that help, or the list of variables, was asked for and printed.
var ErrHelp = pflag.ErrHelp

// Set is the flags of one program.
type Set struct {
	set    *pflag.FlagSet
	prefix string            // of the environment variables, "CONTIV_NETMASTER_"
	env    map[string]string // flag -> variable
	alias  map[string]string
	out    io.Writer
	list   bool // --variables
}

// New makes an empty set. Help and usage go to out.
func New(program, prefix string, out io.Writer) *Set {
	s := &Set{set: pflag.NewFlagSet(program, pflag.ContinueOnError), prefix: prefix, env: map[string]string{}, alias: map[string]string{}, out: out}
	s.set.SortFlags = true
	s.set.SetOutput(out)
	s.set.Usage = func() { fmt.Fprintf(out, "Usage: %s [flags]\n\n%s", program, s.set.FlagUsagesWrapped(110)) }
	s.set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if full, ok := s.alias[name]; ok {
			name = full
		}
		return pflag.NormalizedName(name)
	})
	s.set.BoolVar(&s.list, "variables", false, "print the environment variables that are read, as JSON, and exit")
	return s
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

func (s *Set) describe(name, variable, usage string, aliases []string) string {
	for _, a := range aliases {
		s.alias[a] = name
	}
	if len(aliases) > 0 {
		usage += " (also --" + strings.Join(aliases, ", --") + ")"
	}
	if variable != "" {
		s.env[name] = s.prefix + variable
		usage += marked(s.prefix + variable)
	}
	return usage
}

// Parse reads args and, for what they leave out, the environment. Errors name the flag; ErrHelp: what was asked for is printed.
func (s *Set) Parse(args []string, getenv func(string) string) error {
	if err := s.set.Parse(s.doubled(args)); err != nil {
		if errors.Is(err, pflag.ErrHelp) {
			return ErrHelp
		}
		return fmt.Errorf("%w; --help lists the flags", err)
	}
	if s.list {
		if err := s.printVariables(s.out); err != nil {
			return err
		}
		return ErrHelp
	}
	if rest := s.set.Args(); len(rest) > 0 {
		return fmt.Errorf("argument %q is not a flag; --help lists the flags", rest[0])
	}
	for name, variable := range s.env {
		value := getenv(variable)
		if value == "" || s.set.Changed(name) {
			continue
		}
		if err := s.set.Set(name, value); err != nil {
			return fmt.Errorf("environment variable %s: %w", variable, err)
		}
	}
	return nil
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

// list is a flag's comma list.
type list struct{ to *[]string }

// Set splits the value.
func (l *list) Set(text string) error {
	*l.to = nil
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			*l.to = append(*l.to, part)
		}
	}
	return nil
}

// String joins the list.
func (l *list) String() string {
	if l.to == nil {
		return ""
	}
	return strings.Join(*l.to, ",")
}

// Type names the kind of value in help.
func (l *list) Type() string { return "list" }
