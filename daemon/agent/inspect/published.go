package inspect

import (
	"net/http"

	"github.com/contiv/contiv/api/model"
)

// Ports tell which ports of this host lead to an endpoint, as hostaccess.Engine does.
type Ports interface {
	Published(endpoint string) ([]model.PublishedPort, error)
}

// published answers with the ports of this host that lead to the endpoint that the query names.
func (o *Options) published(w http.ResponseWriter, r *http.Request) {
	out, err := o.Ports.Published(r.URL.Query().Get("of"))
	if err != nil {
		text(w, http.StatusNotFound, err.Error()+"\n")
		return
	}
	answer(w, out)
}
