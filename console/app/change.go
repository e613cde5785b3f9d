package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	tea "charm.land/bubbletea/v2"
	"sigs.k8s.io/yaml"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/page"
)

type (
	edited struct {
		what page.Describe
		text []byte
		was  []byte // before it was edited
		err  error
	}
	changed struct {
		change page.Change
		err    error
	}
	handedOver struct {
		outcome model.Handover
		err     error
	}
)

// editorOf is the program that edits files: $VISUAL, $EDITOR or vi, which may have arguments.
func editorOf(getenv func(string) string) []string {
	for _, name := range []string{"VISUAL", "EDITOR"} {
		if words := strings.Fields(getenv(name)); len(words) > 0 {
			return words
		}
	}
	return []string{"vi"}
}

func (m *Model) present(what page.Describe) model.Object {
	for _, o := range m.snapshot.Objects[what.Kind.Name] {
		if o.ObjectKey() == what.Key {
			return o
		}
	}
	return nil
}

// edit opens an object in the editor, which has the terminal to itself until it ends. text is a draft to go on with; nil: the object
// as it is.
func (m *Model) edit(what page.Describe, text []byte) tea.Cmd {
	if text == nil {
		before := m.present(what)
		if before == nil {
			m.notice = what.Kind.Name + " " + what.Key + " is gone"
			return nil
		}
		var err error
		if text, err = draft(before); err != nil {
			m.notice = err.Error()
			return nil
		}
	}
	path, err := written(text)
	if err != nil {
		m.notice = err.Error()
		return nil
	}
	arguments := append(m.editor[1:len(m.editor):len(m.editor)], path)
	return tea.ExecProcess(exec.CommandContext(m.ctx, m.editor[0], arguments...), func(err error) tea.Msg {
		after, readErr := os.ReadFile(path)
		return edited{what, after, text, errors.Join(err, readErr, os.Remove(path))}
	})
}

// draft is the fields of an object that can be set, as text.
func draft(o model.Object) ([]byte, error) {
	fields := map[string]any{}
	for _, f := range o.Kind().Fields {
		fields[f.Name] = o.Field(f.Name)
	}
	text, err := yaml.Marshal(fields)
	return fmt.Appendf(nil, "# %s %s\n%s", o.Kind().Name, o.ObjectKey(), text), err
}

// written puts a draft into a file of its own.
func written(text []byte) (path string, err error) {
	file, err := os.CreateTemp("", "contiv-*.yaml")
	if err != nil {
		return "", fmt.Errorf("make a file for the editor: %w", err)
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// edited shows what the editor made of an object before anything is changed. What no change can be made of is shown with the
// reason, and can be edited again.
func (m *Model) edited(x edited) {
	if x.err != nil && (len(x.text) == 0 || bytes.Equal(x.text, x.was)) {
		m.notice = "the editor: " + x.err.Error()
		return
	}
	o, err := read(x.what.Kind, x.text)
	switch {
	case x.err != nil:
		err = fmt.Errorf("the editor: %w", x.err)
	case err == nil && o.ObjectKey() != x.what.Key:
		err = fmt.Errorf("the file names %s, not %s: objects are not renamed; netctl apply makes new ones", o.ObjectKey(), x.what.Key)
	}
	next := page.NewEdited(page.Change{Kind: x.what.Kind, Key: x.what.Key, Object: o}, m.present(x.what), x.text)
	if err != nil {
		next = page.NewUnread(x.what.Kind, x.what.Key, x.text, err)
	}
	if _, again := m.page().(*page.Confirm); again {
		m.pages[m.at] = next
		return
	}
	m.open(next)
}

// read makes an object of an edited file. It refuses fields that the kind does not have.
func read(kind *model.Kind, text []byte) (model.Object, error) {
	o := kind.New()
	if err := yaml.UnmarshalStrict(text, o); err != nil {
		return nil, fmt.Errorf("the file is no %s: %w", kind.Name, err)
	}
	o.SetDefaults()
	return o, o.Validate()
}

// carryOut makes a change that was confirmed.
func (m *Model) carryOut(c page.Change) tea.Cmd {
	if m.editor == nil {
		m.notice = "this console only reads"
		return nil
	}
	m.notice = "asking netmaster to " + c.Says()
	return func() tea.Msg {
		if c.Object == nil {
			return changed{c, m.remove(c)}
		}
		return changed{c, m.cluster.Put(m.ctx, c.Object)}
	}
}

// remove deletes one object after the other. One that netmaster refuses does not hold up the others.
func (m *Model) remove(c page.Change) error {
	var first error
	refused := 0
	for _, key := range c.Keys() {
		if err := m.cluster.Delete(m.ctx, c.Kind, key); err != nil {
			refused++
			if first == nil {
				first = err
			}
		}
	}
	if refused > 0 && len(c.More) > 0 {
		return fmt.Errorf("%d of %d were refused, the others are deleted: %w", refused, len(c.Keys()), first)
	}
	return first
}

// changed tells the outcome, and leaves the question behind when it was good.
func (m *Model) changed(x changed) {
	asked, asking := m.page().(*page.Confirm)
	if x.err != nil {
		m.notice = "not done: " + x.err.Error()
		if asking {
			asked.Refuse(x.err)
		}
		return
	}
	if asking {
		m.move(m.at - 1)
	}
	m.notice = "done: " + x.change.Says()
}

// handOver has the leader step down, which was confirmed.
func (m *Model) handOver(h page.HandOver) tea.Cmd {
	if m.editor == nil {
		m.notice = "this console only reads"
		return nil
	}
	m.notice = "asking the leader to hand over to " + h.To
	return func() tea.Msg {
		outcome, err := m.cluster.HandOver(m.ctx, h.To)
		return handedOver{outcome, err}
	}
}

// handedOver tells who leads, and leaves the question behind when it was good.
func (m *Model) handedOver(x handedOver) {
	if x.err != nil {
		m.notice = "not done: " + x.err.Error()
		return
	}
	if _, asking := m.page().(*page.Handover); asking {
		m.move(m.at - 1)
	}
	m.notice = fmt.Sprintf("done: %s leads, and accepted writes after %.0f ms", x.outcome.To, x.outcome.Millis)
}
