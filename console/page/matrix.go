// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/contiv/contiv/api/fold"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

func matrixEntry() Entry {
	return Entry{Name: "matrix", Short: "matr", Aliases: []string{"matr"}, About: "allowed connections between groups", Make: func() *Page { return Matrix("") }, Open: func(path []string, view string) *Page {
		if len(path) != 1 || view != "" {
			return nil
		}
		return Matrix(path[0])
	}, Offer: func(s *feed.Snapshot, _ string, add func(string)) {
		for _, o := range s.Objects[model.KindTenant().Name] {
			add("/" + o.ObjectKey())
		}
	}}
}

// matrix is the body of the traffic that the policies of a tenant allow between its groups, the senders down, the receivers across.
type matrix struct {
	cross
	page   *Page
	tenant string // "": the first that has groups

	judged *judgement // as of the snapshot from
	made   widget.Latest[policyVersion, judgement]
	hits   map[string]*hits // of the snapshot from; nil: not summed up yet
	from   *feed.Snapshot
}

// policyVersion is what a tenant's policies follow from.
type policyVersion struct {
	tenant  string
	objects [3]part
}

// judgement is the policies of a tenant, and the matrix of its groups.
type judgement struct {
	pairs
	*verdict.Policies
	tenant  string
	parties []verdict.Party
	alike   map[int]int                // the first party that is like each
	sums    map[[2]int]verdict.Summary // of such
}

// manyCells is the number of cells from which a matrix is made in the background.
const manyCells = 1000

// judge makes the policies of a tenant, with their matrix; nil when ctx ends.
func judge(ctx context.Context, tenant string, lists [3][]model.Object) *judgement {
	p := verdict.New(tenant, lists[0], lists[1], lists[2])
	x := &judgement{Policies: p, tenant: tenant, parties: p.Parties(), alike: map[int]int{}, sums: map[[2]int]verdict.Summary{}}
	var alike []fold.Fold
	for _, members := range p.Alike(x.parties) {
		alike = append(alike, members)
		for _, i := range members {
			x.alike[i] = members[0]
		}
	}
	for i := range x.parties {
		x.names = append(x.names, x.parties[i].Name())
	}
	x.folded = func(f fold.Fold) string { return f.Name(func(i int) string { return x.names[i] }) }
	x.pairs.sum = func(from, to int) string { return x.sums[[2]int{x.alike[from], x.alike[to]}].Text }
	x.folds = fold.Of(alike, func(from, to int) string {
		if ctx.Err() != nil {
			return ""
		}
		key := [2]int{from, to}
		x.sums[key] = verdict.Sum(p.Between(x.parties[from], x.parties[to]))
		return x.sums[key].Text
	})
	if ctx.Err() != nil {
		return nil
	}
	return x
}

// Matrix makes the page of a tenant; "" is the first that has groups.
func Matrix(tenant string) *Page {
	p := &matrix{tenant: tenant}
	p.page = &Page{Name: "matrix", Command: "netctl matrix", Asks: ruleQuestions, Body: p}
	p.page.Keys = slices.Concat([]Key{
		on("enter", "show the rules of the receiver under the cursor", func(_ string, c Canvas, s *feed.Snapshot) Action { return p.rules(c, s) }).hint("enter", "rules"),
	}, p.keys(p.lay), []Key{
		on("w", "trace such a packet: whether it passes, and why", func(_ string, c Canvas, s *feed.Snapshot) Action { return p.why(c, s) }).hint("w", "why"),
		on("n", "show the next tenant", func(_ string, _ Canvas, s *feed.Snapshot) Action {
			if all := p.tenants(s); len(all) > 0 {
				p.tenant = all[(slices.Index(all, p.tenant)+1)%len(all)]
			}
			p.name(s)
			return Action{}
		}).hint("n", "next tenant"),
	})
	if tenant != "" {
		p.page.Command += " --tenant " + tenant
	}
	return p.page
}

// tenants are those that have groups.
func (p *matrix) tenants(s *feed.Snapshot) (out []string) {
	for _, g := range each[*model.EndpointGroup](s) {
		if !slices.Contains(out, g.TenantName) {
			out = append(out, g.TenantName)
		}
	}
	return out
}

// name chooses the tenant, and names the page's command.
func (p *matrix) name(s *feed.Snapshot) {
	if all := p.tenants(s); p.tenant == "" && len(all) > 0 {
		p.tenant = all[0]
	}
	if p.tenant != "" {
		p.page.Command = "netctl matrix --tenant " + p.tenant
	}
}

// policies are the tenant's, as of a snapshot, or of an earlier one while newer ones are judged; nil: there are none yet.
func (p *matrix) policies(c Canvas, s *feed.Snapshot) *judgement {
	p.name(s)
	if p.from != s {
		p.from, p.hits = s, nil
	}
	want, lists := policyVersion{tenant: p.tenant}, [3][]model.Object{}
	for i, k := range []*model.Kind{model.KindEndpointGroup(), model.KindNetwork(), model.KindRule()} {
		lists[i] = s.Objects[k.Name]
		want.objects[i] = partOf(lists[i])
	}
	b := c.Background
	if n := len(lists[0]); n*n < manyCells {
		b = nil
	}
	p.judged = p.made.Update(want, func(v policyVersion) bool { return v.tenant != want.tenant }, b, func(ctx context.Context) *judgement { return judge(ctx, want.tenant, lists) })
	if p.judged != nil && p.judged.tenant != want.tenant {
		p.judged = nil
	}
	return p.judged
}

