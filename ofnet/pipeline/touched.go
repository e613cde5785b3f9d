package pipeline

import (
	"iter"

	"github.com/contiv/contiv/ofnet"
)

// Touched lists the owners whose flows may differ after key changed, key included: an endpoint here touches
// the receivers of its segment, which list it. Call it when s has changed and before s.Touch, so that an endpoint that went or moved
// touches those of the segment that it left too.
func (p *Pipeline) Touched(s *ofnet.State, key ofnet.Key) []ofnet.Key {
	out := []ofnet.Key{key}
	switch key.Kind {
	case ofnet.KindEndpoint:
		return touchedByEndpoint(out, s, key.Name)
	case ofnet.KindRule:
		return touchedByRule(s, key.Name)
	case ofnet.KindService:
		return touchedByService(out, s, key.Name)
	case ofnet.KindSegment:
		out = append(out, receiversOf(key.Name))
		out = appendEndpoints(out, s.Members(key.Name))
		// Which of a tenant's endpoints an address stands for depends on its segments.
		for e := range s.Members(key.Name) {
			out = appendServices(out, s.ServicesOver(e.ID))
		}
	case ofnet.KindTenant:
		if s.Router != nil && s.Router.Tenant == key.Name {
			out = appendRouting(out, s)
		}
		out = appendServices(out, s.ServicesOf(key.Name))
		for name, n := range s.Segments {
			if n.Tenant == key.Name {
				out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: name}, receiversOf(name))
				out = appendEndpoints(out, s.Members(name))
			}
		}
	case ofnet.KindGroup:
		out = appendEndpoints(out, s.MembersOf(key.Name))
		out = appendTiers(out, s, key.Name)
		out = appendFloods(out, s, key.Name)
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
			out = appendServices(out, s.ServicesOver(id))
			if !segments[e.Segment] {
				segments[e.Segment] = true
				out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: e.Segment})
			}
		}
	case ofnet.KindRouter:
		out = appendOutside(appendRouting(out, s), s)
	case ofnet.KindNextHops:
		for name, r := range s.Routes {
			if r.Via == key.Name {
				out = append(out, ofnet.Key{Kind: ofnet.KindRoute, Name: name})
			}
		}
	case ofnet.KindSwitch:
		return s.Owners()
	}
	return out
}

// appendRouting appends the router, its next hops and its routes.
func appendRouting(out []ofnet.Key, s *ofnet.State) []ofnet.Key {
	out = append(out, ofnet.Key{Kind: ofnet.KindRouter, Name: s.Self})
	for name := range s.NextHops {
		out = append(out, ofnet.Key{Kind: ofnet.KindNextHops, Name: name})
	}
	for name := range s.Routes {
		out = append(out, ofnet.Key{Kind: ofnet.KindRoute, Name: name})
	}
	return out
}

// appendOutside appends what the interface towards routers is for: the endpoints and services that are reached by it.
func appendOutside(out []ofnet.Key, s *ofnet.State) []ofnet.Key {
	for id, e := range s.Endpoints {
		if e.Host != s.Self {
			out = append(out, ofnet.Key{Kind: ofnet.KindEndpoint, Name: id})
		}
	}
	for name := range s.Services {
		out = append(out, ofnet.Key{Kind: ofnet.KindService, Name: name})
	}
	return out
}

// touchedByEndpoint: the first member of a group here brings the group's rules, and the last one takes them along. One of another
// host touches its segment when it is the first that the host has of it, or the last: the segment lists the hosts.
func touchedByEndpoint(out []ofnet.Key, s *ofnet.State, id string) []ofnet.Key {
	was, listed := s.Listed(id)
	e := s.Endpoints[id]
	isHere := e != nil && e.Host == s.Self
	stays := listed && e != nil && was.Segment == e.Segment && was.Host == e.Host
	switch {
	case was.Here:
		out = append(out, receiversOf(was.Segment))
	case listed && !stays && s.Present(was.Segment, was.Host) == 1:
		out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: was.Segment})
	}
	switch {
	case e == nil || stays:
	case isHere:
		out = append(out, receiversOf(e.Segment))
	case s.Present(e.Segment, e.Host) == 0:
		out = append(out, ofnet.Key{Kind: ofnet.KindSegment, Name: e.Segment})
	}
	out = appendServices(out, s.ServicesOver(id))
	sameRules := was.Here && isHere && was.Group == e.Group
	if was.Here && !sameRules && s.Here(was.Group) == 1 {
		out = appendTiers(out, s, was.Group)
	}
	if isHere && !sameRules && s.Here(e.Group) == 0 {
		out = appendTiers(out, s, e.Group)
	}
	return out
}

// touchedByRule: a rule touches the tiers where it was and is, and its tenant, whose generation changes. When it is the
// first or the last one that judges what members of its group receive, floods to them change as well.
func touchedByRule(s *ofnet.State, id string) (out []ofnet.Key) {
	was, is := s.ListedRule(id), s.Rules[id]
	for _, r := range []*ofnet.Rule{was, is} {
		if r == nil {
			continue
		}
		out = append(out, r.Tier().Key(), ofnet.Key{Kind: ofnet.KindTenant, Name: r.Tenant})
		if r.Direction != ofnet.In {
			continue
		}
		others := s.JudgesIn(r.Group)
		if was != nil && was.Direction == ofnet.In && was.Group == r.Group {
			others--
		}
		if others == 0 {
			out = appendFloods(out, s, r.Group)
		}
	}
	return out
}

// touchedByService: a tenant's first service makes it tracked, and its last one may end that.
func touchedByService(out []ofnet.Key, s *ofnet.State, name string) []ofnet.Key {
	for _, v := range []*ofnet.Service{s.ListedService(name), s.Services[name]} {
		if v != nil {
			out = append(out, ofnet.Key{Kind: ofnet.KindTenant, Name: v.Tenant})
		}
	}
	return out
}

func appendServices(out []ofnet.Key, names []string) []ofnet.Key {
	for _, name := range names {
		out = append(out, ofnet.Key{Kind: ofnet.KindService, Name: name})
	}
	return out
}

func appendEndpoints(out []ofnet.Key, list iter.Seq[*ofnet.Endpoint]) []ofnet.Key {
	for e := range list {
		out = append(out, ofnet.Key{Kind: ofnet.KindEndpoint, Name: e.ID})
	}
	return out
}

func appendTiers(out []ofnet.Key, s *ofnet.State, group string) []ofnet.Key {
	for _, t := range s.TiersOf(group) {
		out = append(out, t.Key())
	}
	return out
}

// receiversOf is the owner of a segment's lists of receivers.
func receiversOf(segment string) ofnet.Key {
	return ofnet.Key{Kind: ofnet.KindReceivers, Name: segment}
}

// appendFloods appends the lists of receivers that have members of a group that are here.
func appendFloods(out []ofnet.Key, s *ofnet.State, group string) []ofnet.Key {
	seen := map[string]bool{}
	for e := range s.MembersOf(group) {
		if e.Host == s.Self && !seen[e.Segment] {
			seen[e.Segment] = true
			out = append(out, receiversOf(e.Segment))
		}
	}
	return out
}
