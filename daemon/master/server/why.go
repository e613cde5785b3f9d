package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/why"
)

// mountWhy adds the question whether one end reaches another.
func (s *Server) mountWhy(r *rest.Router) {
	asker := why.New(s.Catalog, s.trace)
	r.GET("/api/v1/why", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		ask, err := whyRequest(q.URL.Query())
		if err == nil {
			err = s.narrows(ask.Tenant, ask.Network)
		}
		if err != nil {
			rest.Refuse(w, q, err, s.Log)
			return
		}
		ctx, cancel := context.WithTimeout(q.Context(), relayLimit)
		defer cancel()
		out, err := asker.Ask(ctx, ask)
		rest.Answer(w, q, out, 0, err, s.Log)
	})
}

func whyRequest(q url.Values) (model.WhyRequest, error) {
	out := model.WhyRequest{From: q.Get("from"), To: q.Get("to"), Tenant: q.Get("tenant"), Network: q.Get("network"), Protocol: q.Get("protocol")}
	if text := q.Get("port"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			return out, model.Errorf(model.CodeInvalid, "port", "%q is no port", text).Try("ports are 1 to 65535")
		}
		out.Port = n
	}
	return out, nil
}

// trace asks the agent of a host what its switch would do with a packet.
func (s *Server) trace(ctx context.Context, host string, ask model.TraceRequest) (out model.Trace, err error) {
	text, err := json.Marshal(ask)
	if err != nil {
		return out, err
	}
	return out, s.askAgent(ctx, http.MethodGet, host, "trace", url.Values{"of": {string(text)}}.Encode(), func(answer *http.Response) error {
		return json.NewDecoder(http.MaxBytesReader(nil, answer.Body, 16<<20)).Decode(&out)
	})
}
