// SPDX-License-Identifier: Apache-2.0

// Package joinapi serves how hosts join and leave the cluster, and the certificates by which they prove that they are part of it.
package joinapi

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/health"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/part"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Enrolling is what the routes need.
type Enrolling struct {
	Own         string             // address of this netmaster, "host:port"; "": not known
	Incarnation record.Incarnation // of the store; the zero value: hosts that join do not receive it
	Enroll      *membership.Enroller
	Catalog     *catalog.Catalog
	Endpoints   *endpoint.Service
	Nodes       func(ctx context.Context) []model.Node // asks all daemons how they are
	Cluster
	// Sender returns the identity of the sender of a request, as proved to this netmaster or to the one that has passed it on; the zero Identity: nothing is proved.
	Sender func(q *http.Request) trust.Identity
}

// Cluster is what a host that joins receives of the cluster.
type Cluster struct {
	Settings model.ClusterSettings // the forwarding mode is that of a new cluster
	Store    model.StoreSettings
	Self     string // name of this netmaster as its certificate has it
}

// Part returns the part of membership: its routes, and the rotation of the authority.
func (s *Enrolling) Part() part.Part {
	return part.Part{
		Routes: []func(*rest.Router){s.Register},
		Duties: []func(context.Context){s.Enroll.Run},
		Facts:  []func(*health.Snapshot){func(f *health.Snapshot) { f.Rotation = s.Enroll.Rotation(f.Nodes) }},
	}
}

// Register adds the routes.
func (s *Enrolling) Register(r *rest.Router) {
	rest.Change(r, "/api/v1/join", s.join).Allow(rest.Everyone(rest.Open{Body: 64 << 10, Text: 32 << 10, Fails: 10, Pause: 10 * time.Second}))
	r.Read("/api/v1/leave", s.aboard).Allow(rest.Needs(rights.Manage, trust.Agent, trust.Master))
	rest.Change(r, "/api/v1/drain", s.drain).Allow(rest.Needs(rights.Manage, trust.Agent, trust.Master))
	rest.Change(r, "/api/v1/leave", s.leave).Allow(rest.Needs(rights.Manage, trust.Agent, trust.Master))
	rest.Change(r, "/api/v1/readdress", func(q *http.Request, request model.ReaddressRequest) (model.ReaddressAnswer, uint64, error) {
		out, rev, err := s.Enroll.Readdress(q.Context(), request, s.Sender(q))
		if err == nil {
			out.Netmasters = s.netmasters()
		}
		return out, rev, err
	}).Allow(rest.Needs(rights.Manage, trust.Agent, trust.Master))
	r.Read(channel.AuthorityPath, func(*http.Request, httprouter.Params) (any, error) { return s.Enroll.Authorities() }).Allow(rest.Needs(rights.Read, trust.Agent))
	r.Read("/api/v1/authority", func(q *http.Request, _ httprouter.Params) (any, error) {
		return s.Enroll.Rotation(s.Nodes(q.Context())), s.operator(q)
	}).Allow(rest.Needs(rights.Manage, trust.Master))
	rest.Change(r, "/api/v1/authority", func(q *http.Request, request model.RotateRequest) (model.Rotation, uint64, error) {
		if err := s.operator(q); err != nil {
			return model.Rotation{}, 0, err
		}
		return s.Enroll.Rotate(q.Context(), request, s.Sender(q), s.Nodes(q.Context()))
	}).Allow(rest.Needs(rights.Manage, trust.Master))
	r.Read("/api/v1/tokens", func(q *http.Request, _ httprouter.Params) (any, error) { return s.tokens(), s.operator(q) }).Allow(rest.Needs(rights.Manage, trust.Master))
	rest.Change(r, "/api/v1/tokens", s.makeToken).Allow(rest.Needs(rights.Manage, trust.Master))
	r.Handle(http.MethodDelete, "/api/v1/tokens/:id", func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		rev, err := uint64(0), s.operator(q)
		if err == nil {
			rev, err = s.Enroll.RemoveToken(q.Context(), p.ByName("id"))
		}
		var e *model.Error
		if rest.Repeated(q) && errors.As(err, &e) && e.Code == model.CodeNotFound {
			err = nil // the request was carried out when it was sent before
		}
		r.Answer(w, q, p.ByName("id"), rev, err)
	}).Allow(rest.Needs(rights.Manage, trust.Master))
	r.Read("/api/v1/certificates", func(q *http.Request, _ httprouter.Params) (any, error) { return s.certificates(), s.operator(q) }).Allow(rest.Needs(rights.Manage, trust.Master))
	rest.Change(r, "/api/v1/certificates", func(q *http.Request, request model.RecordRequest) (string, uint64, error) {
		if err := s.operator(q); err != nil {
			return "", 0, err
		}
		rev, err := s.Enroll.Record(q.Context(), request.Certificates, s.Sender(q))
		return "recorded", rev, err
	}).Allow(rest.Needs(rights.Manage, trust.Master))
	rest.Change(r, "/api/v1/certificates/renew", func(q *http.Request, request model.RenewRequest) (model.RenewAnswer, uint64, error) {
		return s.Enroll.Renew(q.Context(), request.Request, s.Sender(q))
	}).Allow(rest.Only(trust.Master, trust.Agent, trust.User, trust.Monitor))
	rest.Change(r, "/api/v1/certificates/renew-ended", func(q *http.Request, request model.RenewEndedRequest) (model.RenewAnswer, uint64, error) {
		return s.Enroll.RenewEnded(q.Context(), request)
	}).Allow(rest.Everyone(rest.Open{Body: 64 << 10, Text: 32 << 10, Fails: 10, Pause: 10 * time.Second}))
	rest.Change(r, "/api/v1/certificates/revoke", func(q *http.Request, request model.RevokeRequest) ([]string, uint64, error) {
		if err := s.operator(q); err != nil {
			return nil, 0, err
		}
		return s.Enroll.Revoke(q.Context(), request, s.Sender(q))
	}).Allow(rest.Needs(rights.Manage, trust.Master))
}

