package enrolling

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// aboard lists the endpoints of containers on a host, for those who may have the host leave.
func (s *Enrolling) aboard(q *http.Request, _ httprouter.Params) (any, error) {
	host := q.URL.Query().Get("host")
	if err := s.mayLeave(&model.DepartRequest{Agent: host}, s.Who(q)); err != nil {
		return nil, err
	}
	out := model.HostEndpoints{Host: host, Endpoints: []string{}}
	s.Catalog.View(func(v *catalog.View) {
		for m := range v.Members {
			if m.Host == host && !ofHost(m.Endpoint) {
				out.Endpoints = append(out.Endpoints, m.ID.String())
			}
		}
	})
	return out, nil
}

// ofHost reports whether an endpoint is the host's own interface in a network for hosts: its agent creates it by the host's name.
func ofHost(e *record.Endpoint) bool {
	return e.ID.Endpoint == e.Host && e.CommonName == e.Host
}
