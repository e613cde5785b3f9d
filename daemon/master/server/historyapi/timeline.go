// SPDX-License-Identifier: Apache-2.0

package historyapi

import (
	"net/url"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/timeline"
	"github.com/contiv/contiv/identity"
)

// timeline is what was found wrong, and when that ended.
func (s *Past) timeline(who *auth.Subject, q url.Values, _ httprouter.Params) (any, error) {
	f := timeline.Filter{Code: q.Get("code"), Host: q.Get("host"), Object: q.Get("object")}
	var err error
	if f.Limit, err = limitOf(q); err != nil {
		return nil, err
	}
	if f.Since, err = sinceOf(q); err != nil {
		return nil, err
	}
	until, err := untilOf(q)
	if err != nil {
		return nil, err
	}
	if f.Until = until.Time; until.Revision > 0 {
		p, err := s.trail().Position(until)
		if err != nil {
			return nil, err
		}
		f.Until = p.Time
	}
	if sees := visibility(who); sees != nil {
		f.Sees = func(object string) bool {
			ref, _ := identity.ParseRef(object)
			return sees(ref.Kind, ref.Name)
		}
	}
	var out []model.TimelineEvent
	s.Catalog.View(func(v *catalog.View) { out = timeline.List(v, f) })
	return out, nil
}

// sinceOf is the time that a question is about the changes from; zero when it names none.
func sinceOf(q url.Values) (time.Time, error) {
	text := q.Get("since")
	if text == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, model.Errorf(model.CodeInvalid, "since", "%q is no time", text).Try("it is a time such as 2030-01-02T15:04:05Z")
	}
	return at, nil
}

// untilOf returns the moment after which nothing is listed; the zero moment lists everything.
func untilOf(q url.Values) (history.Moment, error) {
	m, err := history.ParseMoment(q.Get("until"))
	if err != nil {
		return m, model.Errorf(model.CodeInvalid, "until", "got %q, want a revision or a time", q.Get("until")).Try("use a revision, such as 1234, or a time, such as 2030-01-02T15:04:05Z")
	}
	return m, nil
}
