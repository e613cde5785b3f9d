package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Matrix is what the policies of a tenant let its groups say to one another, the senders down, the receivers across.
type Matrix struct {
	tenant   string // "": the first that has groups
	row, col int

	judged  *verdict.Policies // of the tenant judges, in the snapshot from
	judges  string
	parties []verdict.Party
	sums    map[[2]int]verdict.Summary // of the cells that were drawn, by the numbers of their parties
	hits    map[string]*hits           // of the snapshot from; nil: not summed up yet
	from    *feed.Snapshot
	drawn   drawnMatrix
}

// drawnMatrix is where cells were drawn last.
type drawnMatrix struct{ left, top, across, down, cell int }

// NewMatrix makes the page of a tenant; "" is the first that has groups.
func NewMatrix(tenant string) *Matrix { return &Matrix{tenant: tenant} }

// Name is the crumb.
func (p *Matrix) Name() string { return "matrix" }

// Command prints the same.
func (p *Matrix) Command() string {
	if p.tenant == "" {
		return "netctl matrix"
	}
	return "netctl matrix --tenant " + p.tenant
}

// Keys move.
func (p *Matrix) Keys() []theme.Key { return theme.MatrixKeys() }

// tenants are those that have groups.
func (p *Matrix) tenants(s *feed.Snapshot) []string {
	var out []string
	for _, o := range s.Objects[model.KindEndpointGroup().Name] {
		if g, ok := o.(*model.EndpointGroup); ok && !slices.Contains(out, g.TenantName) {
			out = append(out, g.TenantName)
		}
	}
	return out
}

// Questions are the hits of rules, from every host.
func (p *Matrix) Questions(s *feed.Snapshot) []feed.Question { return ruleQuestions(s) }

// policies are the tenant's, as they are in a snapshot.
func (p *Matrix) policies(s *feed.Snapshot) (*verdict.Policies, []verdict.Party) {
	if all := p.tenants(s); p.tenant == "" && len(all) > 0 {
		p.tenant = all[0]
	}
	fresh := p.from == nil || p.judges != p.tenant
	for _, k := range []*model.Kind{model.KindEndpointGroup(), model.KindNetwork(), model.KindRule()} {
		fresh = fresh || !same(p.from.Objects[k.Name], s.Objects[k.Name])
	}
	if p.from != s {
		p.from, p.hits = s, nil
	}
	if fresh {
		p.judged = verdict.New(p.tenant, s.Objects[model.KindEndpointGroup().Name], s.Objects[model.KindNetwork().Name], s.Objects[model.KindRule().Name])
		p.judges, p.parties, p.sums = p.tenant, p.judged.Parties(), map[[2]int]verdict.Summary{}
	}
	p.row, p.col = max(0, min(p.row, len(p.parties)-1)), max(0, min(p.col, len(p.parties)-1))
	return p.judged, p.parties
}

// Key moves the cursor; n goes to the next tenant.
func (p *Matrix) Key(key string, _ Canvas, s *feed.Snapshot) Action {
	_, parties := p.policies(s)
	switch key {
	case "up", "k":
		p.row--
	case "down", "j":
		p.row++
	case "left", "h":
		p.col--
	case "right", "l":
		p.col++
	case "n":
		if all := p.tenants(s); len(all) > 0 {
			p.tenant = all[(slices.Index(all, p.tenant)+1)%len(all)]
		}
	case "w":
		return p.why(s)
	case "enter":
		if len(parties) > 0 && parties[p.col].Group != nil {
			return Action{Go: rulesOf(parties[p.col].Group)}
		}
	}
	p.policies(s)
	return Action{}
}

// click puts the cursor on a cell; on the one under the cursor it is enter.
func (p *Matrix) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	p.View(c, s)
	d := p.drawn
	across, down := (x-nameWidth)/(d.cell+1), y-2 // below what it is of, and the names
	col, row := d.left+across, d.top+down
	if x < nameWidth || down < 0 || across >= d.across || down >= d.down || col >= len(p.parties) || row >= len(p.parties) {
		return Action{}
	}
	if col == p.col && row == p.row {
		return p.Key("enter", c, s)
	}
	p.col, p.row = col, row
	return Action{}
}

// why asks about the cell under the cursor, with the first traffic of it that has a port.
func (p *Matrix) why(s *feed.Snapshot) Action {
	v, parties := p.policies(s)
	if len(parties) == 0 {
		return Action{}
	}
	var ends [2]string
	for i, x := range []verdict.Party{parties[p.row], parties[p.col]} {
		if x.Group != nil {
			ends[i] = groupEnd(x.Group)
		}
	}
	traffic := ""
	for _, d := range v.Between(parties[p.row], parties[p.col]) {
		if text := d.Traffic.String(); traffic == "" && d.Traffic.Port != 0 {
			traffic = text
		}
	}
	return Action{Go: NewWhy(ends[0], ends[1], traffic)}
}

// rulesOf is the page of the rules of a group's policies.
func rulesOf(g *model.EndpointGroup) Page {
	t := NewTable(model.KindRule())
	t.scope, t.command = g.ObjectKey(), "netctl get rule --tenant "+g.TenantName
	t.where = func(f func(string) any) bool {
		name, _ := f("policyName").(string)
		return f("tenantName") == g.TenantName && slices.Contains(g.Policies, name)
	}
	return t
}

