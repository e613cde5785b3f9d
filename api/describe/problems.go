// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// problems is the section of the open findings about the object and what it depends on.
func (f *facts) problems() *Section {
	s := &Section{Title: "Problems", None: "none known", Unknown: f.health.unknown()}
	objects := f.dependencies()
	list := f.health.value.Findings
	for i := range list {
		if !f.concerns(objects, &list[i]) {
			continue
		}
		if len(s.Rows) >= 3*maxListed {
			s.Rows = append(s.Rows, row("", plain("and more: netctl status --all")))
			break
		}
		s.Rows = append(s.Rows, f.problem(&list[i])...)
	}
	return s
}

// problem is a finding with its remedy.
func (f *facts) problem(x *model.Finding) []Row {
	head := Row{Name: string(x.Severity), State: x.Severity, Text: []Part{plain("%s ", x.Code), mention(x.Object)}}
	if x.Host != "" && x.Object != "host/"+x.Host {
		head.Text = append(head.Text, plain(" on "), host(x.Host))
	}
	head.Text = append(head.Text, plain(": %s", x.Evidence))
	if at, err := time.Parse(time.RFC3339, x.Since); err == nil && !f.now.IsZero() {
		head.Text = append(head.Text, plain(" (for %s)", age(f.now.Sub(at))))
	}
	out := []Row{head}
	switch {
	case x.Acknowledged != nil:
		out = append(out, row("", plain("%s", x.Acknowledged.Text())))
	case x.CausedBy != nil:
		out = append(out, row("", plain("because of %s", x.CausedBy)))
	case x.Remedy != "":
		out = append(out, row("", plain("remedy: %s", x.Remedy)))
	}
	return out
}

// mention links the object of a finding, "kind/name", as far as it has a page.
func mention(object string) Part {
	ref, _ := identity.ParseRef(object)
	if ref.Kind == "host" || ref.Kind == "master" {
		return Part{Text: object, Link: &Ref{Kind: NodeKind, Key: ref.Name}}
	}
	if k, ok := model.KindOf(ref.Kind); ok && k.Command.Use != "" {
		return linkAs(k, ref.Name, object)
	}
	return plain("%s", object)
}

// dependencies are the object and those that it depends on, as findings name them.
func (f *facts) dependencies() map[string]bool {
	out := map[string]bool{f.subject(): true, f.name(): true}
	add := func(kind, name string) {
		if name != "" {
			out[identity.Ref{Kind: kind, Name: name}.String()] = true
		}
	}
	for h := range f.hosts() {
		add("host", h)
	}
	if f.endpoint != nil {
		add("network", f.endpoint.NetworkKey())
		for _, policy := range append(slices.Clone(f.endpoint.IngressPolicies), f.endpoint.EgressPolicies...) {
			add("policy", policy)
		}
		for _, v := range f.provided() {
			add("service", v.ObjectKey())
		}
	}
	if network := f.field("networkName"); network != "" {
		add("network", model.Key(f.tenant(), network))
	}
	if f.is(model.KindServiceLB()) {
		for _, e := range f.members() {
			add("endpoint", e.Key)
		}
	}
	for _, g := range f.ownGroups() {
		add("group", g)
	}
	return out
}

// policies are the keys of the policies whose rules concern the object.
func (f *facts) policies() (out []string) {
	switch {
	case f.is(model.KindPolicy()):
		return []string{f.key}
	case f.is(model.KindRule()):
		return []string{identity.Parent(f.key)}
	}
	own := f.ownGroups()
	for _, o := range f.groups.value {
		if g, ok := o.(*model.EndpointGroup); ok && slices.Contains(own, g.ObjectKey()) {
			for _, name := range g.Policies {
				out = append(out, model.Key(g.TenantName, name))
			}
		}
	}
	return out
}

// concerns reports whether a finding is about the object or what it depends on.
func (f *facts) concerns(objects map[string]bool, x *model.Finding) bool {
	ref, _ := identity.ParseRef(x.Object)
	on := f.hosts()
	switch {
	case objects[x.Object]:
		return true
	case f.kind == nil && f.isMaster():
		return ref.Kind == "store" || ref.Kind == "cluster"
	case f.kind == nil:
		return x.Host == f.key || slices.Contains(x.Peers, f.key) || ref.Kind == "uplink" && identity.Scope(ref.Name) == f.key
	case f.is(model.KindTenant()):
		k, ok := model.KindOf(ref.Kind)
		return ok && (k.TenantScoped() || k == model.KindEndpoint()) && identity.Within(ref.Name, f.key)
	case ref.Kind == "rule":
		return slices.ContainsFunc(f.policies(), func(p string) bool { return identity.Within(ref.Name, p) })
	case ref.Kind == "uplink":
		return on[identity.Scope(ref.Name)]
	case ref.Kind == "host":
		return on[x.Host] || slices.ContainsFunc(x.Peers, func(p string) bool { return on[p] })
	case ref.Kind == "endpoint" && f.is(model.KindNetwork()):
		return identity.Within(ref.Name, f.key)
	case ref.Kind == "endpoint" && f.is(model.KindEndpointGroup()):
		return slices.ContainsFunc(f.members(), func(e model.EndpointOper) bool { return e.Key == ref.Name })
	}
	return false
}

// age is a duration in its largest unit.
func age(d time.Duration) string {
	switch {
	case d < time.Second:
		return "0 s"
	case d < time.Minute:
		return amount(int(d.Seconds()), "second")
	case d < time.Hour:
		return amount(int(d.Minutes()), "minute")
	case d < 48*time.Hour:
		return amount(int(d.Hours()), "hour")
	}
	return amount(int(d.Hours()/24), "day")
}
