// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/health"
)

// unread are the policies of Kubernetes that netmaster does not read as a whole.
func unread(v *catalog.View) (out []health.Unread) {
	for _, p := range v.UnreadPolicies() {
		out = append(out, health.Unread{Policy: p.Name, What: p.Unread})
	}
	return out
}

// unreadServices are the services of Kubernetes that are not carried out as a whole.
func unreadServices(v *catalog.View) (out []health.UnreadService) {
	for _, s := range v.UnreadServices() {
		out = append(out, health.UnreadService{Service: s.Name, Parts: s.Parts})
	}
	return out
}