// operator refuses who is neither a user nor a netmaster: what an agent, or someone who has proved nothing, could do here would make them one. Which users may
// is decided before.
func (s *Enrolling) operator(q *http.Request) error {
	who := s.Sender(q)
	if s.Enroll.Trust == "" || who.Role == trust.User || who.Role == trust.Master {
		return nil
	}
	return model.Errorf(model.CodeDenied, "", "only users and netmasters do this").Try("call it with a user's certificate, or on a host with a netmaster")
}

// tokens lists the tokens.
func (s *Enrolling) tokens() []model.JoinTokenInfo {
	out := []model.JoinTokenInfo{}
	s.Catalog.View(func(v *catalog.View) {
		for _, t := range v.JoinTokens() {
			out = append(out, tokenInfo(t))
		}
	})
	return out
}

func tokenInfo(t *record.JoinToken) model.JoinTokenInfo {
	return model.JoinTokenInfo{ID: t.ID, Masters: t.Masters, Replaces: t.Replaces, Uses: t.Uses, Used: t.Used, By: t.By, Made: t.Made, Expires: t.Expires}
}

// makeToken creates a token, and returns it with the netmasters that accept it.
func (s *Enrolling) makeToken(q *http.Request, request model.JoinTokenRequest) (model.JoinToken, uint64, error) {
	if err := s.operator(q); err != nil {
		return model.JoinToken{}, 0, err
	}
	text, made, rev, err := s.Enroll.MakeToken(q.Context(), request, s.Sender(q))
	return model.JoinToken{JoinTokenInfo: tokenInfo(&made), Token: text, Netmasters: s.netmasters()}, rev, err
}

// netmasters are where they are reached.
func (s *Enrolling) netmasters() []string {
	out := []string{}
	s.Catalog.View(func(v *catalog.View) {
		for _, m := range v.Services(record.ServiceMaster) {
			out = append(out, peer.Address(m))
		}
	})
	return ahead(out, s.Own)
}

// ahead puts this netmaster before the others, which may have ended without a trace: after all were lost, a restored store still lists them.
func ahead(list []string, own string) []string {
	if at := slices.Index(list, own); at > 0 {
		return append([]string{own}, slices.Delete(list, at, at+1)...)
	}
	return list
}

// certificates lists the certificates.
func (s *Enrolling) certificates() []model.CertificateInfo {
	out := []model.CertificateInfo{}
	s.Catalog.View(func(v *catalog.View) {
		for _, c := range v.Certificates() {
			out = append(out, model.CertificateInfo{Serial: c.Serial, Identity: c.Identity, Hosts: c.Hosts, By: c.By, Issued: c.Issued, Until: c.Until,
				Revoked: c.Revoked, RevokedBy: c.RevokedBy})
		}
	})
	return out
}
