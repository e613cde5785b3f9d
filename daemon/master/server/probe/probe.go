// SPDX-License-Identifier: Apache-2.0

// Package probe answers questions about packets: whether one end reaches another, and which packets pass an interface.
package probe

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/why"
)

// prober asks objects and switches.
type prober struct {
	catalog *catalog.Catalog
	peers   *peer.Peers
	why     *why.Explainer
	log     *slog.Logger
}

// Register adds the questions.
func Register(r *rest.Router, known *catalog.Catalog, peers *peer.Peers, keep history.Keep, log *slog.Logger) {
	s := questions(r, known, why.New(known, peers.Trace, peers.Reach, keep))
	s.peers, s.log = peers, log
	packets := r.GET("/api/v1/capture", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		if err := s.capture(w, q); err != nil {
			r.Refuse(w, q, err)
		}
	}).Allow(rest.Users())
	packets.Stream, packets.Bound, packets.Audit.Verb = true, "captures", "capture"
}

// Questions adds those that asker answers, about the objects of known.
func Questions(r *rest.Router, known *catalog.Catalog, asker *why.Explainer) {
	questions(r, known, asker)
}

// Why adds only the question whether one end reaches another.
func Why(r *rest.Router, known *catalog.Catalog, asker *why.Explainer) { ends(r, known, asker) }

func ends(r *rest.Router, known *catalog.Catalog, asker *why.Explainer) *prober {
	s := &prober{catalog: known, why: asker}
	r.Read("/api/v1/why", s.reaches).Allow(rest.Users()).Bound = "traces"
	return s
}

func questions(r *rest.Router, known *catalog.Catalog, asker *why.Explainer) *prober {
	s := ends(r, known, asker)
	r.Read("/api/v1/matrix/:namespace", s.matrix).Allow(rest.Users()).Bound = "traces"
	return s
}

// reaches answers whether one end reaches another.
func (s *prober) reaches(q *http.Request, _ httprouter.Params) (any, error) {
	ask, err := whyRequest(q.URL.Query())
	who := auth.Of(q.Context())
	if err == nil && !who.Everywhere() {
		err = narrowed(ask.Tenant, who.Tenant)
	}
	if err == nil {
		err = s.narrows(ask.Tenant, ask.Network)
	}
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(q.Context(), peer.AskLimit)
	defer cancel()
	if ask.Probe {
		if err := s.maySend(who, ask); err != nil {
			return nil, hideNames(who, err)
		}
	}
	answer := s.why.Ask
	if ask.All {
		answer = s.why.AskEach
	}
	out, err := answer(ctx, ask)
	for _, end := range []model.WhyEnd{out.From, out.To} {
		if err == nil && end.Tenant != "" {
			err = who.Tenant(end.Tenant)
		}
	}
	if err != nil {
		return nil, hideNames(who, err)
	}
	return out, nil
}

// maySend refuses to send packets from a container for who may not see its packets either: the right is the same.
func (s *prober) maySend(who *auth.Subject, ask model.WhyRequest) error {
	from, err := s.why.Find("from", ask.From, "", ask)
	if err != nil {
		return nil // the question itself is refused with the reason, or finds the sender by the other end
	}
	return who.Check(rights.Right{Verb: rights.Capture, Kind: model.KindEndpoint(), Tenant: from.Tenant})
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
	for name, to := range map[string]*bool{"all": &out.All, "probe": &out.Probe} {
		text := q.Get(name)
		if text == "" {
			continue
		}
		var err error
		if *to, err = strconv.ParseBool(text); err != nil {
			return out, model.Errorf(model.CodeInvalid, name, "%q is neither true nor false", text).Try("say %s=true, or leave it away", name)
		}
	}
	return out, nil
}
