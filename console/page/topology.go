package page

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Topology is the tree of tenants, networks, groups and endpoints, beside a map of the hosts; what is selected lights up
// what it has to do with.
type Topology struct {
	cursor string              // id of the selected line
	leaf   *model.EndpointOper // as it was when it was selected last; nil: the line is no endpoint
	place  int
	top    int
	folds  folds
	alone  bool // the tree without the map

	census  *census
	knots   []*knot // of the snapshot from
	grown   *tree   // of the snapshot from, kept by filter; nil: to be made anew
	room    int     // how many stretches it had
	from    *feed.Snapshot
	filter  *widget.Filter              // that is shown
	sifting *widget.Task[map[cell]kept] // by the filter sifted
	sifted  *widget.Filter
	matrix  *Matrix // that was looked at last: it knows its verdicts
	lit     *ties   // of the branch litOf, in the snapshot from
	litOf   string
	shown   shown
}

// shown is what was drawn last, and of what. It is drawn again as long as nothing else is known and no key was pressed.
type shown struct {
	of     *feed.Snapshot
	canvas Canvas // without the time, of which nothing depends
	lines  []string
}

// NewTopology makes the page with the cursor on an object, "kind key"; "" is the first line.
func NewTopology(at string) *Topology { return &Topology{cursor: at, folds: folds{}} }

// Name is the crumb.
func (p *Topology) Name() string { return "topology" }

// Command lists what hangs on the tree.
func (p *Topology) Command() string { return "netctl endpoint ls" }

// Keys move, fold, and go into things.
func (p *Topology) Keys() []theme.Key { return theme.TreeKeys() }

// Working is what is still being done to the tree.
func (p *Topology) Working() string {
	if p.sifting != nil {
		return "filtering"
	}
	return ""
}

// tree is the visible lines. What they are is found anew only when something has changed.
func (p *Topology) tree(c Canvas, s *feed.Snapshot) *tree {
	fresh := p.from == nil
	for _, k := range []*model.Kind{model.KindTenant(), model.KindNetwork(), model.KindEndpointGroup(), model.KindRule()} {
		fresh = fresh || !same(p.from.Objects[k.Name], s.Objects[k.Name])
	}
	if fresh {
		p.knots, p.lit, p.grown = plant(s), nil, nil
	}
	if p.from == nil || !same(p.from.Endpoints, s.Endpoints) {
		if p.census = p.census.count(s); !p.grown.stands(p.census) {
			p.grown = nil
		}
	}
	p.sift(c)
	if p.grown == nil {
		p.grown = grow(p.knots, p.census, p.folds, p.filter, p.room)
		p.room = len(p.grown.stretches)
	}
	p.from = s
	return p.grown
}

// fewEndpoints are filtered at once.
const fewEndpoints = 2000

// sift sees to it that the canvas' filter is shown, as soon as it is known what it keeps.
func (p *Topology) sift(c Canvas) {
	if p.sifting != nil && p.sifted != c.Filter {
		p.sifting.Cancel()
		p.sifting = nil
	}
	if p.filter == c.Filter {
		return
	}
	if c.Filter == nil {
		p.filter, p.grown = nil, nil
		return
	}
	if p.sifting == nil {
		desk, x, filter := c.Desk, p.census.sieve(c.Filter), c.Filter
		if len(p.census.from) <= fewEndpoints {
			desk = nil
		}
		p.sifted, p.sifting = filter, widget.Do(desk, func(ctx context.Context) map[cell]kept { return x.sift(ctx, filter) })
	}
	if kept, done := p.sifting.Result(); done {
		p.census.filter, p.census.kept = c.Filter, kept
		p.filter, p.grown, p.sifting = c.Filter, nil, nil
	}
}

// ties are those of a branch.
func (p *Topology) ties(s *feed.Snapshot, b *branch) *ties {
	if p.lit == nil || p.lit.one != b.endpoint || !b.is(p.litOf) {
		p.lit, p.litOf = relate(s, b), b.id()
	}
	return p.lit
}

// lines are the visible lines and the number of the selected one.
func (p *Topology) lines(c Canvas, s *feed.Snapshot) (*tree, int) {
	t := p.tree(c, s)
	if p.place < t.size {
		if b := t.at(p.place); b.is(p.cursor) {
			return t, p.place
		}
	}
	if p.leaf != nil {
		if i := t.near(p.leaf); i >= 0 {
			return t, i
		}
	}
	if i := t.find(p.cursor); i >= 0 {
		return t, i
	}
	if i := p.unfold(s); i >= 0 {
		p.grown = nil
		t = p.tree(c, s)
		return t, max(0, t.find(p.cursor))
	}
	return t, max(0, min(p.place, t.size-1))
}

// unfold opens what hides the selected endpoint; -1: nothing does.
func (p *Topology) unfold(s *feed.Snapshot) int {
	key, ok := strings.CutPrefix(p.cursor, model.KindEndpoint().Name+" ")
	if !ok || p.place > 0 {
		return -1
	}
	for i := range s.Endpoints {
		if e := s.Endpoints[i]; e.Key == key {
			name, tenant, _ := strings.Cut(e.EndpointGroupKey, ":")
			p.folds[model.KindEndpointGroup().Name+" "+model.Key(tenant, name)] = true
			p.place = 1
			return i
		}
	}
	return -1
}

