// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

const (
	boxWidth = 26 // of a host on the map
	boxRoom  = 5  // endpoints that a host's box shows
	boxLines = boxRoom + 2
)

// relatedFirst is endpoints of a host, those that the selection is related to most first, each kind in its order.
func relatedFirst(all []*feed.Endpoint, rel *relations) []*feed.Endpoint {
	var by [selected + 1][]*feed.Endpoint
	for _, e := range all {
		how := rel.of(e)
		by[how] = append(by[how], e)
	}
	slices.Reverse(by[:])
	return slices.Concat(by[:]...)
}

// underlay describes the network between the hosts.
func underlay(t *theme.Theme, s *feed.Snapshot) string {
	tunnels, vlans := 0, 0
	for _, n := range each[*model.Network](s) {
		if n.Encap == "vxlan" {
			tunnels++
		} else {
			vlans++
		}
	}
	var out []string
	if tunnels > 0 {
		out = append(out, fmt.Sprintf("%s tunnels for %s", strings.Repeat(t.Glyphs.Tunnel, 2), count(tunnels, "network")))
	}
	if vlans > 0 {
		out = append(out, fmt.Sprintf("%s uplinks for %s", strings.Repeat(t.Glyphs.Rule, 2), count(vlans, "VLAN")))
	}
	return t.Paint(theme.Dim, strings.Join(out, "   "))
}

func hostBox(t *theme.Theme, n *model.Node, all []*feed.Endpoint, rel *relations, width int, here bool) []string {
	all = relatedFirst(all, rel)
	b, inner := t.Glyphs.Box, width-2
	mark, role := t.Glyphs.Dot, theme.Good
	switch {
	case n.Errors > 0 || !n.Ready:
		mark, role = t.Glyphs.Cross, theme.Bad
	case n.Lag > 0:
		mark, role = t.Glyphs.Half, theme.Warn
	}
	chosen := len(all) > 0 && rel.of(all[0]) == selected
	edge := theme.Dim
	if chosen {
		edge = theme.Relation
	}
	if here {
		role = theme.Cursor
	}
	name := widget.Bare(n.Name)
	room := min(inner, widget.Width(name)+5)
	title := widget.Fit(t, b[4]+" "+name+" "+mark+" ", room)
	out := []string{t.Paint(edge, b[0]) + t.Paint(role, title) + t.Paint(edge, strings.Repeat(b[4], inner-room)+b[1])}
	for i := range boxRoom {
		text, role := "", theme.Plain
		switch {
		case i == boxRoom-1 && len(all) > boxRoom:
			text, role = fmt.Sprintf("%s %d more", t.Glyphs.Ellipsis, len(all)-boxRoom+1), theme.Dim
		case i < len(all):
			var sign string
			sign, role = relationMark(t, rel.of(all[i]))
			text = sign + " " + widget.Fit(t, widget.Bare(all[i].Called()), inner-9) + widget.Bare(shortAddress(firstAddress(all[i])))
		}
		out = append(out, t.Paint(edge, b[5])+t.Paint(role, widget.Fit(t, " "+text, inner))+t.Paint(edge, b[5]))
	}
	foot := ""
	if n.VTEP != "" {
		foot = t.Glyphs.Tunnel + " " + widget.Bare(n.VTEP) + " "
	}
	foot += uplinksOf(t, n)
	return append(out, t.Paint(edge, b[2]+widget.Fit(t, foot+strings.Repeat(b[4], max(0, inner-widget.Width(foot))), inner)+b[3]))
}

// uplinksOf names a host's uplink; for several it counts the usable ones. A cross precedes an unusable one.
func uplinksOf(t *theme.Theme, n *model.Node) string {
	fit := 0
	for _, u := range n.Uplinks {
		if u.Problem() == "" {
			fit++
		}
	}
	text := ""
	switch len(n.Uplinks) {
	case 0:
		return ""
	case 1:
		text = widget.Bare(n.Uplinks[0].Name) + " "
	default:
		text = fmt.Sprintf("%d/%d ", fit, len(n.Uplinks))
	}
	if fit < len(n.Uplinks) {
		text = t.Glyphs.Cross + text
	}
	return text
}

// shortAddress is the end of an IPv4 address, which is enough beside others of its network.
func shortAddress(a string) string {
	if i := strings.LastIndexByte(a, '.'); i >= 0 {
		return a[i:]
	}
	return a
}
