// SPDX-License-Identifier: Apache-2.0

package offline

import (
	"net/http"
	"net/url"
	"path"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
)

// recorded answers with a file of the bundle.
func (r *Reader) recorded(file string) httprouter.Handle {
	return func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) {
		if of := q.URL.Query().Get("of"); of != "" {
			r.routes.Refuse(w, q, r.refusal("it has the findings of the whole cluster, not only those of %s", of).Try("ask about everything"))
			return
		}
		text, ok := r.from.File(file)
		if !ok {
			r.routes.Refuse(w, q, model.Errorf(model.CodeUnsupported, "", "the support bundle of %s does not hold this: %s", r.time(), r.from.Manifest.Gaps("cluster", file)))
			return
		}
		w.Header().Set("Content-Type", media(file))
		_, _ = w.Write(text)
	}
}

// media returns the type of a file's content.
func media(file string) string {
	if path.Ext(file) == ".json" {
		return "application/json"
	}
	return "text/plain; charset=utf-8"
}

// handle lets a handler answer a route.
func handle(h http.Handler) httprouter.Handle {
	return func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) { h.ServeHTTP(w, q) }
}

// at returns the URL of a path.
func at(path string) *url.URL { return &url.URL{Path: path} }
