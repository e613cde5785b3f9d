// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// maxRequest bounds a request: options of a network with a thousand labels are below 200 kB.
const maxRequest = 4 << 20

// contentType is the type that engines send and accept.
const contentType = "application/vnd.docker.plugins.v1.1+json"

// constants adds the routes whose answers depend only on the drivers' scope.
func constants(mux *http.ServeMux, global bool, log *slog.Logger) {
	answer(mux, log, "/Plugin.Activate", activation{Implements: []string{"NetworkDriver", "IpamDriver"}})
	answer(mux, log, "/Plugin.Deactivate", empty{})

	const n = "/NetworkDriver."
	answer(mux, log, n+"GetCapabilities", capable(global))
	answer(mux, log, n+"Leave", empty{}) // libnetwork moves the interface back, and deletes the endpoint
	answer(mux, log, n+"DiscoverNew", empty{})
	answer(mux, log, n+"DiscoverDelete", empty{})

	const i = "/IpamDriver."
	answer(mux, log, i+"GetCapabilities", ipamCapabilities{})
	answer(mux, log, i+"GetDefaultAddressSpaces", addressSpaces{LocalDefaultAddressSpace: addressSpace, GlobalDefaultAddressSpace: addressSpace})
	answer(mux, log, i+"ReleasePool", empty{}) // there is no state to delete
}

// register adds the routes of both drivers.
func (d *Driver) register(mux *http.ServeMux) {
	constants(mux, d.Global, d.Log)

	const n = "/NetworkDriver."
	route(d, mux, n+"CreateNetwork", withReadyTimeout(d, locally(d.createKept, asking(d, d.createNetwork))))
	route(d, mux, n+"DeleteNetwork", whenReady(d, locally(d.deleteKept, asking(d, d.deleteNetwork))))
	route(d, mux, n+"AllocateNetwork", withReadyTimeout(d, asking(d, d.allocateNetwork)))
	route(d, mux, n+"FreeNetwork", whenReady(d, asking(d, d.freeNetwork)))
	route(d, mux, n+"CreateEndpoint", withReadyTimeout(d, asking(d, d.createEndpoint)))
	route(d, mux, deletePath, d.retryingLater(whenReady(d, d.deleteEndpoint)))
	route(d, mux, n+"EndpointOperInfo", whenReady(d, d.operInfo))
	route(d, mux, n+"Join", withReadyTimeout(d, d.join))
	route(d, mux, n+"ProgramExternalConnectivity", withReadyTimeout(d, d.publish))
	route(d, mux, n+"RevokeExternalConnectivity", whenReady(d, d.unpublish))

	const i = "/IpamDriver."
	route(d, mux, i+"RequestPool", withReadyTimeout(d, locally(d.knownPool, asking(d, d.requestPool))))
	route(d, mux, i+"RequestAddress", withReadyTimeout(d, locally(d.knownGateway, asking(d, d.requestAddress))))
	route(d, mux, i+"ReleaseAddress", whenReady(d, d.releaseAddress))
}

// answer adds a route with a constant answer. It reads the request as far as possible: many have no body.
func answer(mux *http.ServeMux, log *slog.Logger, path string, said any) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var ignored json.RawMessage
		if err := decode(r.Body, &ignored); err != nil && !errors.Is(err, io.EOF) {
			refuse(log, w, path, err)
			return
		}
		reply(w, http.StatusOK, said)
	})
}

// defaultReadyTimeout is how long a request waits for a starting agent: longer than the lease of the registration of one that died with its
// host (10 s). An engine that starts at the same time starts containers once, and waits for a driver without a socket for the same time.
const defaultReadyTimeout = 15 * time.Second

// withReadyTimeout waits for the agent to be ready. Earlier deletions come first: engines count on them.
func withReadyTimeout[Q, A any](d *Driver, do func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	return func(ctx context.Context, q Q) (A, error) {
		for end := time.Now().Add(d.readyTimeout); len(d.Starting()) > 0 && time.Now().Before(end); {
			time.Sleep(d.readyTimeout / 300)
		}
		if len(d.Starting()) == 0 && !d.outage.lasts() {
			d.deleteOwed(ctx)
		}
		return whenReady(d, do)(ctx, q)
	}
}

// whenReady refuses requests before the agent is ready.
func whenReady[Q, A any](d *Driver, do func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	return func(ctx context.Context, q Q) (none A, err error) {
		if waiting := d.Starting(); len(waiting) > 0 {
			return none, model.Errorf(model.CodeNotReady, "", "contiv agent is not ready").Try("it waits for: %s", strings.Join(waiting, "; "))
		}
		return do(ctx, q)
	}
}

// locally answers what the agent knows itself, as own says, without a netmaster. It passes all else on to ask.
func locally[Q, A any](own func(Q) (out A, known bool, err error), ask func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	return func(ctx context.Context, q Q) (A, error) {
		if out, known, err := own(q); known {
			return out, err
		}
		return ask(ctx, q)
	}
}

// route adds a route. An engine that hangs up does not stop the operation half-way.
func route[Q, A any](d *Driver, mux *http.ServeMux, path string, do func(context.Context, Q) (A, error)) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callTimeout)
		defer cancel()
		begin := time.Now()
		var q Q
		err := decode(r.Body, &q)
		var said A
		if err == nil {
			said, err = do(ctx, q)
		}
		if err != nil {
			refuse(d.Log, w, path, err)
			return
		}
		d.Log.Debug("Docker", "path", path, "duration", time.Since(begin))
		reply(w, http.StatusOK, said)
	})
}

func decode(r io.Reader, v any) error {
	if err := json.NewDecoder(io.LimitReader(r, maxRequest)).Decode(v); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	return nil
}

// refuse answers with an error. Engines show its text to the user.
func refuse(log *slog.Logger, w http.ResponseWriter, path string, err error) {
	log.Warn("Docker", "path", path, "error", err)
	reply(w, http.StatusInternalServerError, failure{Err: errorText(err)})
}

// errorText is the text of an error with the name of its field.
func errorText(err error) string {
	var e *model.Error
	if errors.As(err, &e) && e.Field != "" && !strings.Contains(err.Error(), e.Field) {
		return e.Field + ": " + err.Error()
	}
	return err.Error()
}

func reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(status)
	_, _ = w.Write(body) // the engine may be gone
}
