// SPDX-License-Identifier: Apache-2.0

package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

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

	judged  *verdict.Policies // of the tenant judges, in the snapshot from
	judges  string
	parties []verdict.Party
	sums    map[[2]int]verdict.Summary // of the cells that were drawn, by the numbers of their parties
	hits    map[string]*hits           // of the snapshot from; nil: not summed up yet
	from    *feed.Snapshot
}

// Matrix makes the page of a tenant; "" is the first that has groups.
func Matrix(tenant string) *Page {
	p := &matrix{tenant: tenant}
	p.page = &Page{Name: "matrix", Command: "netctl matrix", Asks: ruleQuestions, Body: p, Keys: []Key{
		on("n", "show the next tenant", func(_ string, _ Canvas, s *feed.Snapshot) Action {
			if all := p.tenants(s); len(all) > 0 {
				p.tenant = all[(slices.Index(all, p.tenant)+1)%len(all)]
			}
			p.policies(s)
			return Action{}
		}).hint("n", "next tenant"),
		on("w", "trace such a packet: whether it passes, and why", func(_ string, _ Canvas, s *feed.Snapshot) Action { return p.why(s) }).hint("w", "why"),
		on("enter", "show the group's rules", func(_ string, _ Canvas, s *feed.Snapshot) Action { return p.rules(s) }).hint("enter", "rules"),
	}}
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

// policies are the tenant's, as of a snapshot.
func (p *matrix) policies(s *feed.Snapshot) (*verdict.Policies, []verdict.Party) {
	if all := p.tenants(s); p.tenant == "" && len(all) > 0 {
		p.tenant = all[0]
	}
	if p.tenant != "" {
		p.page.Command = "netctl matrix --tenant " + p.tenant
	}
	kinds := []*model.Kind{model.KindEndpointGroup(), model.KindNetwork(), model.KindRule()}
	fresh := p.from == nil || p.judges != p.tenant || parts(p.from, kinds...) != parts(s, kinds...)
	if p.from != s {
		p.from, p.hits = s, nil
	}
	if fresh {
		p.judged = verdict.New(p.tenant, s.Objects[model.KindEndpointGroup().Name], s.Objects[model.KindNetwork().Name], s.Objects[model.KindRule().Name])
		p.judges, p.parties, p.sums = p.tenant, p.judged.Parties(), map[[2]int]verdict.Summary{}
	}
	p.clamp(len(p.parties))
	return p.judged, p.parties
}

// Key moves the cursor.
func (p *matrix) Key(msg tea.KeyPressMsg, _ Canvas, s *feed.Snapshot) Action {
	p.move(msg)
	p.policies(s)
	return Action{}
}

// rules shows the rules of the receiver under the cursor.
func (p *matrix) rules(s *feed.Snapshot) Action {
	if _, parties := p.policies(s); len(parties) > 0 && parties[p.col].Group != nil {
		return open(rulesOf(parties[p.col].Group))
	}
	return Action{}
}

// click puts the cursor on a cell; on the one under the cursor it is enter.
func (p *matrix) click(x, y int, c Canvas, s *feed.Snapshot) Action {
	p.View(c, s)
	cell, same := p.put(x, y, len(p.parties))
	if cell && same {
		return p.rules(s)
	}
	return Action{}
}

// why starts a why question about the cell under the cursor, with its first traffic that has a port.
func (p *matrix) why(s *feed.Snapshot) Action {
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
	return open(Why(ends[0], ends[1], traffic))
}

// View draws the matrix and, below it, what decides the cell under the cursor.
func (p *matrix) View(c Canvas, s *feed.Snapshot) []string {
	t := c.Theme
	v, parties := p.policies(s)
	if len(parties) < 2 {
		return []string{t.Paint(theme.Dim, nothing(s, s.Synced, "no groups: policies apply only to groups"))}
	}
	detail := p.detail(c, s, v, parties)
	names := make([]string, len(parties))
	for i := range parties {
		names[i] = parties[i].Name()
	}
	out := []string{t.Paint(theme.Title, "tenant "+p.tenant) + t.Paint(theme.Dim, "  "+p.about(s))}
	out = append(out, p.draw(c, names, c.Height-2-len(detail), func(row, col int) (string, theme.Role) { return cellText(t, p.sum(row, col).Text) })...)
	return append(append(out, ""), detail...)
}

// about describes the matrix. Groups may have pods; the matrix of their namespace is more precise.
func (*matrix) about(s *feed.Snapshot) string {
	if ofKubernetes(s) {
		return "connections allowed by policies of groups; for Kubernetes policies see podmatrix"
	}
	return "connections allowed by policies"
}

// sum is the verdict of a cell. It is found once for each state of the policies.
func (p *matrix) sum(from, to int) verdict.Summary {
	key := [2]int{from, to}
	out, known := p.sums[key]
	if !known {
		out = verdict.Sum(p.judged.Between(p.parties[from], p.parties[to]))
		p.sums[key] = out
	}
	return out
}

// detail lists each class of traffic between the two under the cursor, and the deciding rules.
func (p *matrix) detail(c Canvas, s *feed.Snapshot, v *verdict.Policies, parties []verdict.Party) []string {
	t := c.Theme
	from, to := parties[p.row], parties[p.col]
	list := v.Between(from, to)
	out := []string{t.Paint(theme.Title, t.Glyphs.Cursor+" "+from.Name()+" to "+to.Name()+"  ") + verdict.Sum(list).Text}
	if list == nil {
		return append(out, t.Paint(theme.Dim, "connections from outside to outside are not checked"))
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
