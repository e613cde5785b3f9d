// SPDX-License-Identifier: Apache-2.0

package app

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"
	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/preferences"
	"github.com/contiv/contiv/console/widget"
)

// personal is the keys and the views that the user has in the file of contexts.
type personal struct {
	views   map[string]preferences.View
	hotkeys map[string]string                              // names of views or paths of pages, by key
	keep    func(name string, view preferences.View) error // writes a view into the file; nil: there is no file
	paths   map[*page.Page]string                          // of pages that were opened by one
}

// hotkey is what a key of the user looks like: pages have the others.
var hotkey = regexp.MustCompile(`^(f[1-9][0-9]?|(ctrl|alt)\+[a-z0-9])$`)

// newPersonal checks the views and the keys of preferences.
func newPersonal(p *preferences.Preferences) (personal, error) {
	out := personal{views: p.Views, hotkeys: p.Hotkeys, paths: map[*page.Page]string{}}
	for _, name := range slices.Sorted(maps.Keys(p.Views)) {
		if err := out.check(name); err != nil {
			return personal{}, fmt.Errorf("console: views: %s: %w", name, err)
		}
	}
	taken := takenKeys()
	for _, k := range slices.Sorted(maps.Keys(p.Hotkeys)) {
		if !hotkey.MatchString(k) {
			return personal{}, fmt.Errorf("console: hotkeys: got the key %q, want f1 to f99, or ctrl+ or alt+ with a letter or a digit", k)
		}
		if does, ok := taken[k]; ok {
			return personal{}, fmt.Errorf("console: hotkeys: %s: the console has this key already: %s", k, does)
		}
		if _, _, err := out.open(p.Hotkeys[k]); err != nil {
			return personal{}, fmt.Errorf("console: hotkeys: %s: %w", k, err)
		}
	}
	return out, nil
}

// check reports why a view cannot be shown.
func (p *personal) check(name string) error {
	if _, ok := page.Named(name); ok || strings.ContainsAny(name, "/: ") {
		return fmt.Errorf("want a name that no page has, without /, : and blanks")
	}
	if _, err := page.Open(p.views[name].Page); err != nil {
		return err
	}
	_, err := widget.NewFilter(p.views[name].Filter)
	return err
}

// takenKeys returns what keys do, everywhere or on a page that has a name.
func takenKeys() map[string]string {
	out := map[string]string{"ctrl+c": "quit"}
	note := func(of []key.Binding) {
		for _, b := range of {
			for _, k := range b.Keys() {
				out[k] = b.Help().Desc
			}
		}
	}
	note(bindings(globalKeys()))
	for _, e := range page.Entries() {
		note(pageKeys(e.Make()))
	}
	return out
}

// open makes the page of a view or of a path, with its filter.
func (p *personal) open(text string) (*page.Page, *widget.Filter, error) {
	v, ok := p.views[strings.TrimSpace(text)]
	if !ok {
		v = preferences.View{Page: text}
	}
	made, err := page.Open(v.Page)
	if err != nil {
		return nil, nil, err
	}
	filter, err := widget.NewFilter(v.Filter)
	if p.paths != nil {
		p.paths[made] = v.Page
	}
	return made, filter, err
}

// pathOf returns a path of a page; "" if it has none.
func (p *personal) pathOf(of *page.Page) string {
	if path := p.paths[of]; path != "" {
		return path
	}
	if _, err := page.Open(of.Name); err == nil {
		return of.Name
	}
	return ""
}

// save keeps the page on the screen with its filter as a view.
func (m *Model) save(name string) {
	p, v := &m.personal, preferences.View{Page: m.personal.pathOf(m.page())}
	if m.filter != nil {
		v.Filter = m.filter.Text
	}
	switch {
	case name == "":
		m.notice = "want a name for the view: \":save NAME\""
		return
	case p.keep == nil:
		m.notice = "there is no file for views: set XDG_CONFIG_HOME or HOME"
		return
	case v.Page == "":
		m.notice = "this page has no path; save one to which \":\" leads"
		return
	}
	was, known := p.views[name]
	if p.views == nil {
		p.views = map[string]preferences.View{}
	}
	p.views[name] = v
	err := p.check(name)
	if err == nil {
		err = p.keep(name, v)
	}
	if err != nil {
		if delete(p.views, name); known {
			p.views[name] = was
		}
		m.notice = fmt.Sprintf("save %s: %v", name, err)
		return
	}
	m.notice = fmt.Sprintf("saved: \":%s\" shows this page with this filter", name)
}

// named returns the names of the views that begin with a text, in alphabetical order.
func (p *personal) named(typed string) (out []string) {
	for name := range p.views {
		if typed != "" && strings.HasPrefix(name, typed) {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// keys are the user's keys.
func (p *personal) keys() (out []binding) {
	for _, k := range slices.Sorted(maps.Keys(p.hotkeys)) {
		out = append(out, bind(k, "go to "+p.hotkeys[k], func(m *Model, k string) tea.Cmd {
			m.visitPath(m.personal.hotkeys[k])
			return nil
		}))
	}
	return out
}

// entries are the views, for the help.
func (p *personal) entries() (out []key.Binding) {
	for _, name := range slices.Sorted(maps.Keys(p.views)) {
		does := p.views[name].Page
		if f := p.views[name].Filter; f != "" {
			does += ", filter " + f
		}
		out = append(out, key.NewBinding(key.WithKeys(name), key.WithHelp("  "+name, does)))
	}
	return out
}

// visitPath shows the page of a view or of a path, or a notice why there is none.
func (m *Model) visitPath(text string) {
	made, filter, err := m.personal.open(text)
	if err != nil {
		m.notice = err.Error()
		return
	}
	m.visit(made)
	m.filter = filter
}
