package page

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
)

// branch is one line of the tree: an object, and how far it is indented.
type branch struct {
	kind     *model.Kind
	key      string
	depth    int
	text     string // "" of an endpoint: label makes it
	children int
	endpoint *model.EndpointOper
	group    *model.EndpointGroup
	network  *model.Network
}

// id is kind and key.
func (b *branch) id() string { return b.kind.Name + " " + b.key }

// is tells whether id names the branch.
func (b *branch) is(id string) bool {
	key, ok := strings.CutPrefix(id, b.kind.Name)
	return ok && len(key) == len(b.key)+1 && key[1:] == b.key
}

// label is what the line says.
func (b *branch) label() string {
	if e := b.endpoint; e != nil {
		return e.EndpointID + "  " + firstAddress(e) + "  " + e.HomingHost
	}
	return b.text
}

// foldFrom is the number of endpoints from which a group or network begins folded.
const foldFrom = 12

// folds is which branches the user turned over: folded ones unfolded, and the other way.
type folds map[string]bool

func (f folds) folded(b *branch) bool {
	long := b.kind != model.KindTenant() && b.children > foldFrom
	return long != f[b.id()]
}

// grow makes the visible lines of the tree. While there is a filter, nothing is folded and what it does not keep is left out, its ancestors excepted.
func grow(s *feed.Snapshot, census *census, f folds, filter *widget.Filter) []branch {
	g := &grower{folds: f, filter: filter, census: census}
	groups, networks := map[string][]*model.EndpointGroup{}, map[string][]*model.Network{}
	for _, o := range s.Objects[model.KindEndpointGroup().Name] {
		if x, ok := o.(*model.EndpointGroup); ok {
			groups[model.Key(x.TenantName, x.NetworkName)] = append(groups[model.Key(x.TenantName, x.NetworkName)], x)
		}
	}
	for _, o := range s.Objects[model.KindNetwork().Name] {
		if x, ok := o.(*model.Network); ok {
			networks[x.TenantName] = append(networks[x.TenantName], x)
		}
	}
	for _, t := range s.Objects[model.KindTenant().Name] {
		key := t.ObjectKey()
		g.add(branch{kind: model.KindTenant(), key: key, text: "tenant " + key, children: len(networks[key])}, func() {
			for _, n := range networks[key] {
				g.network(n, groups[n.ObjectKey()])
			}
		})
	}
	return g.out
}

// grower collects lines.
type grower struct {
	folds  folds
	filter *widget.Filter
	census *census
	out    []branch
}

// add adds a line and what hangs on it.
func (g *grower) add(b branch, below func()) {
	at := len(g.out)
	g.out = append(g.out, b)
	if below != nil && (g.filter != nil || !g.folds.folded(&b)) {
		depth := len(g.out)
		below()
		for i := depth; i < len(g.out); i++ {
			g.out[i].depth++
		}
	}
	if g.filter != nil && len(g.out) == at+1 && !g.filter.Keeps([]string{b.text}) {
		g.out = g.out[:at]
	}
}

func (g *grower) network(n *model.Network, groups []*model.EndpointGroup) {
	id := n.NetworkName + "." + n.TenantName
	alone := cell{id, ""}
	loose := g.census.cells[alone]
	text := fmt.Sprintf("network %s  %s %s", n.NetworkName, n.Subnet, n.Encap)
	if n.PktTag != 0 {
		text += fmt.Sprintf(" %d", n.PktTag)
	}
	g.add(branch{kind: model.KindNetwork(), key: n.ObjectKey(), network: n, text: text, children: len(loose) + len(groups)}, func() {
		for _, x := range groups {
			at := cell{id, x.GroupName + ":" + x.TenantName}
			members := g.census.cells[at]
			text := fmt.Sprintf("group %s  %d", x.GroupName, len(members))
			if len(x.Policies) > 0 {
				text += "  " + strings.Join(x.Policies, ",")
			}
			g.add(branch{kind: model.KindEndpointGroup(), key: x.ObjectKey(), group: x, text: text, children: len(members)}, func() { g.leaves(at) })
		}
		g.leaves(alone)
	})
}

func (g *grower) leaves(at cell) {
	for _, e := range g.census.keeps(at, g.filter) {
		g.out = append(g.out, branch{kind: model.KindEndpoint(), key: e.Key, endpoint: e})
	}
}

func firstAddress(e *model.EndpointOper) string {
	if len(e.IpAddress) == 0 {
		return "-"
	}
	return e.IpAddress[0]
}
