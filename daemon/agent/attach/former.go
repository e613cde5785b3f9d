// SPDX-License-Identifier: Apache-2.0

package attach

import (
	"context"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Rename gives ports of an earlier build the identities of their endpoints in place of "network.tenant-endpoint", which two endpoints may
// share. It must be called after Open vSwitch has been listed, before Restore.
func (e *Engine) Rename(ctx context.Context) error {
	found := map[string]string{}
	for _, p := range e.Switch.Ports(ovsdb.IDEndpoint, "") {
		id := identity.Endpoint{Network: identity.Network{Tenant: p.ExternalIDs[ovsdb.IDTenant], Name: p.ExternalIDs[ovsdb.IDNetwork]}}
		rest, former := strings.CutPrefix(p.ExternalIDs[ovsdb.IDEndpoint], record.LegacyID(id))
		if id.Tenant == "" || id.Name == "" || !former || rest == "" {
			continue
		}
		id.Endpoint = rest
		found[p.Name] = id.String()
	}
	return e.Switch.Relabel(ctx, found)
}

// hostNames returns the names that the host end of an endpoint may have, in the order in which they are tried: later names are for the case
// that another endpoint has an earlier one, and the last are those of earlier builds.
func hostNames(id identity.Endpoint) (names []string) {
	for _, text := range []string{id.String(), record.LegacyID(id)} {
		for try := range nameTries {
			names = append(names, link.Name(text, try))
		}
	}
	return names
}
