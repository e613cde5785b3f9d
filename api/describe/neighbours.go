// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// neighbour is the connections of the last minutes with one peer, or, for a rule, between one pair.
type neighbour struct {
	parts                     []Part
	out, in, refused, dropped int
	bytes                     uint64
}

func (n *neighbour) total() int { return n.out + n.in + n.refused + n.dropped }

// String is the counts with their rates.
func (n *neighbour) String() string {
	var words []string
	for _, c := range []struct {
		what string
		n    int
	}{{"opened", n.out}, {"received", n.in}, {"refused", n.refused}, {"dropped", n.dropped}} {
		if c.n > 0 {
			words = append(words, fmt.Sprintf("%s %d (%s)", c.what, c.n, perMinute(c.n)))
		}
	}
	if n.bytes > 0 {
		words = append(words, quantity(float64(n.bytes), "B")+" in closed ones")
	}
	return strings.Join(words, ", ")
}

// perMinute is a number of events as a rate.
func perMinute(n int) string {
	return quantity(float64(n)/model.ObserveSince.Minutes(), "/min")
}

func minutes(d time.Duration) string { return amount(int(d.Minutes()), "minute") }

// neighbours is the section of the peers of the last minutes, the busiest first.
func (f *facts) neighbours() *Section {
	if !f.observed.asked {
		return nil
	}
	title := "Neighbours"
	switch {
	case f.is(model.KindServiceLB()):
		title = "Clients"
	case f.is(model.KindRule(), model.KindPolicy()):
		title = "Connections"
	}
	s := &Section{Title: title, None: "no connection in the last " + minutes(model.ObserveSince), Unknown: f.unobserved()}
	peers := map[string]*neighbour{}
	for i := range f.observed.value {
		f.count(peers, &f.observed.value[i])
	}
	names := sortedKeys(peers)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(peers[b].total(), peers[a].total()) })
	for i, name := range names {
		if i == maxListed {
			s.Rows = append(s.Rows, row("", plain("and %d more: netctl observe", len(names)-i)))
			break
		}
		s.Rows = append(s.Rows, row("", append(peers[name].parts, plain("  %s", peers[name]))...))
	}
	return s
}

// count adds an event to the peer that it is about.
func (f *facts) count(peers map[string]*neighbour, e *model.Observed) {
	if e.Verdict == model.ObservedUnknown || e.From == nil || e.To == nil {
		return
	}
	add := func(key string, parts []Part, out bool) {
		n := peers[key]
		if n == nil {
			n = &neighbour{parts: parts}
			peers[key] = n
		}
		switch e.Verdict {
		case model.ObservedOpened:
			if out {
				n.out++
			} else {
				n.in++
			}
		case model.ObservedRefused:
			n.refused++
		case model.ObservedDropped:
			n.dropped++
		case model.ObservedClosed:
			if e.Sent != nil && e.Got != nil {
				n.bytes += e.Sent.Bytes + e.Got.Bytes
			}
		}
	}
	from, to := f.end(e.From), f.end(e.To)
	v, isService := f.config.(*model.ServiceLB)
	switch me := f.subject(); {
	case isService && (e.Service == f.key || serves(v, e)):
		add(from.Text, []Part{from}, false)
	case f.is(model.KindRule(), model.KindPolicy()):
		add(from.Text+" "+to.Text, []Part{from, plain(" to "), to}, true)
	case e.From.Is(me):
		add(to.Text, []Part{to}, true)
	case e.To.Is(me):
		add(from.Text, []Part{from}, false)
	}
}

// end mentions an end of a connection: the page of a group lists groups, that of a host lists hosts, others list endpoints.
func (f *facts) end(e *model.ObservedEnd) Part {
	switch {
	case f.is(model.KindEndpointGroup()) && e.Group != "":
		return link(model.KindEndpointGroup(), e.Group)
	case f.kind == nil && e.Host != "":
		return host(e.Host)
	case e.Endpoint != "":
		id, _ := identity.ParseEndpoint(e.Endpoint)
		name := cmp.Or(e.Name, id.Endpoint)
		if _, group, ok := identity.Cut(e.Group); ok {
			name += " (" + group + ")"
		}
		return linkAs(model.KindEndpoint(), e.Endpoint, name)
	case e.Host != "":
		return host(e.Host)
	}
	return plain("%s", e.Address)
}

