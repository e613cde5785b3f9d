package server

import (
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// mountInfo adds what the cluster says of itself.
func (s *Server) mountInfo(r *rest.Router) {
	get := func(path string, answer func(*http.Request) any) {
		r.GET(path, func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
			rest.Answer(w, q, answer(q), 0, nil, s.Log)
		})
	}
	get("/version", func(*http.Request) any { return s.Version })
	get("/info", func(*http.Request) any { return s.info() })
	get("/api/v1/nodes", func(q *http.Request) any { return s.nodes(q.Context()) })
	get("/api/v1/leadership", func(q *http.Request) any { return s.leadership(q.Context(), q.URL.Query().Get("brief") == "true") })
	get("/api/v1/nodes/self", func(*http.Request) any { return s.self() })
	get("/services", func(*http.Request) any { return s.services(func(*record.ServiceLB) bool { return true }) })
	r.GET("/service/:id", func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		list := s.services(func(one *record.ServiceLB) bool { return one.ID == p.ByName("id") })
		if len(list) == 0 {
			list = nil // old clients know an unknown service by null
		}
		rest.Answer(w, q, list, 0, nil, s.Log)
	})
	r.GET("/api/v1/endpoints/", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		list := rest.Spliced{Head: []byte("["), Tail: []byte("]")}
		var err error
		s.Catalog.View(func(v *catalog.View) { list.Items, err = texts(v.Members, v.CountEndpoints()) })
		rest.Answer(w, q, list, 0, err, s.Log)
	})
}

// services lists the records of the services that are wanted, ordered by tenant and name.
func (s *Server) services(wanted func(*record.ServiceLB) bool) []record.ServiceLB {
	out := []record.ServiceLB{}
	s.Catalog.View(func(v *catalog.View) {
		for _, t := range v.Objects(model.KindTenant()) {
			for _, one := range v.ServiceLBs(t.ObjectKey()) {
				if wanted(one) {
					out = append(out, *one)
				}
			}
		}
	})
	return out
}

func (s *Server) info() model.Info {
	out := model.Info{
		LocalIP: hostOf(s.Internal), LeaderIP: s.Leadership.Leader(), CurrentState: string(s.role()),
		NetpluginNodes: []string{}, NetmasterNodes: []string{},
	}
	s.Catalog.View(func(v *catalog.View) {
		for _, a := range v.Services(record.ServiceAgent) {
			out.NetpluginNodes = append(out.NetpluginNodes, a.HostAddr)
		}
		for _, m := range v.Services(record.ServiceMaster) {
			out.NetmasterNodes = append(out.NetmasterNodes, m.HostAddr)
		}
	})
	return out
}

func (s *Server) role() model.NodeRole {
	if s.Leadership.Leading() {
		return model.RoleLeader
	}
	return model.RoleFollower
}
