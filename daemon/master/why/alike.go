// SPDX-License-Identifier: Apache-2.0

package why

import (
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// alike returns a remedy that begins with a question for the names spelled almost like the text; "" if there are none.
func (s *search) alike() string {
	var names []string
	add := func(kind string, name ...string) {
		if s.wants(kind) {
			names = append(names, name...)
		}
	}
	for m := range s.v.Members {
		if e := m.Endpoint; s.admits(e.ID.Tenant, e.ID.Name) {
			add(kindEndpoint, e.ID.Endpoint, e.CommonName)
		}
	}
	for _, g := range s.v.Groups("") {
		if s.admits(g.ID.Tenant, g.Network.Name) {
			add(kindGroup, g.ID.Name)
		}
	}
	for _, h := range s.v.Hosts() {
		add(kindHost, h.Label)
	}
	for _, key := range s.v.Keys(model.KindServiceLB()) {
		if tenant, name, _ := identity.Cut(key); s.admits(tenant, "") {
			add(kindService, name)
		}
	}
	slices.Sort(names)
	found := model.Alike(s.text, slices.Compact(names))
	if len(found) == 0 {
		return ""
	}
	if s.kind != "" {
		for i := range found {
			found[i] = s.kind + "/" + found[i]
		}
	}
	return "did you mean " + strings.Join(found, ", ") + "? "
}
