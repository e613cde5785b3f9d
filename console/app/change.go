// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/yaml"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/netctl/term"
)

type (
	editedMsg struct {
		what page.Objects
		text []byte
		was  []byte // before it was edited
		err  error
	}
	changedMsg struct {
		change page.Change
		asked  *page.Page // the requesting page
		err    error
	}
	handedOverMsg struct {
		asked   *page.Page
		outcome model.Handover
		err     error
	}
)

// present is the current state of the first object; nil: it is gone.
func (m *Model) present(what page.Objects) model.Object {
	for _, o := range m.snapshot.Objects[what.Kind.Name] {
		if o.ObjectKey() == what.Keys[0] {
			return o
		}
	}
	return nil
}

// edit opens an object in the editor, which has the terminal to itself until it ends. text is a draft to continue with; nil: the current
// object.
func (m *Model) edit(what page.Objects, text []byte) tea.Cmd {
	if text == nil {
		before := m.present(what)
		if before == nil {
			m.notice = what.Kind.Name + " " + what.Keys[0] + " is gone"
			return nil
		}
		var err error
		if text, err = draft(before); err != nil {
			m.notice = err.Error()
			return nil
		}
	}
	path, err := term.Draft(text)
	if err != nil {
		m.notice = err.Error()
		return nil
	}
	arguments := append(m.editor[1:len(m.editor):len(m.editor)], path)
	return lend(exec.CommandContext(m.ctx, m.editor[0], arguments...), func(err error) tea.Msg {
		after, readErr := os.ReadFile(path)
		return editedMsg{what, after, text, errors.Join(err, readErr, os.Remove(path))}
	})
}

// draft is the fields of an object that can be set, as text.
func draft(o model.Object) ([]byte, error) {
	fields := map[string]any{}
	for _, f := range o.Kind().Fields {
		fields[f.Name] = o.Field(f.Name)
		if labels, ok := fields[f.Name].(map[string]string); ok && labels == nil {
			fields[f.Name] = map[string]string{}
		}
	}
	text, err := yaml.Marshal(fields)
	return fmt.Appendf(nil, "# %s %s\n%s", o.Kind().Name, o.ObjectKey(), text), err
}

// edited shows the result of the editor before anything is changed. An invalid text is shown with the reason, and can be edited again.
func (m *Model) edited(x editedMsg) {
	if x.err != nil && (len(x.text) == 0 || bytes.Equal(x.text, x.was)) {
		m.notice = "the editor: " + x.err.Error()
		return
	}
	o, err := parseObject(x.what.Kind, x.text)
	switch {
	case x.err != nil:
		err = fmt.Errorf("the editor: %w", x.err)
	case err == nil && o.ObjectKey() != x.what.Keys[0]:
		err = fmt.Errorf("the file is for %s, want %s: objects cannot be renamed; create new ones with netctl apply", o.ObjectKey(), x.what.Keys[0])
	}
	next := page.Edited(page.Change{Objects: x.what, Object: o}, x.text)
	if err != nil {
		next = page.Unread(x.what, x.text, err)
	}
	if m.page().Editing {
		m.pages[m.at] = next
		return
	}
	m.open(next)
}

// parseObject makes an object of an edited file. It refuses fields that the kind does not have.
func parseObject(kind *model.Kind, text []byte) (model.Object, error) {
	o := kind.New()
	if err := yaml.UnmarshalStrict(text, o); err != nil {
		return nil, fmt.Errorf("the file is not a valid %s: %w", kind.Name, err)
	}
	o.SetDefaults()
	if model.LabelsOf(o) == nil {
		model.SetLabels(o, map[string]string{}) // the file has had all labels, so it removes those that it omits
	}
	return o, o.Validate()
}

// readOnly returns why nothing can be changed, if so.
func (m *Model) readOnly() bool {
	if m.editor == nil {
		m.notice = "the console is read-only"
	}
	return m.editor == nil
}

// change makes a change that was confirmed.
func (m *Model) change(c page.Change) tea.Cmd {
	if m.readOnly() {
		return nil
	}
	m.notice = "sending request: " + c.String()
	asked := m.page()
	return func() tea.Msg {
		if c.Object == nil {
			return changedMsg{c, asked, m.remove(c.Objects)}
		}
		return changedMsg{c, asked, m.cluster.Put(m.ctx, c.Object)}
	}
}

// remove deletes one object after the other. A refused deletion does not stop the others.
func (m *Model) remove(what page.Objects) error {
	var first error
	refused := 0
	for _, key := range what.Keys {
		if err := m.cluster.Delete(m.ctx, what.Kind, key); err != nil {
			refused++
			first = cmp.Or(first, err)
		}
	}
	if refused > 0 && len(what.Keys) > 1 {
		return fmt.Errorf("%d of %d deletions refused, the others are done: %w", refused, len(what.Keys), first)
	}
	return first
}

// changed describes the outcome.
func (m *Model) changed(x changedMsg) {
	if x.err != nil && x.asked.Refused != nil {
		x.asked.Refused(x.err)
	}
	m.done(x.asked, x.err, x.change.String())
}

// done describes the result, and leaves the requesting page if it succeeded.
func (m *Model) done(asked *page.Page, err error, what string) {
	if err != nil {
		m.notice = "not done: " + err.Error()
		return
	}
	if m.page() == asked {
		m.move(m.at - 1)
	}
	m.notice = "done: " + what
}

// handOver has the leader step down, which was confirmed.
func (m *Model) handOver(h page.HandOver) tea.Cmd {
	if m.readOnly() {
		return nil
	}
	m.notice = "requesting handover to " + h.To
	asked := m.page()
	return func() tea.Msg {
		outcome, err := m.cluster.HandOver(m.ctx, h.To)
		return handedOverMsg{asked, outcome, err}
	}
}
