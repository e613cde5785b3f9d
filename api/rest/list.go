package rest

import (
	"net/http"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/selector"
)

// The names of the parameters of lists, beside those of selectors.
const (
	limitParameter    = "limit"
	continueParameter = "continue"
)

// list answers with the objects of a kind: all, as the original does, or those that the parameters ask for.
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
		page.Revision = 0 // of which the original says nothing
	}
	s.Answer(w, q, Spliced{Head: []byte("["), Items: page.Items, Tail: []byte("]")}, page.Revision, err)
}

// asksAnything tells whether a list is asked for other than the original's clients do.
func asksAnything(values url.Values) bool {
	for _, name := range []string{limitParameter, continueParameter, selector.Fields, selector.Labels} {
		if values.Has(name) {
			return true
		}
	}
	return false
}

// queryOf reads the parameters of a list of a kind, and says of which list it is. Errors are *model.Error.
func queryOf(k *model.Kind, values url.Values) (q Query, of token, err error) {
	of = token{Kind: k.Name, Fields: values.Get(selector.Fields), Labels: values.Get(selector.Labels)}
	if q.Selector, err = selector.Parse(k, of.Fields, of.Labels); err != nil {
		return q, of, err
	}
	if q.Limit, err = limitOf(values); err != nil {
		return q, of, err
	}
	if text := values.Get(continueParameter); text != "" {
		q.After, err = of.position(text)
	}
	return q, of, err
}

// limitOf reads how many objects are wanted at once; 0: all.
func limitOf(values url.Values) (int, error) {
	text := values.Get(limitParameter)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil {
		return 0, model.Errorf(model.CodeInvalid, limitParameter, "limit %q is no number of objects", text).Try("it is 1 or more; 0, or leaving it out, is all of them")
	}
	return int(n), nil
}
