// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api"
	"github.com/contiv/contiv/api/model"
)

// MaxBody is the largest request body in bytes; a longer one is refused before it is read whole.
const MaxBody = 1 << 20

// Mount adds the routes of every kind, the watch stream and the OpenAPI document to r.
func Mount(r *Router, b Backend) {
	s := &server{r, b}
	for _, k := range model.Kinds() {
		s.mount(k)
	}
	for _, route := range r.routes {
		if route.Kind != nil {
			route.Allow(Users())
		}
	}
	watch := r.GET("/api/v1/watch", s.watch).Allow(Users())
	watch.Stream, watch.Bound = true, "watches"
	r.GET("/api/v1/openapi.yaml", func(w http.ResponseWriter, _ *http.Request, _ httprouter.Params) {
		w.Header().Set("Content-Type", "application/yaml")
		_, _ = w.Write(api.OpenAPI)
	}).Allow(Users())
}

type server struct {
	*Router
	backend Backend
}

func (s *server) mount(k *model.Kind) {
	one := "/api/v1/" + k.Plural + "/:key/"
	s.Read("/api/v1/inspect/"+k.Plural+"/:key/", func(q *http.Request, p httprouter.Params) (any, error) {
		return s.backend.Inspect(q.Context(), k, p.ByName("key"))
	}).Kind = k
	s.GET("/api/v1/"+k.Plural+"/", func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) { s.list(w, q, k) }).Kind = k
	if k.InspectOnly {
		return
	}
	s.Read(one, func(q *http.Request, p httprouter.Params) (any, error) {
		return s.backend.Get(q.Context(), k, p.ByName("key"))
	}).Kind = k
	if !k.Writable() {
		for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete} {
			s.Handle(method, one, func(w http.ResponseWriter, q *http.Request, _ httprouter.Params) { s.Refuse(w, q, k.Owned()) }).Kind = k
		}
		return
	}
	put := func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		if err := s.backend.MayChange(q.Context(), k, p.ByName("key")); err != nil {
			s.Refuse(w, q, err)
			return
		}
		object, err := decode(q.Body, k, p.ByName("key"))
		if err != nil {
			s.Refuse(w, q, err)
			return
		}
		stored, rev, err := s.backend.Put(q.Context(), object, Repeated(q))
		s.Answer(w, q, stored, rev, err)
	}
	s.POST(one, put).Kind = k
	s.Handle(http.MethodPut, one, put).Kind = k
	s.Handle(http.MethodDelete, one, func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		rev, err := s.backend.Delete(q.Context(), k, p.ByName("key"), Repeated(q))
		s.Answer(w, q, p.ByName("key"), rev, err)
	}).Kind = k
}

// Repeated reports whether a request was sent before and may have been carried out.
func Repeated(q *http.Request) bool { return q.Header.Get(model.RepeatHeader) != "" }

// decode reads an object, checks that its fields make the key of the URL, fills defaults and validates.
func decode(body io.Reader, k *model.Kind, key string) (model.Object, error) {
	object := k.New()
	if err := readLong(body, MaxBody, object); err != nil {
		return nil, err
	}
	if made := object.ObjectKey(); made != key {
		return nil, model.Errorf(model.CodeInvalid, k.Key[len(k.Key)-1], "Invalid Key").
			Try("the URL names %q but the fields %s of the body make %q", key, strings.Join(k.Key, ", "), made)
	}
	object.SetKey(key)
	object.SetDefaults()
	if err := object.Validate(); err != nil {
		return nil, err
	}
	return object, nil
}

// ReadBody reads a body up to a maximum number of bytes. Refusals are *model.Error.
func ReadBody(body io.Reader, most int) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(body, int64(most)+1))
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, model.Errorf(model.CodeTooSlow, "", "the body is too slow: only %d bytes have arrived in time", len(text)).Because(err)
	case err != nil:
		return nil, model.Errorf(model.CodeInvalid, "", "read the body: %v", err)
	case len(text) > most:
		return nil, model.Errorf(model.CodeTooLarge, "", "the body is larger than %d bytes", most)
	}
	return text, nil
}

// readLong decodes one JSON value of at most the given number of bytes into out. Refusals are *model.Error.
func readLong(body io.Reader, most int, out any) error {
	text, err := ReadBody(body, most)
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return model.Errorf(model.CodeInvalid, "", "EOF").Try("the body is empty; it must be a JSON object")
	}
	if err := json.Unmarshal(text, out); err != nil {
		if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
			return model.Errorf(model.CodeInvalid, wrong.Field, "%v", err).Try("%s takes a %s, got a %s", wrong.Field, wrong.Type, wrong.Value)
		}
		return model.Errorf(model.CodeInvalid, "", "%v", err).Try("the body must be one JSON object")
	}
	return nil
}

// Answer writes v as JSON, or err in the client's format.
func (r *Router) Answer(w http.ResponseWriter, q *http.Request, v any, rev uint64, err error) {
	if err != nil {
		r.Refuse(w, q, err)
		return
	}
	if rev > 0 {
		w.Header().Set(model.RevisionHeader, strconv.FormatUint(rev, 10))
	}
	if pieces, ok := v.(Spliced); ok {
		pieces.write(w)
		return
	}
	text, err := json.Marshal(v)
	if err != nil {
		r.Refuse(w, q, model.Errorf(model.CodeInternal, "", "encode the answer: %v", err).Because(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(append(text, '\n'))
}

// Refuse writes an error. A request without an Accept header comes from a client of the original and gets 500 and the
// message as plain text, or 401, 403 and 408; any other gets the true status and application/problem+json.
func (r *Router) Refuse(w http.ResponseWriter, q *http.Request, err error) {
	e := model.AsError(err)
	if e.Code == model.CodeInternal {
		r.log.Error("request failed", "method", q.Method, "path", q.URL.Path, "error", err)
	}
	p := e.Problem()
	if q.Header.Get("Accept") == "" {
		status := http.StatusInternalServerError
		if e.Code == model.CodeUnproved || e.Code == model.CodeDenied || e.Code == model.CodeTooSlow { // the original's proxy uses these codes, and its clients know them
			status = p.Status
		}
		http.Error(w, e.Message, status)
		return
	}
	text, _ := json.Marshal(p)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(text, '\n'))
}
