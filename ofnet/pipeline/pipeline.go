// SPDX-License-Identifier: Apache-2.0

package pipeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Feature is one function of the pipeline.
type Feature interface {
	// Name is one word, for operators.
	Name() string
	// Tables are the tables of the feature. No two features declare one table.
	Tables() []flow.Table
	// Reads lists the inputs of its flows. Features may share an Input.
	Reads() []*Input
	// Flows adds what owner causes in s to out: flows for any table, groups, meters. An owner that is not in s, or whose network, tenant or
	// host is not, causes nothing. The Pipeline sets the cookies.
	Flows(out *flow.Set, s *ofnet.State, owner ofnet.Key)
}

// Pipeline is an ordered list of features. It has no state; several goroutines may call its methods, each with its own State.
type Pipeline struct {
	features []Feature
	tables   flow.Tables // sorted by number
	declared []uint8     // feature number of each table
	inputs   []*Input    // of all features, each once
}

// round is the number of the sweep in every cookie. Comparing replaces sweeping, so it never changes.
const round = 1

// New makes a pipeline of features; their order gives them the numbers in cookies, from 1. Two features that declare
// one table are a mistake in the program, and New panics.
func New(features ...Feature) *Pipeline {
	p := &Pipeline{features: features}
	type entry struct {
		flow.Table
		feature uint8
	}
	var all []entry
	for n, f := range features {
		for _, t := range f.Tables() {
			all = append(all, entry{t, uint8(n + 1)})
		}
		for _, in := range f.Reads() {
			if !slices.Contains(p.inputs, in) {
				p.inputs = append(p.inputs, in)
			}
		}
	}
	slices.SortFunc(all, func(a, b entry) int { return int(a.ID) - int(b.ID) })
	for n, e := range all {
		if n > 0 && e.ID == all[n-1].ID {
			panic(fmt.Sprintf("pipeline: table %d is %s and %s", e.ID, all[n-1].Name, e.Name))
		}
		p.tables = append(p.tables, e.Table)
		p.declared = append(p.declared, e.feature)
	}
	return p
}

// Default is the pipeline of a Contiv switch.
func Default() *Pipeline {
	return New(port{}, source{}, neighbor{}, qos{}, local{}, track{}, service{}, peer{}, route{}, bridge{}, policy{},
		deliver{}, hostAccess{}, external{}, relay{}, received{}, direct{}, netpol{}, sender{}, probe{}, spoofed{}, closed{})
}

// Tables lists the tables by number.
func (p *Pipeline) Tables() flow.Tables { return p.tables }

// Features lists the features; the first has number 1 in cookies.
func (p *Pipeline) Features() []Feature { return p.features }

// Number returns the number of a feature in cookies, 0 if there is none of this name.
func (p *Pipeline) Number(feature string) uint8 {
	return uint8(1 + slices.IndexFunc(p.features, func(f Feature) bool { return f.Name() == feature }))
}

// Owners lists everything in s that can cause flows, in a fixed order.
func (p *Pipeline) Owners(s *ofnet.State) []ofnet.Key { return s.Owners() }

// Compile returns the flows of one owner, with its cookie on every flow. The misses of the tables belong to the switch. An owner that is
// not in s causes nothing.
func (p *Pipeline) Compile(s *ofnet.State, owner ofnet.Key) flow.Set {
	number := flow.Owner(owner)
	var out flow.Set
	if owner.Kind == ofnet.KindEndpoint {
		out.Flows = make([]flow.Flow, 0, usual(s.Endpoints.Get(owner.Name), s.Self))
	}
	for n, f := range p.features {
		before := len(out.Flows)
		f.Flows(&out, s, owner)
		for i := before; i < len(out.Flows); i++ {
			// A feature may name another owner than the one that is compiled: the rule of a tier.
			at := &out.Flows[i].Cookie
			*at = flow.NewCookie(uint8(n+1), round, cmp.Or(at.Owner(), number))
		}
	}
	if owner.Kind == ofnet.KindSwitch {
		for n, t := range p.tables {
			miss := flow.New(t.ID, 0, flow.Match{}, t.Miss)
			miss.Cookie = flow.NewCookie(p.declared[n], round, number)
			out.Add(miss)
		}
	}
	return out
}

// usual is the number of flows of most endpoints. A larger capacity would be wasted on most of them, which are on other hosts.
func usual(e *ofnet.Endpoint, self string) int {
	switch {
	case e == nil:
		return 0
	case e.Host == self:
		return 16
	case e.IP6.IsValid():
		return 8
	}
	return 4
}

// CompileAll returns the flows of all owners together.
func (p *Pipeline) CompileAll(s *ofnet.State) flow.Set {
	var out flow.Set
	for _, owner := range p.Owners(s) {
		out.Merge(p.Compile(s, owner))
	}
	return out
}