// Key moves, folds, or goes into the selected object.
func (p *Topology) Key(key string, c Canvas, s *feed.Snapshot) Action {
	p.shown = shown{}
	all, i := p.lines(c, s)
	if all.size == 0 {
		return Action{}
	}
	here := all.at(i)
	b := &here
	switch key {
	case "m":
		if tenant := p.ties(s, b).tenant; p.matrix == nil || p.matrix.tenant != tenant {
			p.matrix = NewMatrix(tenant)
		}
		return Action{Go: p.matrix}
	case "o":
		p.alone = !p.alone
	case "space", "left", "right":
		if wants := key == "space" || p.folds.folded(b) == (key == "right"); wants && b.children > 0 {
			p.folds[b.id()], p.grown = !p.folds[b.id()], nil
		}
	case "enter", "a", "f", "H", "d", "y", "w":
		return p.into(key, b)
	default:
		scroll(&i, key, c.Height)
	}
	p.place = max(0, min(i, all.size-1))
	b = new(all.at(p.place))
	p.cursor, p.leaf = b.id(), b.endpoint
	return Action{}
}

func (p *Topology) into(key string, b *branch) Action {
	switch {
	case key == "d":
		return Action{Describe: &Describe{Kind: b.kind, Key: b.key}}
	case key == "w" && b.group != nil:
		return Action{Go: NewWhy(groupEnd(b.group), "", "")}
	case b.endpoint != nil && key == "enter":
		return Action{Describe: &Describe{Kind: b.kind, Key: b.key}}
	case b.endpoint != nil:
		return endpointFace(key, b.endpoint)
	case key == "H":
		return Action{Go: NewHistory(b.kind, b.key)}
	case key == "a" && b.network != nil:
		return Action{Go: NewBitmap(b.key)}
	case key == "enter":
		return Action{Go: NewTable(b.kind).into(b.key)}
	}
	return Action{}
}

// View draws the tree, the map beside it, and a line on what is selected.
func (p *Topology) View(c Canvas, s *feed.Snapshot) []string {
	c.Now = time.Time{}
	if p.shown.of != s || p.shown.canvas != c || p.sifting != nil {
		p.shown = shown{s, c, p.draw(c, s)}
	}
	return p.shown.lines
}

func (p *Topology) draw(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	all, at := p.lines(c, s)
	if all.size == 0 {
		return []string{t.Paint(theme.Dim, nothing(s, s.Synced, "no tenants, or none that the filter keeps"))}
	}
	here := all.at(at)
	p.place, p.cursor, p.leaf = at, here.id(), here.endpoint
	lit := p.ties(s, &here)
	height := max(1, c.Height-2)
	p.top = inView(p.top, at, height, all.size)
	width := c.Width
	if !p.alone {
		width = min(max(c.Width*2/5, 38), 64)
	}
	var tree []string
	for i := p.top; i < min(all.size, p.top+height); i++ {
		b := all.at(i)
		tree = append(tree, p.line(t, &b, i == at, lit, width))
	}
	if !p.alone {
		hosts := hostMap(t, s, p.census, lit, c.Width-width-1, height)
		for i := range height {
			if i >= len(tree) {
				tree = append(tree, strings.Repeat(" ", width))
			}
			if i < len(hosts) {
				tree[i] += " " + hosts[i]
			}
		}
	}
	for len(tree) < height {
		tree = append(tree, "")
	}
	return append(tree, p.about(s, &here, lit), t.Paint(theme.Dim, strings.Join([]string{t.Glyphs.Used + " selected", t.Glyphs.May + " may talk to it",
		t.Glyphs.Half + " in part", t.Glyphs.Free + " may not", "  other tenants are apart"}, "  ")))
}

func (p *Topology) line(t *theme.Theme, b *branch, here bool, lit *ties, width int) string {
	sign := " "
	if b.children > 0 {
		sign = t.Glyphs.Open
		if p.folds.folded(b) {
			sign = t.Glyphs.Shut
		}
	}
	role := map[*model.Kind]theme.Role{model.KindTenant(): theme.Title, model.KindNetwork(): theme.Good, model.KindEndpointGroup(): theme.Held}[b.kind]
	if b.endpoint != nil {
		sign, role = tieMark(t, lit.of(b.endpoint))
	}
	text := widget.Fit(t, strings.Repeat("  ", b.depth)+sign+" "+b.label(), width)
	if here {
		role = theme.Cursor
	}
	return t.Paint(role, text)
}

// tieMark is the sign and the colour of a tie.
func tieMark(t *theme.Theme, how tie) (string, theme.Role) {
	switch how {
	case selected:
		return t.Glyphs.Used, theme.Relation
	case open:
		return t.Glyphs.May, theme.Good
	case limited:
		return t.Glyphs.Half, theme.Held
	case refused:
		return t.Glyphs.Free, theme.Bad
	}
	return " ", theme.Dim
}

// about tells in a line what the selection has to do with what.
func (p *Topology) about(s *feed.Snapshot, b *branch, lit *ties) string {
	counts, hosts := lit.sums(p.census)
	out := fmt.Sprintf("%s %s: %d on %s", b.kind.Name, b.key, counts[selected], many(hosts, "host"))
	switch {
	case b.endpoint != nil:
		out = "endpoint " + b.endpoint.EndpointID + " on " + b.endpoint.HomingHost
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
	return out + fmt.Sprintf("; may talk to %d, in part to %d, not to %d", counts[open], counts[limited], counts[refused])
}

func policiesOf(g *model.EndpointGroup) string {
	if len(g.Policies) == 0 {
		return ", no policies"
	}
	return ", policies " + strings.Join(g.Policies, " ")
}
