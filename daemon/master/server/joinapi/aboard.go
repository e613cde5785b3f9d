// SPDX-License-Identifier: Apache-2.0

package joinapi

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
	if err := s.mayLeave(&model.DepartRequest{Agent: host}, s.Sender(q)); err != nil {
		return nil, err
	}
	return s.endpointsOf(host), nil
}

// drain has a host take no new endpoints for a while, or ends that.
func (s *Enrolling) drain(q *http.Request, request model.DrainRequest) (out model.HostEndpoints, rev uint64, err error) {
	if err := s.mayLeave(&model.DepartRequest{Agent: request.Host}, s.Sender(q)); err != nil {
		return out, 0, err
	}
	known := false
	s.Catalog.View(func(v *catalog.View) { known = v.Host(request.Host) != nil })
	if !known {
		return out, 0, model.Errorf(model.CodeNotFound, "host", "no host is called %s", request.Host).Try("netctl node ls shows the hosts")
	}
	if request.End {
		s.Endpoints.EndDrain(request.Host)
	} else {
		s.Endpoints.Drain(request.Host)
	}
	return s.endpointsOf(request.Host), 0, nil
}

// endpointsOf returns the endpoints of containers on a host.
func (s *Enrolling) endpointsOf(host string) model.HostEndpoints {
	out := model.HostEndpoints{Host: host, Endpoints: []string{}}
	s.Catalog.View(func(v *catalog.View) {
		for m := range v.Members {
			if m.Host == host && !ofHost(m.Endpoint) {
				out.Endpoints = append(out.Endpoints, m.ID.String())
			}
		}
	})
	return out
}

// ofHost reports whether an endpoint is the host's own interface in a network for hosts: its agent creates it by the host's name.
func ofHost(e *record.Endpoint) bool {
	return e.ID.Endpoint == e.Host && e.CommonName == e.Host
}
