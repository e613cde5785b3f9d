// SPDX-License-Identifier: Apache-2.0

// Package offline answers as a netmaster of a cluster would have, from a support bundle of it: with the engines of a netmaster over the
// records of the bundle, and with the reports of daemons in it. It changes nothing, and sends no requests.
package offline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/contiv/contiv/api/bundle"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/history"
	"github.com/contiv/contiv/daemon/master/server/earlier"
	"github.com/contiv/contiv/daemon/master/server/find"
	"github.com/contiv/contiv/daemon/master/server/historyapi"
	"github.com/contiv/contiv/daemon/master/server/inspect"
	"github.com/contiv/contiv/daemon/master/server/objects"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/master/server/probe"
	"github.com/contiv/contiv/daemon/master/server/supportbundle"
	"github.com/contiv/contiv/daemon/master/why"
	"github.com/contiv/contiv/daemon/store"
)

// Reader answers from one bundle. It is safe for concurrent use.
type Reader struct {
	from    *bundle.Bundle
	catalog *catalog.Catalog
	routes  *rest.Router
	packets http.Handler // answers why, as a live netmaster
	moments http.Handler // answers also about earlier moments
}

// New returns a Reader of a bundle. It logs unreadable records, as a netmaster does.
func New(b *bundle.Bundle, log *slog.Logger) (*Reader, error) {
	items, err := items(b)
	if err != nil {
		return nil, err
	}
	r := &Reader{from: b, catalog: catalog.New(), routes: rest.NewRouter(log)}
	if err := r.catalog.Apply(store.Update{Full: true, Items: items, Revision: store.Revision(b.Manifest.Revision)}, log); err != nil {
		return nil, err
	}
	peers := peer.New(r.catalog, peer.Transport{HTTP: &http.Client{Transport: daemons{b}}})
	// the history is what the bundle has
	keep := history.Keep{Records: math.MaxInt32, Age: time.Duration(math.MaxInt64), Now: func() time.Time { return b.Manifest.Made }}
	(&objects.Objects{Inspector: inspect.Inspector{Catalog: r.catalog, Peers: peers, ClusterMode: b.Manifest.Mode}, Log: log}).Register(r.routes)
	(&historyapi.Past{Catalog: r.catalog, Keep: keep}).Register(r.routes)
	find.New(r.catalog).Register(r.routes)
	peers.Register(r.routes, log)
	packets := rest.NewRouter(log)
	probe.Questions(packets, r.catalog, why.New(r.catalog, r.trace, nil, keep))
	r.packets = packets
	r.routes.GET("/api/v1/why", r.why)
	r.routes.GET("/api/v1/matrix/:namespace", handle(packets))
	for _, q := range supportbundle.Questions() {
		if r.routes.Match(&http.Request{Method: http.MethodGet, URL: at(q.Path)}) == nil {
			r.routes.GET(q.Path, r.recorded(q.File))
		}
	}
	r.routes.GET("/metrics", r.recorded(bundle.OfMaster(b.Manifest.From, "metrics.txt")))
	r.routes.GET("/api/v1/nodes/self", r.recorded(bundle.OfMaster(b.Manifest.From, "self.json")))
	r.routes.GET(supportbundle.LogPath, r.recorded(bundle.OfMaster(b.Manifest.From, "log.txt")))
	r.moments = earlier.New(r.catalog, keep, log).Handler(r.routes)
	return r, nil
}

// items returns the records of a bundle, as a list of the store.
func items(b *bundle.Bundle) (out []store.Item, err error) {
	for _, name := range b.Names(bundle.Records) {
		text, _ := b.File(name)
		lines := bufio.NewReader(bytes.NewReader(text))
		for n := 1; ; n++ {
			line, err := lines.ReadBytes('\n')
			if len(line) == 0 {
				break
			}
			var r bundle.Record
			if err := json.Unmarshal(line, &r); err != nil {
				return nil, fmt.Errorf("the support bundle cannot be read: %s, line %d: %w", name, n, err)
			}
			value := []byte(r.Value)
			if r.Value == nil {
				value = r.Bytes
			}
			out = append(out, store.Item{Key: r.Key, Value: value, Revision: store.Revision(r.Revision), Created: store.Revision(r.Created)})
			if err != nil {
				break
			}
		}
	}
	return out, nil
}

// readOnlySubject is the subject of every reader of a bundle, which has no permissions of users.
func readOnlySubject() auth.Subject {
	return auth.Subject{Grants: rights.Grants{{Role: rights.Viewer}, {Role: rights.Role(rights.Relay)}}}
}

// ServeHTTP answers a request, unless it would change something or the bundle lacks the answer.
func (r *Reader) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	route := r.routes.Match(q)
	switch {
	case q.Method != http.MethodGet:
		r.routes.Refuse(w, q, r.refusal("it is read only").Try("change the cluster itself: leave out --bundle"))
	case route == nil:
		r.routes.Refuse(w, q, r.refusal("it does not hold what GET %s answers", q.URL.Path).Try("ask the cluster itself: leave out --bundle"))
	case route.Kind != nil && route.Kind.Guarded:
		r.routes.Refuse(w, q, r.refusal("it has no %s: a bundle leaves out accounts and permissions", route.Kind.Nouns()).Try("ask the cluster itself: leave out --bundle"))
	default:
		r.moments.ServeHTTP(w, q.WithContext(auth.With(q.Context(), readOnlySubject())))
	}
}

// refusal returns the error for something that a bundle lacks.
func (r *Reader) refusal(format string, args ...any) *model.Error {
	return model.Errorf(model.CodeUnsupported, "", "this is a support bundle of %s: %s", r.time(), fmt.Sprintf(format, args...))
}

// time returns when the bundle was made.
func (r *Reader) time() string { return made(r.from) }

func made(b *bundle.Bundle) string { return b.Manifest.Made.UTC().Format(time.RFC3339) }
