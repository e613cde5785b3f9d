// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

func topologyEntry() Entry {
	return Entry{Name: "topology", Short: "topo", Aliases: []string{"topo", "tree"}, About: "tenants, networks, groups and endpoints, and the hosts",
		Make: func() *Page { return Topology(nil, "") }, Open: openTopology, Offer: offerTopology}
}

// openTopology opens KIND/KEY, or :matrix.
func openTopology(path []string, view string) *Page {
	switch {
	case len(path) == 0 && view == "matrix":
		return Matrix("")
	case len(path) > 1 && view == "":
		if k, ok := model.KindOf(path[0]); ok {
			return Topology(k, model.Key(path[1:]...))
		}
	}
	return nil
}

func offerTopology(s *feed.Snapshot, _ string, add func(string)) {
	add(":matrix")
	for _, k := range inTree() {
		for _, o := range all(s, k) {
			add("/" + k.Name + "/" + pathOf(o))
		}
	}
}

// inTree are the kinds of objects that are in the tree.
func inTree() []*model.Kind {
	return []*model.Kind{model.KindTenant(), model.KindNetwork(), model.KindEndpointGroup(), model.KindEndpoint()}
}

// topology is the body of the tree of tenants, networks, groups and endpoints, beside a map of the hosts. It shows what the selection
// may talk to.
type topology struct {
	cursor     ref // the selected line
	place, top int // of the cursor, and of the first line in view
	folds      folds
	sized      bool // it is decided whether tenants are folded at first
	opened     bool // the branches above the object that the page starts at have been unfolded
	panes      panes
	field      hostField

	indexed
	branches  []*branch
	objects   [4]part // that branches and relations are of
	tree      *tree   // nil: to be rebuilt
	related   *relations
	relatesTo ref
}

// panes is what of the tree and the map of the hosts is shown.
type panes uint8

// The panes.
const (
	treeAndHosts panes = iota
	onlyTree
	onlyHosts
	allPanes
)

// foldBelow is the number of lines of a tree from which its tenants are folded at first.
const foldBelow = 100

// Topology makes the page with the cursor on an object; nil is the first line.
func Topology(k *model.Kind, key string) *Page {
	p := &topology{cursor: ref{k, key}, folds: folds{}}
	return &Page{Name: "topology", Command: "netctl endpoint ls", Body: p, Keys: []Key{
		p.on("enter d", "open its page", func(_ string, b *line, _ *feed.Snapshot) Action { return objectPage(b.kind, b.key) }).hint("enter", "open"),
		p.on("space left right", "fold and unfold", p.fold).hint("space", "fold"),
		on("tab", "select among the hosts, or in the tree", func(string, Canvas, *feed.Snapshot) Action {
			p.field.focused = p.panes == onlyHosts || p.panes == treeAndHosts && !p.field.focused
			return Action{}
		}).hint("tab", "hosts"),
		on("+ =", "select among the hosts, and zoom in: boxes with their endpoints", func(string, Canvas, *feed.Snapshot) Action {
			p.field.wish = zoomBoxes
			p.showHosts()
			return Action{}
		}).hint("+", "zoom"),
		documented("-", "among the hosts: zoom out, one cell for each host"),
		on("n", "select the next host with a problem", func(_ string, _ Canvas, s *feed.Snapshot) Action {
			found, _ := foundOn(s)
			if !p.field.next(agents(s), found) {
				return Action{Notice: "no host has a known problem"}
			}
			p.showHosts()
			return Action{}
		}).hint("n", "next problem"),
		p.on("m", "show the matrix of allowed connections", func(_ string, b *line, s *feed.Snapshot) Action { return open(Matrix(p.relations(s, b).tenant)) }).hint("m", "matrix"),
		on("o", "show the tree and the hosts, only the tree, or only the hosts", func(string, Canvas, *feed.Snapshot) Action {
			p.panes = (p.panes + 1) % allPanes
			p.field.focused = p.panes == onlyHosts
			return Action{}
		}).hint("o", "layout"),
		p.on("a f", "show the address or the flows of an endpoint, or the flows of a host", p.view(map[string]string{"a": "address", "f": "flows"})),
		p.on("w", "check whether an endpoint or group can reach another, and why", func(_ string, b *line, _ *feed.Snapshot) Action {
			switch {
			case b.group != nil:
				return open(Why(groupEnd(b.group), "", ""))
			case b.endpoint != nil:
				return open(Why(endpointEnd(b.key), "", ""))
			}
			return Action{}
		}).hint("w", "why"),
		p.on("y H", "show the object as YAML, or its history", p.view(map[string]string{"y": "yaml", "H": "history"})),
	}}
}

