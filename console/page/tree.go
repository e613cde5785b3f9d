// SPDX-License-Identifier: Apache-2.0

package page

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/widget"
)

// ref names an object.
type ref struct {
	kind *model.Kind
	key  string
}

// line is one line of the tree: an object, and how far it is indented.
type line struct {
	ref
	depth     int
	children  int
	endpoints int // in all
	endpoint  *feed.Endpoint
	group     *model.EndpointGroup
	network   *model.Network
}

// label is the text of the line.
func (b *line) label() string {
	switch {
	case b.endpoint != nil:
		return widget.Bare(b.endpoint.Called() + "  " + firstAddress(b.endpoint) + "  " + b.endpoint.HomingHost)
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

// foldFrom is the number of endpoints from which a group or network is folded initially.
const foldFrom = 12

// folds are the branches that the user folded or unfolded: folded ones are unfolded, and the other way.
type folds map[ref]bool

func (f folds) folded(b *line) bool {
	long := b.kind != model.KindTenant() && b.children > foldFrom
	return long != f[b.ref]
}

// branch is a tenant, network or group of the tree.
type branch struct {
	line
	at    location // of a group its members, of a network those in no group
	below []*branch
}

// branches makes the branches of a snapshot's tenants.
func branches(s *feed.Snapshot) (out []*branch) {
	groups, networks := map[string][]*branch{}, map[string][]*branch{}
	for _, x := range each[*model.EndpointGroup](s) {
		network := model.Key(x.TenantName, x.NetworkName)
		groups[network] = append(groups[network], &branch{line: line{ref: ref{x.Kind(), x.ObjectKey()}, depth: 2, group: x},
			at: location{network, x.Identity().Reversed()}})
	}
	for _, x := range each[*model.Network](s) {
		networks[x.TenantName] = append(networks[x.TenantName], &branch{line: line{ref: ref{x.Kind(), x.ObjectKey()}, depth: 1, network: x},
			at: location{network: x.ObjectKey()}, below: groups[x.ObjectKey()]})
	}
	for _, x := range each[*model.Tenant](s) {
		below := networks[x.TenantName]
		out = append(out, &branch{line: line{ref: ref{x.Kind(), x.ObjectKey()}, children: len(below)}, below: below})
	}
	return out
}

// tree is the visible lines. Those of endpoints are made on demand.
type tree struct {
	spans []span
	size  int
}

// span is the line of a branch, if there is one, and the endpoints that follow it.
type span struct {
	start  int     // number of its first line
	branch *branch // nil: only endpoints
	leaves []*feed.Endpoint
	depth  int // of the leaves
}

// newTree makes the tree of branches. While there is a filter, nothing is folded and what it does not keep is left out, its
// ancestors excepted.
func newTree(top []*branch, x *indexes, f folds) *tree {
	t := &tree{}
	for _, b := range top {
		b.measure(x.all)
		t.add(b, x, f)
	}
	return t
}

// measure counts what is in a branch.
func (b *branch) measure(x *index) {
	n := len(x.at[b.at])
	b.endpoints = n
	for _, inner := range b.below {
		inner.measure(x)
		b.endpoints += inner.endpoints
	}
	switch {
	case b.group != nil:
		b.children = n
	case b.network != nil:
		b.children = n + len(b.below)
	}
}

// pathTo is the branches from a top one to the one of an object; nil if there is none.
func pathTo(in []*branch, to ref) []*branch {
	for _, b := range in {
		if b.ref == to {
			return []*branch{b}
		}
		if path := pathTo(b.below, to); path != nil {
			return append([]*branch{b}, path...)
		}
	}
	return nil
}

func (t *tree) add(b *branch, x *indexes, f folds) {
	before := *t
	t.push(span{branch: b})
	if x.filter != nil || !f.folded(&b.line) {
		for _, inner := range b.below {
			t.add(inner, x, f)
		}
		if leaves := x.kept.at[b.at]; len(leaves) > 0 && b.kind != model.KindTenant() {
			t.push(span{leaves: leaves, depth: b.depth + 1})
		}
	}
	if x.filter != nil && t.size == before.size+1 && !x.filter.Keeps(b.label()) {
		*t = before
	}
}

func (t *tree) push(s span) {
	s.start = t.size
	t.spans = append(t.spans, s)
	if t.size += len(s.leaves); s.branch != nil {
		t.size++
	}
}

// at makes line i.
func (t *tree) at(i int) line {
	n, exact := slices.BinarySearchFunc(t.spans, i, func(s span, i int) int { return s.start - i })
	if !exact {
		n--
	}
	s := &t.spans[n]
	if s.branch != nil {
		return s.branch.line
	}
	e := s.leaves[i-s.start]
	return line{ref: ref{model.KindEndpoint(), e.Key}, depth: s.depth, endpoint: e}
}

// find is the line of an object; negative when it is not visible.
func (t *tree) find(r ref) int {
	for _, s := range t.spans {
		if s.branch != nil && s.branch.ref == r {
			return s.start
		}
		if r.kind != model.KindEndpoint() {
			continue
		}
		if i := slices.IndexFunc(s.leaves, func(e *feed.Endpoint) bool { return e.Key == r.key }); i >= 0 {
			return s.start + i
		}
	}
	return -1
}
