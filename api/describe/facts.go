// SPDX-License-Identifier: Apache-2.0

package describe

import (
	"encoding/json"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rates"
	"github.com/contiv/contiv/identity"
)

// Rates are what passes per second.
type Rates struct {
	Known  bool // two samples have been taken
	Lines  map[rates.Level][]rates.Line
	Silent map[string]string // reasons by host
}

// facts are everything that a page shows.
type facts struct {
	kind *model.Kind // nil: a node
	key  string
	now  time.Time

	config   model.Object // nil: an endpoint or a node
	endpoint *model.EndpointOper
	nodes    []model.Node // the processes of a node
	oper     map[string]json.RawMessage
	links    map[string]model.LinkSet // of the configuration
	operErr  error                    // why oper is unknown

	all       known[[]model.Node]
	groups    known[[]model.Object] // of the tenant, like the next three
	networks  known[[]model.Object]
	rules     known[[]model.Object]
	services  known[[]model.Object]
	endpoints known[[]*model.EndpointOper] // on a node, at most maxListed+1
	health    known[model.Health]
	history   known[[]model.HistoryEntry]
	timeline  known[[]model.TimelineEvent]
	addresses known[[]model.AddressState] // of an endpoint
	observed  known[[]model.Observed]
	rates     known[Rates]
	matrix    known[model.WorkloadMatrix] // of a pod's namespace
}

// is reports whether the page is of a kind.
func (f *facts) is(kinds ...*model.Kind) bool {
	for _, k := range kinds {
		if f.kind == k {
			return true
		}
	}
	return false
}

// tenant is the tenant of the object; "" if it has none.
func (f *facts) tenant() string {
	switch {
	case f.is(model.KindTenant()):
		return f.key
	case f.kind != nil && (f.kind.TenantScoped() || f.is(model.KindEndpoint())):
		return identity.Scope(f.key)
	}
	return ""
}

// name is the object as other commands take it: "network/shop:front".
func (f *facts) name() string {
	if f.kind == nil {
		return identity.Ref{Kind: NodeKind, Name: f.key}.String()
	}
	return identity.Ref{Kind: f.kind.Command.Use, Name: f.key}.String()
}

// subject is the object as findings and events of connections name it: "endpoint/shop:front:db1", "host/h1".
func (f *facts) subject() string {
	if f.kind == nil {
		if f.isMaster() {
			return identity.Ref{Kind: "master", Name: f.key}.String()
		}
		return identity.Ref{Kind: "host", Name: f.key}.String()
	}
	return f.name()
}

// isMaster reports whether a node is a netmaster.
func (f *facts) isMaster() bool {
	return len(f.nodes) > 0 && f.nodes[0].Role != model.RoleAgent
}

// field is a text field of the configuration.
func (f *facts) field(name string) string {
	if f.config == nil {
		return ""
	}
	text, _ := f.config.Field(name).(string)
	return text
}

// members are the endpoints of the operational state, in order.
func (f *facts) members() (out []model.EndpointOper) {
	for _, field := range []string{"endpoints", "providers"} {
		var list []model.EndpointOper
		if json.Unmarshal(f.oper[field], &list) == nil {
			out = append(out, list...)
		}
	}
	return out
}

// hosts are the labels of the hosts that the object is on.
func (f *facts) hosts() map[string]bool {
	out := map[string]bool{}
	switch {
	case f.endpoint != nil:
		out[f.endpoint.HomingHost] = true
	case f.kind == nil && !f.isMaster():
		out[f.key] = true
	case f.is(model.KindTenant()): // most hosts would be listed on its page
	default:
		for _, e := range f.members() {
			out[e.HomingHost] = true
		}
	}
	return out
}

// ownGroups are the keys of the groups whose rules apply: an endpoint's, a group itself, those of a policy or of a service's providers.
func (f *facts) ownGroups() (out []string) {
	seen := map[string]bool{}
	add := func(key string) {
		if key != "" && !seen[key] {
			seen[key], out = true, append(out, key)
		}
	}
	switch {
	case f.endpoint != nil:
		add(groupKey(f.endpoint))
	case f.is(model.KindEndpointGroup()):
		add(f.key)
	case f.is(model.KindServiceLB()):
		for _, e := range f.members() {
			add(groupKey(&e))
		}
	}
	return out
}

// groupKey is the key of an endpoint's group, "tenant:group"; "" if it has none.
func groupKey(e *model.EndpointOper) string {
	id, err := identity.ParseReversedGroup(e.EndpointGroupKey)
	if err != nil {
		return ""
	}
	return id.String()
}

// endpointLink mentions an endpoint by the name of its container or pod.
func endpointLink(e *model.EndpointOper) Part {
	name := e.EndpointID
	for _, x := range []string{e.ContainerName, e.Pod} {
		if x != "" {
			name = x
		}
	}
	return linkAs(model.KindEndpoint(), e.Key, name)
}
