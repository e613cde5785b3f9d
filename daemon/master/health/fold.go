// SPDX-License-Identifier: Apache-2.0

package health

import (
	"cmp"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// Fold names the cause of each finding that another one explains, by the table of api/findings.yaml, and returns causes first: the worst
// first, of equal severity those that cut more. A cause gets the worst severity of its effects and their number, and a command that shows
// it. All effects follow, in the order of their causes. A chain of causes ends at the first one. Fold changes the findings of the list.
func Fold(list []model.Finding, t Topology) []model.Finding {
	x := newCauses(list, t)
	roots := make([]int, len(list))
	for i := range list {
		roots[i] = x.cause(i)
	}
	for i := range list { // the table has no cycles, so this ends
		for root := roots[i]; root >= 0; root = roots[root] {
			roots[i] = root
		}
	}
	worst := make([]model.Severity, len(list))
	for i := range list {
		f := &list[i]
		f.CausedBy, f.Effects, worst[i] = nil, 0, f.Severity
	}
	for i, root := range roots {
		if root < 0 {
			continue
		}
		cause, ref := &list[root], list[root].Ref()
		list[i].CausedBy = &ref
		if cause.Effects++; list[i].Severity.Worse(worst[root]) {
			worst[root] = list[i].Severity
		}
	}
	for i, root := range roots {
		if root < 0 {
			list[i].Severity = worst[i]
			list[i].Next = cmp.Or(list[i].Next, "netctl explain "+list[i].Code.String())
		}
	}
	return x.ordered(roots)
}

// causes finds the causes of the findings of a list.
type causes struct {
	list     []model.Finding
	ranks    []int      // of the findings, by what they cut
	places   [][]string // hosts that the findings are about
	explains map[explanation]bool
	// Those that may be causes, by what relates them to their effects.
	byHost, byObject  map[string][]int
	majority, cluster []int
	majorityLost      bool
}

// explanation is an entry of the table.
type explanation struct {
	relation      model.Relation
	cause, effect model.FindingCode
}

func newCauses(list []model.Finding, t Topology) *causes {
	x := &causes{list: list, ranks: make([]int, len(list)), places: make([][]string, len(list)), explains: map[explanation]bool{}, byHost: map[string][]int{}, byObject: map[string][]int{}}
	infos := map[model.FindingCode]model.FindingInfo{}
	for _, info := range model.FindingCodes() {
		infos[info.Code] = info
		for _, e := range info.Explains {
			for _, code := range e.Codes {
				x.explains[explanation{e.Relation, info.Code, code}] = true
			}
		}
	}
	lost := map[string]bool{}
	for i := range list {
		f := &list[i]
		info := infos[f.Code] // of another version: zero, so it explains nothing and comes last of its severity
		x.ranks[i], x.places[i] = info.Cut.Rank(), t.about(f)
		for _, e := range info.Explains {
			switch e.Relation {
			case model.RelationMajority:
				if f.Severity == model.SeverityUnknown {
					continue
				}
				x.majority = append(x.majority, i)
				for _, h := range x.places[i] {
					lost[h] = true
				}
			case model.RelationHost, model.RelationPaths:
				if grave(f, &info) {
					x.addHosts(i)
				}
			case model.RelationObject:
				x.byObject[f.Object] = append(x.byObject[f.Object], i)
			case model.RelationCluster:
				if object, _ := identity.ParseRef(f.Object); grave(f, &info) && (isDaemon(f) || object.Kind == "cluster") {
					x.cluster = append(x.cluster, i)
				}
			}
		}
	}
	x.majorityLost = t.Members > 0 && t.Members-len(lost) < t.Members/2+1
	return x
}

// addHosts lists a finding once among those about its hosts.
func (x *causes) addHosts(i int) {
	for _, h := range x.places[i] {
		if !slices.Contains(x.byHost[h], i) {
			x.byHost[h] = append(x.byHost[h], i)
		}
	}
}

// grave reports whether a finding may explain others: one that can be an error only as an error, except for the time in which it may be transient.
func grave(f *model.Finding, info *model.FindingInfo) bool {
	_, _, transient := passing(f.Code)
	return transient || f.Severity == model.SeverityError || !slices.Contains(info.Severities, model.SeverityError)
}

// cause returns the index of the finding that explains one directly, or -1. Of several it returns the first in the order of Fold.
func (x *causes) cause(i int) int {
	f := &x.list[i]
	best := -1
	try := func(r model.Relation, indexes []int) (found bool) {
		for _, j := range indexes {
			c := &x.list[j]
			if !x.explains[explanation{r, c.Code, f.Code}] || i == j || c.Severity == model.SeverityUnknown && known(f) ||
				r == model.RelationHost && isDaemon(c) && !isDaemon(f) {
				continue
			}
			if found = true; best < 0 || x.compare(j, best) < 0 {
				best = j
			}
		}
		return found
	}
	for _, h := range x.places[i] {
		try(model.RelationHost, x.byHost[h])
	}
	try(model.RelationObject, x.byObject[f.Object])
	try(model.RelationCluster, x.cluster)
	if x.majorityLost {
		try(model.RelationMajority, x.majority)
	}
	if f.Host == "" || try(model.RelationPaths, x.byHost[f.Host]) {
		return best
	}
	before := best
	for _, h := range ends(f) { // each end needs its cause
		if !try(model.RelationPaths, x.byHost[h]) {
			return before
		}
	}
	return best
}

// isDaemon reports whether a finding is about netmasters or a member of the store: such a finding explains none about the host itself or its agent.
func isDaemon(f *model.Finding) bool {
	object, _ := identity.ParseRef(f.Object)
	return object.Kind == "master" || object.Kind == mastersKind || object.Kind == "store"
}

// known reports whether a finding is more than a check without a result.
func known(f *model.Finding) bool {
	return f.Severity == model.SeverityError || f.Severity == model.SeverityWarning
}

// compare orders two findings of the list.
func (x *causes) compare(i, j int) int {
	a, b := &x.list[i], &x.list[j]
	return cmp.Or(model.CompareSeverity(a.Severity, b.Severity), x.ranks[i]-x.ranks[j], b.Effects-a.Effects,
		cmp.Compare(a.Code.String(), b.Code.String()), cmp.Compare(a.Object, b.Object), cmp.Compare(a.Host, b.Host))
}

// acknowledged reports whether an operator has acknowledged a finding.
func acknowledged(f *model.Finding) bool { return f.Acknowledged != nil }

// ordered returns the causes, those last that are acknowledged, then the effects in the order of their causes.
func (x *causes) ordered(roots []int) []model.Finding {
	order := make([]int, len(roots))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		switch a, b := roots[i], roots[j]; {
		case a < 0 && b >= 0:
			return -1
		case a >= 0 && b < 0:
			return 1
		case a < 0 && acknowledged(&x.list[i]) != acknowledged(&x.list[j]):
			if acknowledged(&x.list[j]) {
				return -1
			}
			return 1
		case a != b:
			return x.compare(a, b)
		}
		return x.compare(i, j)
	})
	out := make([]model.Finding, len(order))
	for at, i := range order {
		out[at] = x.list[i]
	}
	return out
}

// Select returns the findings of a folded list that match, with their causes. The number of effects is that of the returned ones.
func Select(list []model.Finding, match func(f *model.Finding) bool) []model.Finding {
	effects, keep := map[model.FindingRef]int{}, map[model.FindingRef]bool{}
	for i := range list {
		f := &list[i]
		if !match(f) {
			continue
		}
		keep[f.Ref()] = true
		if f.CausedBy != nil {
			keep[*f.CausedBy] = true
			effects[*f.CausedBy]++
		}
	}
	out := slices.DeleteFunc(list, func(f model.Finding) bool { return !keep[f.Ref()] })
	for i := range out {
		out[i].Effects = effects[out[i].Ref()]
	}
	return out
}
