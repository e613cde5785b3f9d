// SPDX-License-Identifier: Apache-2.0

package app

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/charmbracelet/colorprofile"

	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/preferences"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/netctl/contexts"
)

// ownPreferences reads what the user prefers from the file of contexts. It also returns the path of the file, "" if there is none.
func ownPreferences(getenv func(string) string) (*preferences.Preferences, string, error) {
	path := contexts.Path(getenv, getenv("HOME"))
	config, err := contexts.Load(path)
	if err != nil {
		return nil, "", err
	}
	own, err := preferences.Read(path, config.Console())
	return own, path, err
}

// model makes the model of the options: its theme, the keys and views of preferences, and the first page. environment has the variables
// of the terminal.
func (o *options) model(ctx context.Context, environment func(string) string, own *preferences.Preferences) (*Model, error) {
	ascii, name := o.ascii || own.ASCII, cmp.Or(o.theme, own.Theme)
	if o.plain {
		ascii, name = true, "mono"
	}
	look, err := own.Look(cmp.Or(name, themeOf(environment)), ascii)
	if err != nil {
		return nil, err
	}
	mine, err := newPersonal(own)
	if err != nil {
		return nil, err
	}
	first, filter, err := mine.open(o.screen)
	if err != nil {
		first, filter, err = mine.open(complete(o.screen, &feed.Snapshot{}, &mine))
	}
	if err != nil {
		return nil, fmt.Errorf("--screen %s: %w", o.screen, err)
	}
	m := New(ctx, nil, look, first, time.Now())
	m.mouse, m.personal, m.filter = o.mouse || own.Mouse, mine, filter
	if name == "" && look.Name == "dark" {
		m.light, err = theme.New("light", ascii)
	}
	return m, err
}

// keepIn returns what writes views into the file of a path. It reads the file each time: others may have changed it.
func keepIn(path string) func(name string, v preferences.View) error {
	if path == "" {
		return nil
	}
	return func(name string, v preferences.View) error {
		config, err := contexts.Load(path)
		if err != nil {
			return err
		}
		config.SetView(name, v.Page, v.Filter)
		return config.Save()
	}
}

// themeOf returns the theme of a terminal, without a look at its background.
func themeOf(getenv func(string) string) string {
	if getenv("NO_COLOR") != "" {
		return "mono"
	}
	if getenv("TERM") == "" {
		return "dark"
	}
	switch colorprofile.Env([]string{"TERM=" + getenv("TERM"), "COLORTERM=" + getenv("COLORTERM")}) {
	case colorprofile.Ascii, colorprofile.NoTTY:
		return "mono"
	case colorprofile.ANSI:
		return "sixteen"
	}
	return "dark"
}
