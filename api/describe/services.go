// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/verdict"
)

// selects reports whether the selector of a service selects an endpoint.
func selects(v *model.ServiceLB, e *model.EndpointOper) bool {
	labels := strings.Split(model.LabelText(e.Labels), ",")
	return len(v.Selectors) > 0 && !slices.ContainsFunc(v.Selectors, func(s string) bool { return !slices.Contains(labels, s) })
}

// provided are the services of which the object's endpoints are providers.
func (f *facts) provided() (out []*model.ServiceLB) {
	members := f.members()
	if f.endpoint != nil {
		members = []model.EndpointOper{*f.endpoint}
	}
	for _, o := range f.services.value {
		v, ok := o.(*model.ServiceLB)
		if ok && slices.ContainsFunc(members, func(e model.EndpointOper) bool { return selects(v, &e) }) {
			out = append(out, v)
		}
	}
	return out
}

// provides is the section of the services that the object provides.
func (f *facts) provides() *Section {
	if !f.services.asked {
		return nil
	}
	s := &Section{Title: "Provides", None: "no service", Unknown: f.services.unknown()}
	for _, v := range f.provided() {
		s.Rows = append(s.Rows, row("", link(model.KindServiceLB(), v.ObjectKey()), plain("  %s %s", v.IpAddress, strings.Join(v.Ports, " "))))
	}
	return s
}

// serves reports whether a connection is to the port of a provider.
func serves(v *model.ServiceLB, e *model.Observed) bool {
	return slices.ContainsFunc(v.Ports, func(port string) bool {
		t := providerPort(port)
		return e.Port == t.Port && e.Proto == verdict.Traffic{Protocol: t.Protocol}.String()
	})
}

// providers is the section of a service's providers, and whether each is ready: attached on a host whose agent answers.
func (f *facts) providers() *Section {
	if !f.is(model.KindServiceLB()) {
		return nil
	}
	members := f.members()
	s := &Section{Title: "Providers", None: "no container matches the selector", Unknown: f.all.unknown()}
	if f.operErr != nil {
		s.Unknown = append(s.Unknown, reason(f.operErr))
	}
	ready := 0 // as the list of services counts them
	if raw, ok := f.oper["numReady"]; ok && json.Unmarshal(raw, &ready) != nil {
		s.Unknown = append(s.Unknown, "number of ready providers")
	}
	var rows []Row
	for i := range members {
		e := &members[i]
		state := "ready"
		switch on := f.agent(e.HomingHost); {
		case f.all.err != nil:
			state = "unknown"
		case on == nil || on.Down:
			state = "not ready: the agent of its host does not run"
		case !on.Answered():
			state = "unknown: the agent of its host does not answer"
		}
		if len(rows) < maxListed {
			rows = append(rows, row("", endpointLink(e), plain("  %s on ", strings.Join(slices.DeleteFunc(slices.Clone(e.IpAddress), func(a string) bool { return a == "" }), " ")), host(e.HomingHost), plain("  %s", state)))
		}
	}
	if len(members) > 0 {
		s.Rows = append([]Row{row("ready", plain("%d/%d", ready, len(members)))}, rows...)
	}
	return s
}

// agent is the agent of a host; nil: none is registered.
func (f *facts) agent(label string) *model.Node {
	for i := range f.all.value {
		if n := &f.all.value[i]; n.Role == model.RoleAgent && n.Name == label {
			return n
		}
	}
	return nil
}

// uses is the section of the services to which the object's endpoints have opened connections in the last minutes; nil if none is known, for
// hosts of providers report connections without the service.
func (f *facts) uses() *Section {
	if !f.is(model.KindEndpoint(), model.KindEndpointGroup()) {
		return nil
	}
	s := &Section{Title: "Uses", Unknown: f.unobserved()}
	counts := map[string]int{}
	for i := range f.observed.value {
		if e := &f.observed.value[i]; e.Service != "" && e.From.Is(f.subject()) && e.Verdict == model.ObservedOpened {
			counts[e.Service]++
		}
	}
	for _, key := range sortedKeys(counts) {
		s.Rows = append(s.Rows, row("", link(model.KindServiceLB(), key), plain("  opened %d (%s)", counts[key], perMinute(counts[key]))))
	}
	if len(s.Rows) == 0 {
		return nil
	}
	return s
}
