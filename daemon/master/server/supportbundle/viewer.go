package supportbundle

import (
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/access"
)

// viewer is who this netmaster asks itself as: someone who sees all objects, and nothing of who may do what.
func viewer() access.Subject {
	return access.Subject{Grants: rights.Grants{{Role: rights.Viewer}}}
}