// on declares keys that act on the selected line.
func (p *topology) on(keys, does string, do func(key string, b *line, s *feed.Snapshot) Action) Key {
	return on(keys, does, func(key string, c Canvas, s *feed.Snapshot) Action {
		if p.field.focused {
			return p.onHost(key, s)
		}
		t, i := p.lines(c, s)
		if t.size == 0 {
			return Action{}
		}
		b := t.at(i)
		p.place, p.cursor = i, b.ref
		return do(key, &b, s)
	})
}

// onHost acts on the host under the cursor.
func (p *topology) onHost(key string, s *feed.Snapshot) Action {
	hosts := agents(s)
	if len(hosts) == 0 {
		return Action{}
	}
	switch name := hosts[p.field.index(hosts)].Name; key {
	case "enter", "d":
		return open(Node(name))
	case "f":
		return open(FlowTables(name))
	case "left", "right":
		p.field.move(key, hosts)
	}
	return Action{}
}

// view shows a view of the selected object, by key.
func (p *topology) view(names map[string]string) func(key string, b *line, s *feed.Snapshot) Action {
	return func(key string, b *line, _ *feed.Snapshot) Action {
		if b.endpoint != nil {
			return open(viewOf(b.endpoint, names[key]))
		}
		return open(viewByKey(b.kind, b.key, names[key]))
	}
}

func (p *topology) fold(key string, b *line, _ *feed.Snapshot) Action {
	if wants := key == "space" || p.folds.folded(b) == (key == "right"); wants && b.children > 0 {
		p.folds[b.ref], p.tree = !p.folds[b.ref], nil
	}
	return Action{}
}

// showHosts has the keys move among the hosts.
func (p *topology) showHosts() {
	if p.field.focused = true; p.panes == onlyTree {
		p.panes = treeAndHosts
	}
}

// claims takes the key that goes to the previous page on others.
func (p *topology) claims(key string) bool { return key == "-" && p.field.focused }

// Keys move.
func (*topology) Keys() []Key { return moveKeys() }

// Key moves.
func (p *topology) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	if p.field.focused {
		if msg.String() == "-" {
			p.field.wish = zoomCells
		}
		p.field.move(msg.String(), agents(s))
		return Action{}
	}
	t, at := p.lines(c, s)
	if to, ok := widget.Move(msg.String(), at, c.Height, t.size); ok && t.size > 0 {
		p.place, p.cursor = to, t.at(to).ref
	}
	return Action{}
}

// click puts the cursor on a line, or on a host.
func (p *topology) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	if _, left := p.split(c, s); p.laid(s) != onlyTree && x >= left {
		hosts := agents(s)
		if at := p.field.click(x, y, len(hosts)); at >= 0 {
			again := p.field.focused && at == p.field.index(hosts)
			p.field.focused = true
			if p.field.put(at, hosts); again {
				return p.onHost("enter", s)
			}
		}
		return Action{}
	}
	p.field.focused = false
	t, _ := p.lines(c, s)
	if i := p.top + y; y < max(1, c.Height-2) && i < t.size {
		p.place, p.cursor = i, t.at(i).ref
	}
	return Action{}
}

