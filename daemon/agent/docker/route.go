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

// contentType is what engines send and accept.
const contentType = "application/vnd.docker.plugins.v1.1+json"

// constants adds the routes whose answers depend on nothing but the drivers' scope.
func constants(mux *http.ServeMux, global bool, log *slog.Logger) {
	answer(mux, log, "/Plugin.Activate", activation{Implements: []string{"NetworkDriver", "IpamDriver"}})
	answer(mux, log, "/Plugin.Deactivate", empty{})

	const n = "/NetworkDriver."
	answer(mux, log, n+"GetCapabilities", capable(global))
	answer(mux, log, n+"Leave", empty{}) // libnetwork puts the interface back where it took it, and deletes the endpoint
	answer(mux, log, n+"DiscoverNew", empty{})
	answer(mux, log, n+"DiscoverDelete", empty{})

	const i = "/IpamDriver."
	answer(mux, log, i+"GetCapabilities", ipamCapabilities{})
	answer(mux, log, i+"GetDefaultAddressSpaces", addressSpaces{LocalDefaultAddressSpace: addressSpace, GlobalDefaultAddressSpace: addressSpace})
	answer(mux, log, i+"ReleasePool", empty{}) // nothing was kept of it
}

// register adds the routes of both drivers.
func (d *Driver) register(mux *http.ServeMux) {
	constants(mux, d.Global, d.Log)

	const n = "/NetworkDriver."
	route(d, mux, n+"CreateNetwork", patiently(d, locally(d.createKept, asking(d, d.createNetwork))))
	route(d, mux, n+"DeleteNetwork", whenReady(d, locally(d.deleteKept, asking(d, d.deleteNetwork))))
	route(d, mux, n+"AllocateNetwork", patiently(d, asking(d, d.allocateNetwork)))
	route(d, mux, n+"FreeNetwork", whenReady(d, asking(d, d.freeNetwork)))
	route(d, mux, n+"CreateEndpoint", patiently(d, asking(d, d.createEndpoint)))
	route(d, mux, deletePath, d.remembering(whenReady(d, d.deleteEndpoint)))
	route(d, mux, n+"EndpointOperInfo", whenReady(d, d.operInfo))
	route(d, mux, n+"Join", patiently(d, d.join))
	route(d, mux, n+"ProgramExternalConnectivity", patiently(d, d.publish))
	route(d, mux, n+"RevokeExternalConnectivity", whenReady(d, d.unpublish))

	const i = "/IpamDriver."
	route(d, mux, i+"RequestPool", patiently(d, locally(d.knownPool, asking(d, d.requestPool))))
	route(d, mux, i+"RequestAddress", patiently(d, locally(d.knownGateway, asking(d, d.requestAddress))))
	route(d, mux, i+"ReleaseAddress", whenReady(d, d.releaseAddress))
}

// answer adds a route with an answer that is always the same. What is sent is read, as far as it can be: many have no body.
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

// patience is how long a request waits for an agent that begins: longer than the claim of one lasts that has died with its host (10 s). An
// engine that begins beside it starts containers once, and gives a driver without a socket the same time.
const patience = 15 * time.Second

// patiently waits for the agent to be at work. What engines have deleted before goes first: they count on it.
func patiently[Q, A any](d *Driver, do func(context.Context, Q) (A, error)) func(context.Context, Q) (A, error) {
	return func(ctx context.Context, q Q) (A, error) {
		for end := time.Now().Add(d.patience); len(d.Starting()) > 0 && time.Now().Before(end); {
			time.Sleep(d.patience / 300)
		}
		if len(d.Starting()) == 0 && !d.outage.lasts() {
			d.repay(ctx)
		}
		return whenReady(d, do)(ctx, q)
	}
}

// whenReady refuses what is asked before the agent is at work.
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
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), callLimit)
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

// refuse answers with an error. Engines show its text to who has given the command.
func refuse(log *slog.Logger, w http.ResponseWriter, path string, err error) {
	log.Warn("Docker", "path", path, "error", err)
	reply(w, http.StatusInternalServerError, failure{Err: said(err)})
}

// said is an error with the field that it is about.
func said(err error) string {
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
	_, _ = w.Write(body) // an engine that is gone cannot be told
}
