package bundling

import (
	"bytes"
	"net/http"

	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/access"
)

// looker is who this netmaster asks itself as: someone who sees all objects, and nothing of who may do what.
func looker() access.Subject {
	return access.Subject{Grants: rights.Grants{{Role: rights.Viewer}}}
}

// answer keeps what a handler answers.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

// Header is that of the answer.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader begins the answer.
func (a *answer) WriteHeader(status int) {
	if a.status == 0 {
		a.status = status
	}
}

// Write adds to the answer.
func (a *answer) Write(b []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	return a.body.Write(b)
}
