// SPDX-License-Identifier: Apache-2.0

// Package preferences reads what a user prefers in the console: a theme or a skin of their own, keys that go to pages, and views, which are
// pages with a filter.
package preferences

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/configfile"
	"github.com/contiv/contiv/console/theme"
)

// View is a page with a filter.
type View struct {
	Page   string // its path, as ":" takes it
	Filter string // as "/" takes it; "": none
}

// Preferences are those of a user. The zero value has none.
type Preferences struct {
	Theme   string // of theme.New, or a skin; "": according to the terminal
	ASCII   bool
	Mouse   bool
	Skins   map[string]theme.Skin
	Hotkeys map[string]string // paths of pages or names of views, by keys as the terminal names them, such as f5 or ctrl+e
	Views   map[string]View
}

// Read reads the section "console" of the user's file, at path. The errors name the file, the line and the key.
func Read(path string, section []configfile.Entry) (*Preferences, error) {
	r := &reader{path: path}
	p := &Preferences{Skins: map[string]theme.Skin{}, Hotkeys: map[string]string{}, Views: map[string]View{}}
	r.entries(section, map[string]func(e configfile.Entry){
		"theme": func(e configfile.Entry) { p.Theme = r.text(e) },
		"ascii": func(e configfile.Entry) { p.ASCII = r.bool(e) },
		"mouse": func(e configfile.Entry) { p.Mouse = r.bool(e) },
		"skins": func(e configfile.Entry) {
			for _, one := range r.entriesOf(e) {
				p.Skins[one.Key] = r.skin(one)
			}
		},
		"hotkeys": func(e configfile.Entry) {
			for _, one := range r.entriesOf(e) {
				p.Hotkeys[one.Key] = r.text(one)
			}
		},
		"views": func(e configfile.Entry) {
			for _, one := range r.entriesOf(e) {
				p.Views[one.Key] = r.view(one)
			}
		},
	})
	return p, errors.Join(r.problems...)
}

// Look makes the theme of a name: one of theme.New, or a skin.
func (p *Preferences) Look(name string, ascii bool) (*theme.Theme, error) {
	if s, ok := p.Skins[name]; ok {
		t, err := theme.NewSkin(name, s, ascii)
		if err != nil {
			return nil, fmt.Errorf("console: skins: %s: %w", name, err)
		}
		return t, nil
	}
	t, err := theme.New(name, ascii)
	if err != nil && len(p.Skins) > 0 {
		return nil, fmt.Errorf("%w, or a skin of the file of contexts", err)
	}
	return t, err
}

// reader collects the problems of a section.
type reader struct {
	path     string
	problems []error
}

func (r *reader) add(line int, format string, args ...any) {
	r.problems = append(r.problems, &configfile.Problem{File: r.path, Line: line, Text: "console: " + fmt.Sprintf(format, args...)})
}

// entries reads entries by their keys. Other keys are problems.
func (r *reader) entries(all []configfile.Entry, known map[string]func(configfile.Entry)) {
	for _, e := range all {
		if read := known[e.Key]; read != nil {
			read(e)
			continue
		}
		keys := slices.Sorted(maps.Keys(known))
		hint := ""
		if alike := model.Alike(e.Key, keys); len(alike) > 0 {
			hint = ": did you mean " + strings.Join(alike, " or ") + "?"
		}
		r.add(e.Line, "unknown key %s, want one of %s%s", e.Key, strings.Join(keys, ", "), hint)
	}
}

// entriesOf returns the entries of a map.
func (r *reader) entriesOf(e configfile.Entry) []configfile.Entry {
	if e.Value.Kind != configfile.Map && e.Value.Kind != configfile.Null {
		r.add(e.Line, "%s: got %s, want %s", e.Key, &e.Value, configfile.Map)
	}
	return e.Value.Map
}

// text returns a scalar. A colour such as 9 is text, too.
func (r *reader) text(e configfile.Entry) string {
	switch e.Value.Kind {
	case configfile.Text, configfile.Int:
		return e.Value.Text
	}
	r.add(e.Line, "%s: got %s, want %s", e.Key, &e.Value, configfile.Text)
	return ""
}

func (r *reader) bool(e configfile.Entry) bool {
	if e.Value.Kind != configfile.Bool {
		r.add(e.Line, "%s: got %s, want %s", e.Key, &e.Value, configfile.Bool)
	}
	return strings.EqualFold(e.Value.Text, "true")
}

func (r *reader) skin(e configfile.Entry) theme.Skin {
	out := theme.Skin{Styles: map[string]string{}}
	for _, one := range r.entriesOf(e) {
		if one.Key == "base" {
			out.Base = r.text(one)
			continue
		}
		out.Styles[one.Key] = r.text(one)
	}
	if _, err := theme.NewSkin(e.Key, out, false); err != nil {
		r.add(e.Line, "skins: %s: %v", e.Key, err)
	}
	return out
}

func (r *reader) view(e configfile.Entry) (out View) {
	r.entries(r.entriesOf(e), map[string]func(configfile.Entry){
		"page":   func(one configfile.Entry) { out.Page = r.text(one) },
		"filter": func(one configfile.Entry) { out.Filter = r.text(one) },
	})
	if out.Page == "" {
		r.add(e.Line, "views: %s: got no page: add page: PATH, as \":\" in the console takes it", e.Key)
	}
	return out
}
