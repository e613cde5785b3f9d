// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
	"github.com/contiv/contiv/identity"
)

// reachedBy is the section of what may open connections to the object, by the policies.
func (f *facts) reachedBy() *Section { return f.reach("May be reached by", true) }

// reaches is the section of what the object may open connections to. A service opens none.
func (f *facts) reaches() *Section {
	if f.is(model.KindServiceLB()) {
		return nil
	}
	return f.reach("May reach", false)
}

func (f *facts) reach(title string, in bool) *Section {
	if !f.groups.asked || f.is(model.KindRule()) {
		return nil
	}
	s := &Section{Title: title, None: "nobody"}
	if !in {
		s.None = "nothing"
	}
	if f.matrix.asked {
		s.Unknown = f.matrix.unknown()
		s.Rows = f.podReach(in)
		return s
	}
	for _, k := range []*known[[]model.Object]{&f.groups, &f.networks, &f.rules} {
		if k.err != nil {
			s.Unknown = k.unknown()
			return s
		}
	}
	p := verdict.New(f.tenant(), f.groups.value, f.networks.value, f.rules.value)
	own := f.parties(p)
	if f.is(model.KindServiceLB()) && len(own) == 0 {
		s.None = "nobody: it has no providers in a group"
	}
	for _, me := range own {
		rows := f.judged(p, me, in)
		if len(own) > 1 && len(rows) > 0 {
			s.Rows = append(s.Rows, row("", plain("group "), party(f.tenant(), me), plain(":")))
		}
		s.Rows = append(s.Rows, rows...)
	}
	if f.endpoint != nil && groupKey(f.endpoint) == "" {
		s.Rows = append(s.Rows, row("", plain("it has no group, so only the policies of others limit its connections")))
	}
	if len(f.endpointPolicies(in)) > 0 {
		s.Rows = append(s.Rows, row("kubernetes", listed(f.endpointPolicies(in))...))
	}
	return s
}

// parties are the groups of the object as sides of a connection. An endpoint without a group is judged as the outside is.
func (f *facts) parties(p *verdict.Policies) (out []verdict.Party) {
	own := f.ownGroups()
	for _, x := range p.Parties() {
		if x.Group != nil && slices.Contains(own, x.Group.ObjectKey()) {
			out = append(out, x)
		}
	}
	if f.endpoint != nil && len(own) == 0 {
		out = append(out, verdict.Party{})
	}
	return out
}

// party mentions a group, or the outside.
func party(tenant string, p verdict.Party) Part {
	if p.Group == nil {
		return plain("%s", p.Name())
	}
	return linkAs(model.KindEndpointGroup(), model.Key(tenant, p.Name()), p.Name())
}

// folded is equal results of several parties.
type folded struct {
	sum     string
	rules   []string
	parties []Part
}

// judged are the results for all parties, equal ones in one row, and the number of those that are refused.
func (f *facts) judged(p *verdict.Policies, me verdict.Party, in bool) (out []Row) {
	var cells []*folded
	refused, refusing := 0, []string{}
	for _, other := range p.Parties() {
		from, to := me, other
		if in {
			from, to = other, me
		}
		list := f.relevant(p.Between(from, to))
		sum := verdict.Sum(list)
		switch {
		case len(list) == 0:
			continue
		case sum.Fate == verdict.Denied:
			refused++
			refusing = append(refusing, deciders(list)...)
			continue
		}
		rules := deciders(list)
		i := slices.IndexFunc(cells, func(c *folded) bool { return c.sum == sum.Text && slices.Equal(c.rules, rules) })
		if i < 0 {
			i = len(cells)
			cells = append(cells, &folded{sum: sum.Text, rules: rules})
		}
		cells[i].parties = append(cells[i].parties, party(f.tenant(), other))
	}
	for _, c := range cells {
		out = append(out, row(c.sum, append(listed(c.parties), byRules(c.rules)...)...))
	}
	if refused > 0 {
		who := "everyone"
		if len(cells) > 0 {
			who = "everyone else"
		}
		slices.Sort(refusing)
		out = append(out, row("none", append([]Part{plain("%s (%d)", who, refused)}, byRules(slices.Compact(refusing))...)...))
	}
	return out
}

