package app

import (
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

// edit opens an object in the editor, which has the terminal to itself until it ends.
func (m *Model) edit(what page.Describe) tea.Cmd {
	before := m.present(what)
	if before == nil {
		m.notice = what.Kind.Name + " " + what.Key + " is gone"
		return nil
	}
	path, err := draft(before)
	if err != nil {
		m.notice = err.Error()
		return nil
	}
	arguments := append(m.editor[1:len(m.editor):len(m.editor)], path)
	return tea.ExecProcess(exec.CommandContext(m.ctx, m.editor[0], arguments...), func(err error) tea.Msg {
		text, readErr := os.ReadFile(path)
		return edited{what, text, errors.Join(err, readErr, os.Remove(path))}
	})
}

// draft writes the fields of an object that can be set into a file of its own.
func draft(o model.Object) (path string, err error) {
	fields := map[string]any{}
	for _, f := range o.Kind().Fields {
		fields[f.Name] = o.Field(f.Name)
	}
	text, err := yaml.Marshal(fields)
	if err != nil {
		return "", err
	}
	file, err := os.CreateTemp("", "contiv-*.yaml")
	if err != nil {
		return "", fmt.Errorf("make a file for the editor: %w", err)
	}
	_, err = fmt.Fprintf(file, "# %s %s\n%s", o.Kind().Name, o.ObjectKey(), text)
	if err = errors.Join(err, file.Close()); err != nil {
		return "", errors.Join(err, os.Remove(file.Name()))
	}
	return file.Name(), nil
}

// edited shows what the editor made of an object before anything is changed.
func (m *Model) edited(x edited) {
	if x.err != nil {
		m.notice = "the editor: " + x.err.Error()
		return
	}
	o, err := read(x.what.Kind, x.text)
	switch {
	case err != nil:
		m.notice = err.Error()
	case o.ObjectKey() != x.what.Key:
		m.notice = fmt.Sprintf("the file names %s, not %s: objects are not renamed; netctl apply makes new ones", o.ObjectKey(), x.what.Key)
	default:
		m.open(page.NewConfirm(page.Change{Kind: x.what.Kind, Key: x.what.Key, Object: o}, m.present(x.what)))
	}
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
	if x.err != nil {
		m.notice = "not done: " + x.err.Error()
		return
	}
	if _, asking := m.page().(*page.Confirm); asking {
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
