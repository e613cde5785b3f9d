// SPDX-License-Identifier: Apache-2.0

package theme

import (
	"fmt"
	"image/color"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
)

// Skin is a theme of a user: the styles of some roles, in place of those of a theme of New.
type Skin struct {
	Base   string            // a theme of New; "": dark
	Styles map[string]string // by the names of RoleNames; see NewSkin
}

// roles are the names of the roles in skins.
func roles() map[string]Role {
	return map[string]Role{"dim": Dim, "title": Title, "good": Good, "held": Held, "warn": Warn, "bad": Bad, "cursor": Cursor, "relation": Relation, "fresh": Fresh}
}

// RoleNames are the names of the roles that a skin can style, in alphabetical order.
func RoleNames() []string { return slices.Sorted(maps.Keys(roles())) }

// NewSkin makes the theme of a skin. A style is words divided by blanks: bold, faint, underline, reverse, and a colour as
// foreground, with "on" before it as background. A colour is a number of the terminal's palette (0 to 255) or #rrggbb. With ascii,
// the theme uses no character beyond ASCII. The error names the part of the skin that is wrong.
func NewSkin(name string, s Skin, ascii bool) (*Theme, error) {
	base := s.Base
	if base == "" {
		base = "dark"
	}
	styles := stylesOf(base)
	if styles == nil {
		return nil, fmt.Errorf("base: got %q, want one of %s", base, strings.Join(Names(), ", "))
	}
	for _, role := range slices.Sorted(maps.Keys(s.Styles)) {
		r, ok := roles()[role]
		if !ok {
			return nil, fmt.Errorf("got a style of %q, want one of %s", role, strings.Join(RoleNames(), ", "))
		}
		style, err := parseStyle(s.Styles[role])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", role, err)
		}
		styles[r] = style
	}
	return compiled(name, base, styles, ascii), nil
}

// parseStyle reads the style of a role.
func parseStyle(text string) (lipgloss.Style, error) {
	out, ground := lipgloss.NewStyle(), false
	for _, word := range strings.Fields(text) {
		switch word {
		case "bold":
			out = out.Bold(true)
		case "faint":
			out = out.Faint(true)
		case "underline":
			out = out.Underline(true)
		case "reverse":
			out = out.Reverse(true)
		case "on":
			ground = true
			continue
		default:
			c, err := parseColor(word)
			if err != nil {
				return out, err
			}
			if ground {
				out = out.Background(c)
			} else {
				out = out.Foreground(c)
			}
		}
		ground = false
	}
	if ground {
		return out, fmt.Errorf("got %q, want a colour after on", text)
	}
	return out, nil
}

// parseColor reads a colour.
func parseColor(word string) (color.Color, error) {
	if n, err := strconv.Atoi(word); err == nil && n >= 0 && n <= 255 || regexp.MustCompile(`^#[0-9a-fA-F]{6}$`).MatchString(word) {
		return lipgloss.Color(word), nil
	}
	return nil, fmt.Errorf("got %q, want bold, faint, underline, reverse, a colour from 0 to 255, or #rrggbb", word)
}
