// SPDX-License-Identifier: Apache-2.0

package joinapi

import (
	"errors"
	"net/http"
	"slices"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/trust"
)

// join admits a host, and returns what the host needs to know of the cluster.
func (s *Enrolling) join(q *http.Request, request model.JoinRequest) (out model.JoinAnswer, rev uint64, err error) {
	if q.TLS == nil && s.Enroll.Trust != "" {
		return out, 0, model.Errorf(model.CodeDenied, "", "a token has come over a connection that is not encrypted; it has to count as known to others").
			Try("remove it (contiv token rm), and join over https with a new one")
	}
	admit := func() (membership.Admission, uint64, error) {
		if request.Pod != "" {
			return s.Enroll.JoinPod(q.Context(), request)
		}
		return s.Enroll.Join(q.Context(), request, s.Sender(q))
	}
	given, rev, err := admit()
	if err != nil {
		return out, 0, err
	}
	out = model.JoinAnswer{Authority: string(given.Authority), AuthorityKey: string(given.Key), Agent: string(given.Agent), Master: string(given.Master),
		Netmasters: s.netmasters(), Settings: s.Settings, Store: s.Store}
	out.Store.Members, out.Store.Member = given.Members, given.Member
	if i := s.Incarnation; i.ID != "" {
		out.Incarnation = &model.Incarnation{ID: i.ID, Predecessors: i.Predecessors, Cause: string(i.Cause), Created: i.Created}
	}
	s.Catalog.View(func(v *catalog.View) {
		if g := v.Global(); g != nil && g.FwdMode != "" {
			out.Settings.FwdMode = string(g.FwdMode)
		}
	})
	return out, rev, nil
}

// leave removes a host from the cluster: it frees the label and the addresses, removes the member of the store, and revokes the certificates, in this order.
// A host whose removal fails half way is still part of the cluster and may ask again.
func (s *Enrolling) leave(q *http.Request, request model.DepartRequest) (out model.Departed, rev uint64, err error) {
	ctx, who := q.Context(), s.Sender(q)
	out = model.Departed{Revoked: []string{}, Freed: []string{}}
	if err := s.mayLeave(&request, who); err != nil {
		return out, 0, err
	}
	if request.Lost {
		if out.Evidence, err = s.Enroll.Lost(ctx, request.Master, request.Force); err != nil {
			return out, 0, err
		}
	}
	if request.Agent != "" {
		forgotten, at, err := s.Endpoints.Forget(ctx, request.Agent, false)
		var e *model.Error
		if err != nil && (!errors.As(err, &e) || e.Code != model.CodeNotFound) {
			return out, 0, err
		}
		out.Freed, out.Endpoints, rev = append(out.Freed, forgotten.Freed...), forgotten.Endpoints, max(rev, at)
	}
	if request.Master != "" && s.Enroll.Members != nil {
		was, err := s.Enroll.Members.RemoveMember(ctx, request.Master)
		if err != nil {
			return out, 0, err
		}
		if was {
			out.Member = request.Master
		}
		out.Members = s.Enroll.Members.Count()
	}
	for _, gone := range []trust.Identity{{Role: trust.Agent, Name: request.Agent}, {Role: trust.Master, Name: request.Master}} {
		if gone.Name == "" {
			continue
		}
		serials, at, err := s.Enroll.Dismiss(ctx, gone, who)
		if err != nil {
			return out, 0, err
		}
		out.Revoked, rev = append(out.Revoked, serials...), max(rev, at)
	}
	slices.Sort(out.Revoked)
	return out, rev, nil
}

// mayLeave refuses a removal that the sender may not request: an agent may remove only its own host, and the leader stays.
func (s *Enrolling) mayLeave(q *model.DepartRequest, who trust.Identity) error {
	switch {
	case q.Lost && (q.Master == "" || q.Agent != ""):
		return model.Errorf(model.CodeInvalid, "lost", "the request marks an agent, or no one, as lost; only a netmaster can be").Try("use contiv leave --master NAME")
	case q.Force && !q.Lost:
		return model.Errorf(model.CodeInvalid, "force", "force needs lost").Try("use contiv leave --master NAME --force")
	case q.Agent == "" && q.Master == "":
		return model.Errorf(model.CodeInvalid, "agent", "the request names no one who leaves").Try("name an agent, a master or both")
	case who.Role == "" && s.Enroll.Trust != "", who.Role == trust.Monitor:
		return model.Errorf(model.CodeDenied, "", "the request has no certificate of an agent, a netmaster or a user").Try("call contiv leave on the host, or with a user's certificate")
	case who.Role == trust.Agent && (q.Master != "" || q.Agent != who.Name):
		return model.Errorf(model.CodeDenied, "agent", "%s may remove only its own host", who).Try("call contiv leave NAME on a host with a netmaster")
	case q.Master != "" && q.Master == s.Self:
		return model.Errorf(model.CodeInUse, "master", "the netmaster of %s leads", q.Master).Try("netctl leader handover has another one lead; the last one of a cluster cannot leave it")
	}
	return nil
}