// Working is what is still being done to the tree.
func (p *topology) Working() string {
	if p.filtering() {
		return "filtering"
	}
	return ""
}

// visible is the current tree. It is rebuilt only after a change.
func (p *topology) visible(c Canvas, s *feed.Snapshot) *tree {
	if of := parts(s, model.KindTenant(), model.KindNetwork(), model.KindEndpointGroup(), model.KindRule()); p.branches == nil || of != p.objects {
		p.branches, p.objects, p.related, p.tree = branches(s), of, nil, nil
	}
	made, fresh := p.get(c, s)
	if fresh || p.tree == nil {
		p.tree = newTree(p.branches, made, p.folds)
	}
	if !p.sized && s.Synced {
		if p.sized = true; p.tree.size > foldBelow {
			for _, b := range p.branches {
				p.folds[b.ref] = true
			}
			p.tree = newTree(p.branches, made, p.folds)
		}
	}
	return p.tree
}

// relations are those of a line.
func (p *topology) relations(s *feed.Snapshot, b *line) *relations {
	if p.related == nil || p.related.one != b.endpoint || p.relatesTo != b.ref {
		p.related, p.relatesTo = relate(s, b), b.ref
	}
	return p.related
}

// lines are the visible lines and the number of the selected one.
func (p *topology) lines(c Canvas, s *feed.Snapshot) (*tree, int) {
	t := p.visible(c, s)
	if p.place < t.size && t.at(p.place).ref == p.cursor {
		return t, p.place
	}
	if i := t.find(p.cursor); i >= 0 {
		return t, i
	}
	if p.unfold(s) {
		p.tree = nil
		t = p.visible(c, s)
		return t, max(0, t.find(p.cursor))
	}
	return t, max(0, min(p.place, t.size-1))
}

// unfold opens, once, the branches above the object that the page starts at, and reports whether there were any.
func (p *topology) unfold(s *feed.Snapshot) bool {
	in := p.cursor
	switch e := findEndpoint(s, p.cursor.key); {
	case p.opened || p.cursor.kind == nil:
		return false
	case p.cursor.kind != model.KindEndpoint():
	case e == nil:
		return false
	default:
		in = ref{model.KindNetwork(), e.NetworkKey()}
		if g := groupOf(s, e.EndpointGroupKey); g != nil {
			in = ref{g.Kind(), g.ObjectKey()}
		}
	}
	path := pathTo(p.branches, in)
	if in == p.cursor && len(path) > 0 {
		path = path[:len(path)-1] // the object itself stays as it is
	}
	for _, b := range path {
		if p.opened = true; p.folds.folded(&b.line) {
			p.folds[b.ref] = !p.folds[b.ref]
		}
	}
	return p.opened
}

// View draws the tree, the map beside it, and a line on what is selected.
func (p *topology) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	lines, at := p.lines(c, s)
	if lines.size == 0 {
		return []string{t.Paint(theme.Dim, nothing(s, s.Synced, "no tenants, or none that match the filter"))}
	}
	here := lines.at(at)
	p.place, p.cursor = at, here.ref
	rel := p.relations(s, &here)
	height := max(1, c.Height-2)
	p.field.focused = p.field.focused && !s.Past()
	width, left := p.split(c, s)
	p.top = widget.InView(p.top, at, height, lines.size)
	out := make([]string, height)
	for i := range out {
		if out[i] = strings.Repeat(" ", width); p.top+i < lines.size && width > 0 {
			b := lines.at(p.top + i)
			out[i] = p.line(t, &b, p.top+i == at, rel, width)
		}
	}
	if p.laid(s) != onlyTree {
		for i, line := range p.field.view(c, s, p.made.all, rel, left, c.Width-left, height) {
			if i < height {
				out[i] += strings.Repeat(" ", left-width) + line
			}
		}
	}
	if p.field.focused {
		out = append(out, p.field.about(c, s, p.made.all))
	} else {
		out = append(out, p.about(s, &here, rel))
	}
	return append(out, t.Paint(theme.Dim, p.signs(t)))
}

