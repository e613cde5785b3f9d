// SPDX-License-Identifier: Apache-2.0

package doctor

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/sanitize"
)

// Bounds of acknowledgements.
const (
	maxAcknowledgements = 500
	maxReason           = 300 // bytes
	maxObject           = 300 // bytes
)

// registerAcknowledgements adds the routes by which operators acknowledge findings. The code and the object are in the query, so that the audit has them.
func (d *Doctor) registerAcknowledgements(r *rest.Router) {
	const path = "/api/v1/acknowledgements"
	r.Read(path, func(*http.Request, httprouter.Params) (any, error) { return d.acknowledgements(time.Now()), nil }).Allow(rest.Needs(rights.Read))
	rest.Change(r, path, d.acknowledge).Allow(rest.Needs(rights.Change)).Audit.Verb = "acknowledge"
}

// acknowledgements returns those in force.
func (d *Doctor) acknowledgements(now time.Time) []model.Acknowledgement {
	out := []model.Acknowledgement{}
	d.Catalog.View(func(v *catalog.View) {
		for _, a := range v.Acknowledgements() {
			if now.Before(a.Until) {
				out = append(out, shown(a))
			}
		}
	})
	return out
}

// shown returns an acknowledgement as the API has it.
func shown(a *record.Acknowledgement) model.Acknowledgement {
	out := model.Acknowledgement{Object: a.Object, Reason: a.Reason, By: a.By, At: a.At, Until: a.Until}
	_ = out.Code.UnmarshalText([]byte(a.Code)) // accepts any text
	return out
}

// acknowledge stores an acknowledgement, or ends one, and deletes those that have expired. It blocks until the store has that.
func (d *Doctor) acknowledge(q *http.Request, request model.AcknowledgeRequest) (out model.Acknowledgement, rev uint64, err error) {
	now := time.Now().UTC().Truncate(time.Second)
	a := &record.Acknowledgement{Code: q.URL.Query().Get("code"), Object: q.URL.Query().Get("object"), Reason: request.Reason, By: auth.Of(q.Context()).Name,
		At: now, Until: now.Add(time.Duration(request.Seconds) * time.Second)}
	a.Key = record.AcknowledgementKey(a.Code, a.Object)
	if err := checkAcknowledgement(a, request.Seconds); err != nil {
		return out, 0, err
	}
	at, err := d.Commit.Do(q.Context(), func(tx *commit.Tx) error {
		all, kept := tx.Acknowledgements(), 0
		was := tx.Acknowledged(a.Code, a.Object, now)
		for _, other := range all {
			switch {
			case other.Key == a.Key:
			case now.Before(other.Until):
				kept++
			default:
				tx.Delete(record.Acknowledgements + other.Key)
			}
		}
		switch {
		case request.Seconds > 0 && kept >= maxAcknowledgements:
			return model.Errorf(model.CodeExhausted, "code", "%d findings are acknowledged, which is the maximum", kept).Try("end some with netctl ack rm")
		case request.Seconds > 0:
			return tx.Put(record.Acknowledgements+a.Key, a)
		case was == nil:
			return model.Errorf(model.CodeNotFound, "code", "finding %s about %s is not acknowledged", a.Code, a.Object).Try("netctl ack ls lists those that are")
		}
		a = was
		tx.Delete(record.Acknowledgements + a.Key)
		return nil
	})
	return shown(a), uint64(at), err
}

// checkAcknowledgement checks what an operator acknowledges.
func checkAcknowledgement(a *record.Acknowledgement, seconds int) error {
	object, ok := identity.ParseRef(a.Object)
	known := slices.ContainsFunc(model.FindingCodes(), func(i model.FindingInfo) bool { return i.Code.String() == a.Code })
	switch {
	case !known:
		return model.Errorf(model.CodeInvalid, "code", "code: got %.50q, want the code of a finding", a.Code).Try("netctl status shows the codes of findings")
	case !ok || object.Kind == "" || object.Name == "" || len(a.Object) > maxObject || sanitize.Line(a.Object, maxObject) != a.Object:
		return model.Errorf(model.CodeInvalid, "object", "object: got %.50q, want kind/name", a.Object).Try("netctl status shows the objects of findings, such as host/h1")
	case seconds < 0 || time.Duration(seconds)*time.Second > model.MaxAcknowledged:
		return model.Errorf(model.CodeInvalid, "seconds", "seconds: got %d, want at most %d (30 days)", seconds, int(model.MaxAcknowledged/time.Second)).Try("acknowledge it again later")
	case seconds > 0 && (strings.TrimSpace(a.Reason) == "" || len(a.Reason) > maxReason || sanitize.Line(a.Reason, maxReason) != a.Reason):
		return model.Errorf(model.CodeInvalid, "reason", "reason: got %d bytes, want one line of at most %d", len(a.Reason), maxReason).Try("name the reason, such as the number of a ticket")
	}
	return nil
}

// markAcknowledged adds to findings by whom and until when they are acknowledged.
func markAcknowledged(v *catalog.View, list []model.Finding, now time.Time) {
	for i := range list {
		if a := v.Acknowledged(list[i].Code.String(), list[i].Object, now); a != nil {
			out := shown(a)
			list[i].Acknowledged = &out
		}
	}
}