// hostsNamed is the number of hosts with the same reason that are named; the rest are counted.
const hostsNamed = 5

// unobserved are the reasons why connections may be missing, with the hosts that each is true for.
func (f *facts) unobserved() []string {
	out := append(f.observed.unknown(), f.silent()...)
	var reasons []string // in the order of events
	on := map[string]map[string]bool{}
	for i := range f.observed.value {
		e := &f.observed.value[i]
		if e.Verdict != model.ObservedUnknown {
			continue
		}
		reason := cmp.Or(e.Reason, "some events were lost")
		if on[reason] == nil {
			reasons, on[reason] = append(reasons, reason), map[string]bool{}
		}
		if e.Host != "" {
			on[reason][e.Host] = true
		}
	}
	for _, reason := range reasons[:min(len(reasons), max(0, maxListed-len(out)))] {
		out = append(out, ofHosts(sortedKeys(on[reason]))+reason)
	}
	return out
}

// ofHosts is the start of a sentence about hosts.
func ofHosts(names []string) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return "host " + names[0] + ": "
	case n > hostsNamed:
		return fmt.Sprintf("hosts %s and %d more: ", strings.Join(names[:hostsNamed], ", "), n-hostsNamed)
	}
	return "hosts " + strings.Join(names, ", ") + ": "
}

// silent are the hosts of the object whose agents do not answer: what only these know is missing.
func (f *facts) silent() (out []string) {
	if f.all.err != nil {
		return f.all.unknown()
	}
	on := f.hosts()
	if f.is(model.KindRule()) { // it may apply anywhere
		for i := range f.all.value {
			if n := &f.all.value[i]; n.Role == model.RoleAgent {
				on[n.Name] = true
			}
		}
	}
	for _, label := range sortedKeys(on) {
		switch n := f.agent(label); {
		case n == nil:
			out = append(out, "host "+label+": no agent is registered")
		case !n.Answered():
			out = append(out, "host "+label+": its agent does not answer")
		}
	}
	return out[:min(len(out), maxListed)]
}

// drops is the section of refused and dropped connections, by the rule or the reason.
func (f *facts) drops() *Section {
	if !f.observed.asked {
		return nil
	}
	s := &Section{Title: "Drops", None: "none in the last " + minutes(model.ObserveSince), Unknown: f.unobserved()}
	type drop struct {
		parts []Part
		n     int
	}
	causes := map[string]*drop{}
	for i := range f.observed.value {
		e := &f.observed.value[i]
		if e.Verdict != model.ObservedRefused && e.Verdict != model.ObservedDropped {
			continue
		}
		parts := []Part{plain("%s", cmp.Or(e.Reason, "no flow matches"))}
		if len(e.Rules) > 0 {
			parts = nil
			for _, r := range e.Rules {
				parts = append(parts, mention(r))
			}
			parts = listed(parts)
		}
		r := Row{Text: parts}
		key := string(e.Verdict) + " " + r.String() + " " + e.Traffic()
		if causes[key] == nil {
			causes[key] = &drop{parts: append([]Part{plain("%s %s by ", e.Verdict, e.Traffic())}, parts...)}
		}
		causes[key].n++
	}
	for _, key := range sortedKeys(causes) {
		d := causes[key]
		s.Rows = append(s.Rows, row("", append(d.parts, plain("  %d (%s)", d.n, perMinute(d.n)))...))
	}
	if e := f.endpoint; e != nil && e.PacketsRefused > 0 {
		s.Rows = append(s.Rows, row("", plain("%s with addresses that are not its own, dropped at its port", amount(e.PacketsRefused, "packet"))))
	}
	return s
}
