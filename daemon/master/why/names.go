// SPDX-License-Identifier: Apache-2.0

package why

import (
	"net/netip"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/identity"
)

// Names resolves a name and returns the unambiguous names of all matches in a tenant; "" is any. An address returns itself. Errors are
// *model.Error, and name field.
func Names(v *catalog.View, field, text, tenant string) ([]string, error) {
	ref, typed := identity.ParseRef(text)
	kind, name := ref.Kind, ref.Name
	if !typed || !slices.Contains([]string{kindEndpoint, kindGroup, kindService, kindHost, kindAddress}, kind) {
		kind, name = "", text
	}
	s := search{v: v, text: name, kind: kind, q: model.WhyRequest{Tenant: tenant}}
	var out []string
	for _, c := range s.exact() {
		out = append(out, c.String())
	}
	if _, err := netip.ParseAddr(name); err == nil {
		out = append(out, name)
	}
	if len(out) == 0 {
		return nil, model.Errorf(model.CodeNotFound, field, "nothing is called %q", text).
			Try("%sit is a container, pod (NAMESPACE/NAME), group, service, host or address; netctl endpoint ls shows containers", s.alike())
	}
	return out, nil
}
