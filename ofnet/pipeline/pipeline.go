package pipeline

import (
	"fmt"
	"slices"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// Feature is one thing that the pipeline can do.
type Feature interface {
	// Name is one word, for operators.
	Name() string
	// Tables are the tables that the feature asks its questions in. No two features declare one table.
	Tables() []flow.Table
	// Flows is what owner causes in s: flows for any table, groups, meters. An owner that is not in s, or whose
	// network, tenant or host is not, causes nothing. Cookies are the Pipeline's business.
	Flows(s *ofnet.State, owner ofnet.Key) flow.Set
}

// Pipeline is an ordered list of features. It has no state; its methods may be called by several goroutines that
// have a State each.
type Pipeline struct {
	features []Feature
	tables   flow.Tables // sorted by number
	declared []uint8     // feature number of each table
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
		deliver{}, hostAccess{})
}

// Tables lists the tables by number.
func (p *Pipeline) Tables() flow.Tables { return p.tables }

// Features lists the features; the first has number 1 in cookies.
func (p *Pipeline) Features() []Feature { return p.features }

// Owners lists everything in s that can cause flows, in a fixed order.
func (p *Pipeline) Owners(s *ofnet.State) []ofnet.Key { return s.Owners() }

// Compile returns what one owner causes, with its cookie on every flow. The misses of the tables belong to the
// switch. An owner that is not in s causes nothing.
func (p *Pipeline) Compile(s *ofnet.State, owner ofnet.Key) flow.Set {
	number := flow.Owner(owner)
	var out flow.Set
	for n, f := range p.features {
		set := f.Flows(s, owner)
		cookie := flow.NewCookie(uint8(n+1), round, number)
		for i := range set.Flows {
			set.Flows[i].Cookie = cookie
		}
		if out.Flows == nil && len(set.Flows) > 0 {
			const usual = 16 // flows of an endpoint
			out.Flows = make([]flow.Flow, 0, max(usual, len(set.Flows)))
		}
		out.Merge(set)
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

// CompileAll returns what all owners cause together.
func (p *Pipeline) CompileAll(s *ofnet.State) flow.Set {
	var out flow.Set
	for _, owner := range p.Owners(s) {
		out.Merge(p.Compile(s, owner))
	}
	return out
}

// Touched lists the owners whose flows may differ after key changed, key included: an endpoint touches its segment,
// whose flood group lists it. Call it when s has changed and before s.Touch, so that an endpoint that went or moved
// touches the segment that it left too.
func (p *Pipeline) Touched(s *ofnet.State, key ofnet.Key) []ofnet.Key {
	out := []ofnet.Key{key}
	switch key.Kind {
	case ofnet.KindEndpoint:
		was, ok := s.Listed(key.Name)
		if ok {
			out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: was})
		}
		if e := s.Endpoints[key.Name]; e != nil && (!ok || e.Segment != was) {
			out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: e.Segment})
		}
	case ofnet.KindSegment:
		out = appendMembers(out, s, key.Name)
	case ofnet.KindTenant:
		for name, n := range s.Segments {
			if n.Tenant == key.Name {
				out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: name})
				out = appendMembers(out, s, name)
			}
		}
	case ofnet.KindGroup:
		for id, e := range s.Endpoints {
			if e.Group == key.Name {
				out = append(out, ofnet.Key{Kind: ofnet.KindEndpoint, Name: id})
			}
		}
	case ofnet.KindHost:
		if key.Name == s.Self {
			return s.Owners()
		}
		segments := map[string]bool{}
		for id, e := range s.Endpoints {
			if e.Host != key.Name {
				continue
			}
			out = append(out, ofnet.Key{Kind: ofnet.KindEndpoint, Name: id})
			if !segments[e.Segment] {
				segments[e.Segment] = true
				out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: e.Segment})
			}
		}
	case ofnet.KindSwitch:
		return s.Owners()
	}
	return out
}

func appendMembers(out []ofnet.Key, s *ofnet.State, segment string) []ofnet.Key {
	for e := range s.Members(segment) {
		out = append(out, ofnet.Key{Kind: ofnet.KindEndpoint, Name: e.ID})
	}
	return out
}
