package server

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/daemon/master/why"
)

// mountCapture adds the packets of endpoints, which their agents take.
func (s *Server) mountCapture(r *rest.Router) {
	asker := why.New(s.Catalog, s.trace)
	r.GET("/api/v1/capture", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		if err := s.capture(w, q, asker); err != nil {
			rest.Refuse(w, q, err, s.Log)
		}
	})
}

func (s *Server) capture(w http.ResponseWriter, q *http.Request, asker *why.Asker) error {
	query := q.URL.Query()
	narrow := model.WhyRequest{Tenant: query.Get("tenant"), Network: query.Get("network")}
	of, err := asker.Find("of", query.Get("of"), narrow)
	if err != nil {
		return err
	}
	if of.Kind != "endpoint" {
		return model.Errorf(model.CodeInvalid, "of", "%s %s has no interface of Contiv", of.Kind, of.Object).Try("name a container or a group")
	}
	if host := query.Get("host"); host != "" && host != of.Host {
		return model.Errorf(model.CodeNotFound, "host", "endpoint %s is on host %s, not on %s", of.Object, of.Host, host)
	}
	filter := query.Get("filter")
	if name := query.Get("peer"); name != "" {
		peer, err := asker.Find("peer", name, narrow)
		if err != nil {
			return err
		}
		if filter != "" {
			filter += " and "
		}
		filter += "host " + peer.Address
	}
	ask := url.Values{"endpoint": {of.Object}, "filter": {filter}, "packets": {query.Get("packets")}, "seconds": {query.Get("seconds")}}
	ctx, cancel := context.WithTimeout(q.Context(), (model.CaptureSeconds+10)*time.Second)
	defer cancel()
	return s.askAgent(ctx, http.MethodGet, of.Host, "capture", ask.Encode(), func(answer *http.Response) error {
		w.Header().Set("Content-Type", answer.Header.Get("Content-Type"))
		if err := stream(w, io.LimitReader(answer.Body, 2*model.CaptureBytes)); err != nil {
			panic(http.ErrAbortHandler) // the reader shall see that the stream is not whole
		}
		return nil
	})
}

// stream copies what comes as it comes.
func stream(w http.ResponseWriter, from io.Reader) error {
	flush := http.NewResponseController(w).Flush
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			if _, err := w.Write(buffer[:n]); err != nil {
				return err
			}
			if err := flush(); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
