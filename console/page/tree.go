package page

import (
	"slices"
	"strconv"
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
	switch {
	case b.endpoint != nil:
		return widget.Bare(b.endpoint.EndpointID + "  " + firstAddress(b.endpoint) + "  " + b.endpoint.HomingHost)
	case b.group != nil:
		text := "group " + b.group.GroupName + "  " + strconv.Itoa(b.children)
		if len(b.group.Policies) > 0 {
			text += "  " + strings.Join(b.group.Policies, ",")
		}
		return widget.Bare(text)
	case b.network != nil:
		text := "network " + b.network.NetworkName + "  " + b.network.Subnet + " " + b.network.Encap
		if b.network.PktTag != 0 {
			text += " " + strconv.Itoa(b.network.PktTag)
		}
		return widget.Bare(text)
	}
	return widget.Bare("tenant " + b.key)
}

// foldFrom is the number of endpoints from which a group or network begins folded.
const foldFrom = 12

// folds is which branches the user turned over: folded ones unfolded, and the other way.
type folds map[string]bool

func (f folds) folded(b *branch) bool {
	long := b.kind != model.KindTenant() && b.children > foldFrom
	return long != (len(f) > 0 && f[b.id()])
}

// knot is a tenant, network or group of the tree.
type knot struct {
	branch
	at    cell // of a group its members, of a network those in no group
	below []*knot
	match *matched
}

// matched is whether a filter keeps what a knot says, with so many children.
type matched struct {
	filter   *widget.Filter
	children int
	keeps    bool
}

// keeps tells whether the filter keeps what the knot says.
func (k *knot) keeps(filter *widget.Filter) bool {
	if k.match == nil || k.match.filter != filter || k.match.children != k.children {
		k.match = &matched{filter, k.children, filter.Keeps([]string{k.label()})}
	}
	return k.match.keeps
}

// plant makes the knots of a snapshot's tenants.
func plant(s *feed.Snapshot) []*knot {
	groups, networks := map[string][]*knot{}, map[string][]*knot{}
	for _, o := range s.Objects[model.KindEndpointGroup().Name] {
		if x, ok := o.(*model.EndpointGroup); ok {
			key := model.Key(x.TenantName, x.NetworkName)
			groups[key] = append(groups[key], &knot{branch: branch{kind: model.KindEndpointGroup(), key: x.ObjectKey(), depth: 2, group: x},
				at: cell{x.NetworkName + "." + x.TenantName, x.GroupName + ":" + x.TenantName}})
		}
	}
	for _, o := range s.Objects[model.KindNetwork().Name] {
		if x, ok := o.(*model.Network); ok {
			networks[x.TenantName] = append(networks[x.TenantName], &knot{branch: branch{kind: model.KindNetwork(), key: x.ObjectKey(), depth: 1, network: x},
				at: cell{network: x.NetworkName + "." + x.TenantName}, below: groups[x.ObjectKey()]})
		}
	}
	var out []*knot
	for _, o := range s.Objects[model.KindTenant().Name] {
		key := o.ObjectKey()
		out = append(out, &knot{branch: branch{kind: model.KindTenant(), key: key, children: len(networks[key])}, below: networks[key]})
	}
	return out
}

// tree is the visible lines, of which only those are made that are asked for. A line that is no endpoint costs a stretch,
// the endpoints below it cost nothing.
type tree struct {
	stretches []stretch
	size      int
	unfolded  map[cell]bool // whose endpoints are lines; nil: it has been filtered
}

// stretch is a line, and the endpoints that follow it.
type stretch struct {
	start  int   // number of its first line
	knot   *knot // nil: endpoints alone
	leaves []*model.EndpointOper
	depth  int // of the leaves
}

// grow makes the tree of knots. While there is a filter, nothing is folded and what it does not keep is left out, its
// ancestors excepted.
// room is how many stretches it will have, about.
func grow(knots []*knot, census *census, f folds, filter *widget.Filter, room int) *tree {
	t := &tree{stretches: make([]stretch, 0, room)}
	if filter == nil {
		t.unfolded = map[cell]bool{}
	}
	for _, k := range knots {
		t.add(k, census, f, filter)
	}
	return t
}

func (t *tree) add(k *knot, census *census, f folds, filter *widget.Filter) {
	all := census.cells[k.at]
	switch {
	case k.group != nil:
		k.children = len(all)
	case k.network != nil:
		k.children = len(all) + len(k.below)
	}
	before := *t
	t.push(stretch{knot: k, depth: k.depth + 1})
	if filter != nil || !f.folded(&k.branch) {
		for _, b := range k.below {
			t.add(b, census, f, filter)
		}
		if k.kind != model.KindTenant() {
			if t.unfolded != nil {
				t.unfolded[k.at] = true
			}
			t.leaves(census.keeps(k.at, filter), k.depth+1)
		}
	}
	if filter != nil && t.size == before.size+1 && !k.keeps(filter) {
		*t = before
	}
}

// stands tells whether the tree is that of a census too, which was made of the one before: nothing differs but who is in
// branches that are folded.
func (t *tree) stands(c *census) bool {
	if t == nil || t.unfolded == nil {
		return false
	}
	for at, was := range c.was {
		if t.unfolded[at] || len(c.cells[at]) != was {
			return false
		}
	}
	return true
}

func (t *tree) push(s stretch) {
	s.start = t.size
	t.stretches = append(t.stretches, s)
	if t.size += len(s.leaves); s.knot != nil {
		t.size++
	}
}

// leaves adds endpoints behind the last line.
func (t *tree) leaves(all []*model.EndpointOper, depth int) {
	last := &t.stretches[len(t.stretches)-1]
	switch {
	case len(all) == 0:
	case len(last.leaves) == 0 && last.depth == depth:
		last.leaves = all
		t.size += len(all)
	default:
		t.push(stretch{leaves: all, depth: depth})
	}
}

// at makes line i.
func (t *tree) at(i int) branch {
	n, exact := slices.BinarySearchFunc(t.stretches, i, func(s stretch, i int) int { return s.start - i })
	if !exact {
		n--
	}
	s := &t.stretches[n]
	i -= s.start
	if s.knot != nil {
		if i == 0 {
			return s.knot.branch
		}
		i--
	}
	e := s.leaves[i]
	return branch{kind: model.KindEndpoint(), key: e.Key, depth: s.depth, endpoint: e}
}

// near is the line of an endpoint if it is where one was that was last seen as e; negative when it is not.
func (t *tree) near(e *model.EndpointOper) int {
	for _, s := range t.stretches {
		if len(s.leaves) == 0 || s.leaves[0].Network != e.Network || s.leaves[0].EndpointGroupKey != e.EndpointGroupKey {
			continue
		}
		i, ok := slices.BinarySearchFunc(s.leaves, e, feed.CompareEndpoints)
		if s.knot != nil {
			i++
		}
		if ok {
			return s.start + i
		}
	}
	return -1
}

// find is the line of an object, "kind key"; negative when it is not visible.
func (t *tree) find(id string) int {
	leaf, endpoint := strings.CutPrefix(id, model.KindEndpoint().Name+" ")
	for _, s := range t.stretches {
		first := s.start
		if s.knot != nil {
			if !endpoint && s.knot.is(id) {
				return first
			}
			first++
		}
		for i := 0; endpoint && i < len(s.leaves); i++ {
			if s.leaves[i].Key == leaf {
				return first + i
			}
		}
	}
	return -1
}

func firstAddress(e *model.EndpointOper) string {
	if len(e.IpAddress) == 0 {
		return "-"
	}
	return e.IpAddress[0]
}
