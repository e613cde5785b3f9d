// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet"
)

// kinds are the kinds of objects by which flows can be selected.
var kinds = []ofnet.Kind{ofnet.KindTenant, ofnet.KindSegment, ofnet.KindGroup, ofnet.KindPolicy, ofnet.KindRule, ofnet.KindLevel, ofnet.KindClassPolicy, ofnet.KindService, ofnet.KindBackend,
	ofnet.KindEndpoint, ofnet.KindSwitch, ofnet.KindUplink, ofnet.KindProbes, ofnet.KindHost, ofnet.KindRouter, ofnet.KindRoute, ofnet.KindNextHops, ofnet.KindAgent, networkPolicy, clusterNetworkPolicy}

// Kinds of Kubernetes' policies as users name them: by "namespace/name", and by name.
const (
	networkPolicy        ofnet.Kind = "networkpolicy"
	clusterNetworkPolicy ofnet.Kind = "clusternetworkpolicy"
)

// ownedBy returns a function that reports whether an owner is the object that text names: as flows name it, "kind/name", or as users do,
// "tenant:name" for a network, group, service, policy or rule, and a container's name for an endpoint. A policy has the flows of its rules,
// and a group those of the rules that are attached to it. "" selects all.
func ownedBy(text string) (func(owner ofnet.Key) bool, error) {
	if text == "" {
		return func(ofnet.Key) bool { return true }, nil
	}
	ref, _ := identity.ParseRef(text)
	kind, name := ofnet.Kind(ref.Kind), ref.Name
	if !slices.Contains(kinds, kind) || name == "" {
		return nil, fmt.Errorf("owner %q: want KIND/NAME, such as endpoint/NAME or policy/TENANT:NAME; kinds are %s", text, strings.Trim(fmt.Sprint(kinds), "[]"))
	}
	return func(owner ofnet.Key) bool {
		switch {
		case owner.Kind == kind && owner.Name == name:
			return true
		case owner.Kind == ofnet.KindRule:
			return ruleAs(kind, owner.Name) == name
		case owner.Kind == ofnet.KindClassPolicy:
			return Called(owner) == text
		case owner.Kind == ofnet.KindEndpoint:
			return kind == ofnet.KindEndpoint && (identity.Ends(owner.Name, name) || strings.HasSuffix(owner.Name, "-"+name))
		}
		return false
	}, nil
}

// called returns an owner as users name it, in a form that ownedBy accepts: a rule is "rule/tenant:policy:rule", whichever group it is
// attached to; other owners are as in flows.
func called(owner ofnet.Key) string {
	if name := ruleAs(ofnet.KindRule, owner.Name); owner.Kind == ofnet.KindRule && name != "" {
		owner.Name = name
	}
	return owner.String()
}

// ruleAs returns the user's name of a rule's object of a kind; "" if there is none.
func ruleAs(kind ofnet.Kind, id string) string {
	r, err := identity.ParseAttachedRule(id)
	switch {
	case err != nil:
		return ""
	case kind == ofnet.KindRule:
		return r.Of().String()
	case kind == ofnet.KindPolicy:
		return r.Of().Policy.String()
	case kind == ofnet.KindGroup:
		return identity.Group{Tenant: r.Tenant, Name: r.Group}.String()
	}
	return ""
}