// signs explains the signs of what keys move in.
func (p *topology) signs(t *theme.Theme) string {
	if p.field.focused && p.field.shown == zoomCells {
		return strings.Join([]string{t.Glyphs.Cross + " error", t.Glyphs.Half + " warning or catching up", "else the number of its endpoints", "+ shows boxes"}, "  ")
	}
	return strings.Join([]string{t.Glyphs.Used + " selected", t.Glyphs.May + " may connect to it", t.Glyphs.Half + " in part", t.Glyphs.Free + " may not", "  other tenants are isolated"}, "  ")
}

// laid is what is shown beside what: hosts of an earlier moment are not known.
func (p *topology) laid(s *feed.Snapshot) panes {
	if s.Past() {
		return onlyTree
	}
	return p.panes
}

// split is the width of the tree, and where the map begins.
func (p *topology) split(c Canvas, s *feed.Snapshot) (width, left int) {
	switch p.laid(s) {
	case onlyTree:
		return c.Width, c.Width
	case onlyHosts:
		return 0, 0
	}
	width = min(max(c.Width*2/5, 38), 64)
	return width, width + 1
}

func (p *topology) line(t *theme.Theme, b *line, here bool, rel *relations, width int) string {
	sign, role := " ", [...]theme.Role{theme.Title, theme.Good, theme.Held, theme.Plain}[slices.Index(inTree(), b.kind)]
	switch {
	case b.endpoint != nil:
		sign, role = relationMark(t, rel.of(b.endpoint))
	case b.children > 0 && p.folds.folded(b):
		sign = t.Glyphs.Shut
	case b.children > 0:
		sign = t.Glyphs.Open
	}
	if here && !p.field.focused {
		role = theme.Cursor
	}
	return t.Paint(role, widget.Fit(t, strings.Repeat("  ", b.depth)+sign+" "+b.label()+p.within(b), width))
}

// within counts what a folded tenant has.
func (p *topology) within(b *line) string {
	if b.kind != model.KindTenant() || b.children == 0 || !p.folds.folded(b) || p.filter != nil {
		return ""
	}
	return fmt.Sprintf("  %s, %s endpoints", count(b.children, "network"), widget.SI(float64(b.endpoints)))
}

// relationMark is the sign and the colour of a relation.
func relationMark(t *theme.Theme, how relation) (string, theme.Role) {
	switch how {
	case selected:
		return t.Glyphs.Used, theme.Relation
	case full:
		return t.Glyphs.May, theme.Good
	case limited:
		return t.Glyphs.Half, theme.Held
	case refused:
		return t.Glyphs.Free, theme.Bad
	}
	return " ", theme.Dim
}

// about describes the relation of the selection in one line.
func (p *topology) about(s *feed.Snapshot, b *line, rel *relations) string {
	sums := rel.sums(p.made.all)
	counts := sums.counts
	out := fmt.Sprintf("%s %s: %d on %s", b.kind.Name, b.key, counts[selected], count(len(sums.hosts), "host"))
	switch {
	case b.endpoint != nil:
		out = "endpoint " + b.endpoint.Called() + " on " + b.endpoint.HomingHost
		if g := groupOf(s, b.endpoint.EndpointGroupKey); g != nil {
			out += ", group " + g.GroupName + policiesOf(g)
		} else {
			out += ", in no group"
		}
	case b.group != nil:
		out += policiesOf(b.group)
	default:
		return out
	}
	out += fmt.Sprintf("; may connect to %d, partly to %d, not to %d", counts[full], counts[limited], counts[refused])
	if ofKubernetes(s) {
		out += " by policies of groups only"
	}
	return out
}

func policiesOf(g *model.EndpointGroup) string {
	if len(g.Policies) == 0 {
		return ", no policies"
	}
	return ", policies " + strings.Join(g.Policies, " ")
}
