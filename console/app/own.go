// SPDX-License-Identifier: Apache-2.0

package app

import (
	"github.com/charmbracelet/colorprofile"

	"github.com/contiv/contiv/console/preferences"
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

// keepIn returns what writes views into the file of a path. The file is read again each time: others may have changed it.
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
