// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"net/http"

	"github.com/contiv/contiv/api/model"
)

// Ports returns the ports of this host that lead to an endpoint, as hostaccess.Engine does.
type Ports interface {
	Published(endpoint string) ([]model.PublishedPort, error)
}

// published returns the ports of this host that lead to the endpoint in the query.
func (o *Options) published(w http.ResponseWriter, r *http.Request) {
	out, err := o.Ports.Published(r.URL.Query().Get("of"))
	if err != nil {
		text(w, http.StatusNotFound, err.Error()+"\n")
		return
	}
	answer(w, out)
}
