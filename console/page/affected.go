// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// namesAtOnce is how many objects of a kind are named; the rest are counted.
const namesAtOnce = 5

// affected lists what else a change of an object affects: objects that name it or belong to it, and endpoints.
func affected(s *feed.Snapshot, kind *model.Kind, key string) []string {
	var out []string
	list := func(k *model.Kind, names []string) {
		if len(names) == 0 {
			return
		}
		more := ""
		if len(names) > namesAtOnce {
			more = fmt.Sprintf(" and %d more", len(names)-namesAtOnce)
		}
		out = append(out, fmt.Sprintf("%s: %s%s", k.Count(len(names)), strings.Join(names[:min(len(names), namesAtOnce)], ", "), more))
	}
	object := find(s, kind, key)
	if object == nil {
		return nil
	}
	for _, k := range model.Kinds() {
		var names []string
		for _, o := range s.Objects[k.Name] {
			if k != kind && dependsOn(o, object) {
				names = append(names, o.ObjectKey())
			}
		}
		list(k, names)
	}
	var endpoints []string
	for i := range s.Endpoints {
		if e := s.Endpoints[i]; endpointOf(e, object) {
			endpoints = append(endpoints, e.Called()+" on "+e.HomingHost)
		}
	}
	list(model.KindEndpoint(), endpoints)
	return out
}

// dependsOn reports whether o belongs to the object, or names it in a field that links them.
func dependsOn(o, object model.Object) bool {
	k, kind := o.Kind(), object.Kind()
	belongs := len(kind.Key) > 0
	for _, field := range kind.Key {
		belongs = belongs && o.Field(field) != nil && o.Field(field) == object.Field(field)
	}
	if belongs {
		return true
	}
	if kind.TenantScoped() && o.Field("tenantName") != object.Field("tenantName") {
		return false
	}
	name := object.Field(kind.Key[len(kind.Key)-1])
	for _, l := range append(append([]model.LinkTo{}, k.Links...), k.LinkSets...) {
		if l.To != kind.Name {
			continue
		}
		for _, field := range l.Via {
			switch v := o.Field(field).(type) {
			case string:
				if v != "" && v == name {
					return true
				}
			case []string:
				if text, ok := name.(string); ok && slices.Contains(v, text) {
					return true
				}
			}
		}
	}
	return false
}

// endpointOf reports whether an endpoint is on the network, in the group, of the tenant, or judged by the policy.
func endpointOf(e *feed.Endpoint, object model.Object) bool {
	switch o := object.(type) {
	case *model.Network:
		return e.NetworkKey() == o.ObjectKey()
	case *model.EndpointGroup:
		return e.EndpointGroupKey == o.Identity().Reversed()
	case *model.Tenant:
		return e.Tenant() == o.TenantName
	}
	return false
}