// relevant are the decisions about the ports of a service's providers; of another object all of them.
func (f *facts) relevant(list []verdict.Decision) (out []verdict.Decision) {
	v, ok := f.config.(*model.ServiceLB)
	if !ok || len(list) == 0 {
		return list
	}
	for _, text := range v.Ports {
		t := providerPort(text)
		best := list[len(list)-1]
		for _, d := range list { // the narrowest class comes first
			if d.Traffic == t || d.Traffic == (verdict.Traffic{Protocol: t.Protocol}) {
				best = d
				break
			}
		}
		best.Traffic = t
		out = append(out, best)
	}
	return out
}

// providerPort is the traffic that reaches the providers of a port of a service, "servicePort:providerPort:protocol".
func providerPort(text string) verdict.Traffic {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return verdict.Traffic{}
	}
	port, _ := strconv.Atoi(parts[1])
	return verdict.Traffic{Protocol: map[string]int{"tcp": verdict.TCP, "udp": verdict.UDP, "sctp": verdict.SCTP}[strings.ToLower(parts[2])], Port: port}
}

// deciders are the keys of the rules that decide about some of the traffic.
func deciders(list []verdict.Decision) (out []string) {
	for i := range list {
		if r := list[i].By(); r != nil && !slices.Contains(out, r.ObjectKey()) {
			out = append(out, r.ObjectKey())
		}
	}
	slices.Sort(out)
	return out
}

// byRules mentions rules behind a text.
func byRules(keys []string) (out []Part) {
	if len(keys) == 0 {
		return nil
	}
	var parts []Part
	for _, key := range keys {
		_, name, _ := identity.Cut(key)
		parts = append(parts, linkAs(model.KindRule(), key, name))
	}
	word := " (rule "
	if len(keys) > 1 {
		word = " (rules "
	}
	return append(append([]Part{plain("%s", word)}, listed(parts)...), plain(")"))
}

// endpointPolicies mentions the Kubernetes policies of an endpoint's pod, each as in "networkpolicy shop/web".
func (f *facts) endpointPolicies(in bool) (out []Part) {
	if f.endpoint == nil {
		return nil
	}
	list := f.endpoint.EgressPolicies
	if in {
		list = f.endpoint.IngressPolicies
	}
	for _, text := range list {
		kind, name, _ := strings.Cut(text, " ")
		k, ok := model.KindOf(kind)
		if !ok {
			out = append(out, plain("%s", text))
			continue
		}
		key := name
		if id, ok := identity.ParsePodPath(name); ok && k.Namespaced() {
			key = id.String()
		}
		out = append(out, linkAs(k, key, text))
	}
	return out
}

// podReach are the results for a pod, from the matrix of its namespace.
func (f *facts) podReach(in bool) (out []Row) {
	m := &f.matrix.value
	id, _ := identity.ParsePodPath(f.endpoint.Pod)
	me := m.Of(id.Name)
	if me == nil {
		if f.matrix.err == nil {
			out = append(out, Row{State: model.SeverityUnknown, Text: []Part{plain("unknown: the matrix of namespace %s does not have the pod", id.Namespace)}})
		}
		return out
	}
	for i := range m.Cells {
		c := &m.Cells[i]
		own, other := c.From, c.To
		if in {
			own, other = c.To, c.From
		}
		if own == me.Name && c.Sum != "" && c.Sum != "none" {
			out = append(out, row(c.Sum, plain("%s", other)))
		}
	}
	if parts := f.endpointPolicies(in); len(parts) > 0 {
		out = append(out, row("policies", listed(parts)...))
	}
	return out
}
