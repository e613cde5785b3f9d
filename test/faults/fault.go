// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
)

//go:embed table/*.yaml
var tables embed.FS

const (
	defaultWithin = 30 * time.Second // for the cause to be the first finding
	defaultClears = 45 * time.Second // for all findings to end after the repair
)

// Fault is one fault of the table. Scripts and patterns name hosts by $A, $B and $C, which are hosts of the lab in some order.
type Fault struct {
	Name   string `json:"name"`
	What   string `json:"what"`   // the fault, in words
	Inject string `json:"inject"` // script
	Repair string `json:"repair"` // script; empty: the cluster repairs it by itself
	// First is a regular expression of the whole first finding, "CODE OBJECT" or "CODE OBJECT on HOST". Empty: nothing may be found once the
	// script has ended.
	First string `json:"first"`
	// Beside are regular expressions of further causes that are true too.
	Beside []string `json:"beside"`
	// Also are regular expressions of findings about another fault, which the script injects to provoke this one: they may precede it.
	Also     []string `json:"also"`
	Touches  []string `json:"touches"`  // what it breaks, besides or in place of $A: faults with one in common are not paired
	Within   int      `json:"within"`   // seconds until the cause is the first finding; 0: defaultWithin
	Clears   int      `json:"clears"`   // seconds until nothing is found after the repair; 0: defaultClears
	Brief    bool     `json:"brief"`    // it ends by itself so soon that the finding need not stay
	Unpaired bool     `json:"unpaired"` // it hides others
	Needs    string   `json:"needs"`    // a condition of the lab: userspace, or empty
	Short    bool     `json:"short"`    // it is part of the short form
}

// Covered is a fault that the lab cannot have, and the test that has it.
type Covered struct {
	What string `json:"what"`
	Code string `json:"code"`
	By   string `json:"by"` // path of a test, and its name after a space
	Why  string `json:"why"`
}

// Stage is a lab with objects and containers in which faults are tried.
type Stage struct {
	Name   string
	Title  string  `json:"title"`
	Setup  string  `json:"setup"` // script
	Faults []Fault `json:"faults"`
}

func (f *Fault) within() time.Duration {
	return cmp.Or(time.Duration(f.Within)*time.Second, defaultWithin)
}

func (f *Fault) clears() time.Duration {
	return cmp.Or(time.Duration(f.Clears)*time.Second, defaultClears)
}

// quiet reports whether nothing may be found.
func (f *Fault) quiet() bool { return f.First == "" }

// stageOrder are the files of the table, in the order in which they are read: those with a setup begin a stage, the others continue it.
var stageOrder = []string{"switch", "path", "container", "daemon", "store", "object", "routing"}

// LoadTable reads the stages and the faults that other tests cover.
func LoadTable() ([]Stage, []Covered, error) {
	var stages []Stage
	for _, name := range stageOrder {
		s := Stage{Name: name}
		if err := decode(tables, name, &s); err != nil {
			return nil, nil, err
		}
		if s.Setup != "" {
			stages = append(stages, s)
			continue
		}
		if len(stages) == 0 {
			return nil, nil, fmt.Errorf("table %s: the first one needs a setup", name)
		}
		last := &stages[len(stages)-1]
		last.Faults = append(last.Faults, s.Faults...)
	}
	var covered []Covered
	if err := decode(tables, "elsewhere", &covered); err != nil {
		return nil, nil, err
	}
	return stages, covered, check(stages)
}

func decode(files fs.FS, name string, to any) error {
	text, err := fs.ReadFile(files, path.Join("table", name+".yaml"))
	if err != nil {
		return err
	}
	if err := yaml.UnmarshalStrict(text, to); err != nil {
		return fmt.Errorf("table %s: %w", name, err)
	}
	return nil
}

// check returns an error for a fault that is incomplete, or that expects a code which does not exist.
func check(stages []Stage) error {
	seen := map[string]bool{}
	codes := map[string]bool{}
	for _, info := range model.FindingCodes() {
		codes[info.Code.String()] = true
	}
	for _, s := range stages {
		for i := range s.Faults {
			f := &s.Faults[i]
			switch {
			case f.Name == "" || f.What == "" || f.Inject == "":
				return fmt.Errorf("fault %q: name, what and inject are required", f.Name)
			case seen[f.Name]:
				return fmt.Errorf("fault %s is there twice", f.Name)
			case f.Needs != "" && f.Needs != userspace:
				return fmt.Errorf("fault %s: needs: got %q, want %s", f.Name, f.Needs, userspace)
			}
			seen[f.Name] = true
			for _, p := range f.patterns() {
				if _, err := regexp.Compile(p); err != nil {
					return fmt.Errorf("fault %s: %w", f.Name, err)
				}
				for _, code := range codesOf(p) {
					if !codes[code] {
						return fmt.Errorf("fault %s expects %s, which is no code of a finding", f.Name, code)
					}
				}
			}
		}
	}
	return nil
}

// patterns are the regular expressions of the findings that a fault expects, the first one first.
func (f *Fault) patterns() []string {
	if f.quiet() {
		return slices.Concat(f.Beside, f.Also)
	}
	return slices.Concat([]string{f.First}, f.Beside, f.Also)
}

var codePattern = regexp.MustCompile(`^[a-z]+(-[a-z]+)+$`)

// codesOf returns the codes that a pattern names: the first word of each of its alternatives.
func codesOf(pattern string) (out []string) {
	for _, alternative := range strings.Split(pattern, "|") {
		code, _, _ := strings.Cut(alternative, " ")
		code = strings.Trim(code, "()")
		if codePattern.MatchString(code) && !slices.Contains(out, code) {
			out = append(out, code)
		}
	}
	return out
}
