// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
)

// The names of the parameters of lists, in addition to those of selectors.
const (
	limitParameter    = "limit"
	continueParameter = "continue"
	summaryParameter  = "summary"
)

// list answers with the objects of a kind: all, as the original does, or those selected by the parameters.
func (s *server) list(w http.ResponseWriter, q *http.Request, k *model.Kind) {
	values := q.URL.Query()
	query, of, err := queryOf(k, values)
	if err != nil {
		s.Refuse(w, q, err)
		return
	}
	page, err := s.backend.List(q.Context(), k, query)
	if page.Next != "" {
		of.After = page.Next
		w.Header().Set(model.ContinueHeader, of.String())
	}
	if !asksAnything(values) {
		page.Revision = 0 // the original does not send it
	}
	s.Answer(w, q, Spliced{Head: []byte("["), Items: page.Items, Tail: []byte("]")}, page.Revision, err)
}

// asksAnything reports whether a list request has parameters, which the original's clients never send.
func asksAnything(values url.Values) bool {
	for _, name := range []string{limitParameter, continueParameter, summaryParameter, selector.Fields, selector.Labels} {
		if values.Has(name) {
			return true
		}
	}
	return false
}

// queryOf parses the parameters of a list of a kind, and identifies the list. Errors are *model.Error.
func queryOf(k *model.Kind, values url.Values) (q Query, of token, err error) {
	of = token{Kind: k.Name, Fields: values.Get(selector.Fields), Labels: values.Get(selector.Labels)}
	if q.Selector, err = selector.Parse(k, of.Fields, of.Labels); err != nil {
		return q, of, err
	}
	if q.Limit, err = limitOf(values); err != nil {
		return q, of, err
	}
	if text := values.Get(summaryParameter); text != "" && text != "true" && text != "false" {
		return q, of, model.Errorf(model.CodeInvalid, summaryParameter, "summary: got %q, want true or false", text)
	}
	q.Summary = values.Get(summaryParameter) == "true"
	if text := values.Get(continueParameter); text != "" {
		q.After, err = of.position(text)
	}
	return q, of, err
}

// limitOf parses the maximum number of objects; 0: all.
func limitOf(values url.Values) (int, error) {
	text := values.Get(limitParameter)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, model.Errorf(model.CodeInvalid, limitParameter, "limit: got %q, want a number of objects", text).Try("give a number from 1; 0 or no limit lists all")
	}
	return int(n), nil
}
