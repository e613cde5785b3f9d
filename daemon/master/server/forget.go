package server

import (
	"errors"
	"net/http"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
)

// mountForget adds that a machine which is gone for good loses its host's label and addresses.
func (s *Server) mountForget(r *rest.Router) {
	r.POST("/api/v1/nodes/forget", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		var request model.ForgetRequest
		if err := rest.ReadJSON(q.Body, &request); err != nil {
			rest.Refuse(w, q, err, s.Log)
			return
		}
		out, rev, err := s.Endpoints.Forget(q.Context(), request.Host, request.Release)
		var e *model.Error
		if q.Header.Get(model.RepeatHeader) != "" && errors.As(err, &e) && e.Code == model.CodeNotFound {
			err = nil // the request was carried out when it was sent before
		}
		rest.Answer(w, q, out, rev, err, s.Log)
	})
}
