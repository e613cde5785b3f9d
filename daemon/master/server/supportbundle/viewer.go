// SPDX-License-Identifier: Apache-2.0

package supportbundle

import (
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
)

// viewer returns the subject of requests that this netmaster sends to itself: it sees all objects but those of guarded kinds.
func viewer() auth.Subject {
	return auth.Subject{Grants: rights.Grants{{Role: rights.Viewer}}}
}