// lay lays the matrix out, and reports whether it has cells.
func (p *matrix) lay(c Canvas, s *feed.Snapshot) bool {
	x := p.policies(c, s)
	return x != nil && len(x.parties) > 1 && p.show(&x.pairs, c.Filter)
}

// Key moves the cursor.
func (p *matrix) Key(msg tea.KeyPressMsg, c Canvas, s *feed.Snapshot) Action {
	if p.lay(c, s) {
		p.move(msg)
	}
	return Action{}
}

// Working is what is still being done to the matrix.
func (p *matrix) Working() string {
	if p.judged == nil && p.from != nil && p.from.Synced && p.tenant != "" {
		return "judging"
	}
	return ""
}

// rules shows the rules of the receiver under the cursor.
func (p *matrix) rules(c Canvas, s *feed.Snapshot) Action {
	if p.lay(c, s) {
		if _, to := p.pair(); p.judged.parties[to].Group != nil {
			return open(rulesOf(p.judged.parties[to].Group))
		}
	}
	return Action{}
}

// click puts the cursor on a cell; on the one under the cursor it is enter.
func (p *matrix) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	p.View(c, s)
	if !p.lay(c, s) {
		return Action{}
	}
	cell, same := p.put(x, y)
	if cell && same {
		return p.rules(c, s)
	}
	return Action{}
}

// why starts a why question about the cell under the cursor, with its first traffic that has a port.
func (p *matrix) why(c Canvas, s *feed.Snapshot) Action {
	if !p.lay(c, s) {
		return Action{}
	}
	from, to := p.pair()
	var ends [2]string
	for i, x := range []verdict.Party{p.judged.parties[from], p.judged.parties[to]} {
		if x.Group != nil {
			ends[i] = groupEnd(x.Group)
		}
	}
	traffic := ""
	for _, d := range p.judged.Between(p.judged.parties[from], p.judged.parties[to]) {
		if text := d.Traffic.String(); traffic == "" && d.Traffic.Port != 0 {
			traffic = text
		}
	}
	return open(Why(ends[0], ends[1], traffic))
}

// View draws the matrix and, below it, what decides the cell under the cursor.
func (p *matrix) View(c Canvas, s *feed.Snapshot) []string {
	t, x := c.Theme, p.policies(c, s)
	switch {
	case x == nil && s.Synced && p.tenant != "":
		return []string{t.Paint(theme.Dim, "the policies of tenant "+p.tenant+" are being judged")}
	case x == nil || len(x.parties) < 2:
		return []string{t.Paint(theme.Dim, nothing(s, s.Synced, "no groups: policies apply only to groups"))}
	}
	title := t.Paint(theme.Title, "tenant "+p.tenant)
	if !p.lay(c, s) {
		return append([]string{title}, t.Paint(theme.Dim, "nothing matches the filter "+c.Filter.Text+" keeps; want SENDER>RECEIVER"))
	}
	detail := p.detail(c, s)
	out := []string{title + t.Paint(theme.Dim, p.size("parties")+"  "+p.about(s))}
	return append(append(out, p.draw(c, c.Height-1-len(detail))...), detail...)
}

// about describes the matrix. Groups may have pods; the matrix of their namespace is more precise.
func (*matrix) about(s *feed.Snapshot) string {
	if ofKubernetes(s) {
		return "connections allowed by policies of groups; for Kubernetes policies see podmatrix"
	}
	return "connections allowed by policies"
}

// detail lists each class of traffic between the two under the cursor, and the deciding rules.
func (p *matrix) detail(c Canvas, s *feed.Snapshot) []string {
	t, row, col := c.Theme, p.layout.rows[p.row], p.layout.cols[p.col]
	first, second := p.pair()
	from, to := p.judged.parties[first], p.judged.parties[second]
	list := p.judged.Between(from, to)
	out := []string{t.Paint(theme.Title, t.Glyphs.Cursor+" "+row.name+" to "+col.name+"  ") + verdict.Sum(list).Text}
	if list == nil {
		return append(out, t.Paint(theme.Dim, "connections from outside to outside are not checked"))
	}
	if note := p.folding(); note != "" {
		out = append(out, t.Paint(theme.Dim, "  "+note))
	}
	if p.hits == nil {
		p.hits = ruleHits(s)
	}
	for _, d := range list {
		if len(out) > max(4, c.Height/3) {
			return append(out, t.Paint(theme.Dim, "  "+t.Glyphs.Ellipsis+" all with: netctl matrix --tenant "+p.tenant+" "+from.Name()+" "+to.Name()))
		}
		role := [...]theme.Role{theme.Good, theme.Bad, theme.Held}[d.Fate]
		why := "no rule matches"
		if r := d.By(); r != nil {
			why = ruleWords(r)
			if h, ok := p.hits[r.ObjectKey()]; ok {
				why += fmt.Sprintf(", %s packets", widget.SI(float64(h.packets)))
			}
		}
		out = append(out, t.Paint(role, "  "+widget.Fit(t, d.Traffic.String(), 10)+widget.Fit(t, d.Fate.String(), 8))+" "+why)
	}
	if from.Group != nil && to.Group != nil && from.Group.NetworkName != to.Group.NetworkName {
		out = append(out, t.Paint(theme.Dim, "  two networks, "+from.Group.NetworkName+" and "+to.Group.NetworkName+": routes between them are not checked here"))
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