// How many cells a party's name and a verdict have in the matrix.
const (
	nameWidth        = 18
	minCell, maxCell = 12, 30
)

// View draws the matrix and, below it, what decides the cell under the cursor.
func (p *Matrix) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	v, parties := p.policies(s)
	if len(parties) < 2 {
		return []string{t.Paint(theme.Dim, "no groups: policies judge groups, and nobody else")}
	}
	cell := min(max((c.Width-nameWidth)/len(parties)-1, minCell), maxCell)
	across := max(1, (c.Width-nameWidth)/(cell+1))
	detail := p.detail(c, s, v, parties)
	down := max(1, c.Height-3-len(detail))
	left, top := inView(p.drawn.left, p.col, across, len(parties)), inView(p.drawn.top, p.row, down, len(parties))
	p.drawn = drawnMatrix{left, top, across, down, cell}
	head := widget.Fit(t, "from \\ to", nameWidth)
	for i := left; i < min(len(parties), left+across); i++ {
		head += widget.Fit(t, parties[i].Name(), cell) + " "
	}
	out := []string{t.Paint(theme.Title, "tenant "+p.tenant) + t.Paint(theme.Dim, "  what may open a connection to what, by policies alone"), t.Paint(theme.Title, head)}
	for r := top; r < min(len(parties), top+down); r++ {
		line := t.Paint(theme.Title, widget.Fit(t, parties[r].Name(), nameWidth))
		for i := left; i < min(len(parties), left+across); i++ {
			text, role := cellText(t, p.sum(r, i))
			if r == p.row && i == p.col {
				role = theme.Cursor
			}
			line += t.Paint(role, widget.Fit(t, text, cell)) + " "
		}
		out = append(out, line)
	}
	return append(append(out, ""), detail...)
}

// sum is the verdict of a cell. It is found once for each state of the policies.
func (p *Matrix) sum(from, to int) verdict.Summary {
	key := [2]int{from, to}
	out, known := p.sums[key]
	if !known {
		out = verdict.Sum(p.judged.Between(p.parties[from], p.parties[to]))
		p.sums[key] = out
	}
	return out
}

func cellText(t *theme.Theme, sum verdict.Summary) (string, theme.Role) {
	switch {
	case sum.Text == "not judged":
		return "-", theme.Dim
	case sum.Fate == verdict.Allowed:
		return t.Glyphs.Dot + " all", theme.Good
	case sum.Fate == verdict.Denied:
		return t.Glyphs.Free + " none", theme.Bad
	}
	return t.Glyphs.Half + " " + sum.Text, theme.Held
}

// detail tells each class of traffic between the two under the cursor, and the rules that decide.
func (p *Matrix) detail(c Canvas, s *feed.Snapshot, v *verdict.Policies, parties []verdict.Party) []string {
	t := c.Theme
	from, to := parties[p.row], parties[p.col]
	list := v.Between(from, to)
	out := []string{t.Paint(theme.Title, t.Glyphs.Cursor+" "+from.Name()+" to "+to.Name()+"  ") + verdict.Sum(list).Text}
	if list == nil {
		return append(out, t.Paint(theme.Dim, "what is outside on both sides is nobody's to judge"))
	}
	if p.hits == nil {
		p.hits = ruleHits(s)
	}
	for _, d := range list {
		if len(out) > max(4, c.Height/3) {
			return append(out, t.Paint(theme.Dim, "  "+t.Glyphs.Ellipsis+" all with: netctl matrix --tenant "+p.tenant+" "+from.Name()+" "+to.Name()))
		}
		role := [...]theme.Role{theme.Good, theme.Bad, theme.Held}[d.Fate]
		why := "no rule speaks of it"
		if r := d.By(); r != nil {
			why = ruleWords(r)
			if h, ok := p.hits[r.ObjectKey()]; ok {
				why += fmt.Sprintf(", %s packets", widget.Humane(float64(h.packets)))
			}
		}
		out = append(out, t.Paint(role, "  "+widget.Fit(t, d.Traffic.String(), 10)+widget.Fit(t, d.Fate.String(), 8))+" "+why)
	}
	if from.Group != nil && to.Group != nil && from.Group.NetworkName != to.Group.NetworkName {
		out = append(out, t.Paint(theme.Dim, "  two networks, "+from.Group.NetworkName+" and "+to.Group.NetworkName+": whether there is a route between them is not judged here"))
	}
	return out
}

// ruleWords is a rule in words.
func ruleWords(r *model.Rule) string {
	peer := cmp.Or(r.FromEndpointGroup, r.ToEndpointGroup, r.FromNetwork, r.ToNetwork, r.FromIpAddress, r.ToIpAddress, "anyone")
	what := cmp.Or(r.Protocol, "any")
	if r.Port != 0 {
		what += fmt.Sprintf(" %d", r.Port)
	}
	way := "from "
	if r.Direction == "out" {
		way = "to "
	}
	return strings.TrimSpace(fmt.Sprintf("rule %s: %s %s %s, priority %d", r.ObjectKey(), r.Action, what, way+peer, r.Priority))
}
