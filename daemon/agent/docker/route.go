package docker

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// maxRequest bounds a request: options of a network with a thousand labels are below 200 kB.
const maxRequest = 4 << 20

// contentType is what engines send and accept.
const contentType = "application/vnd.docker.plugins.v1.1+json"

// register adds the routes of both drivers.
func (d *Driver) register(mux *http.ServeMux) {
	always(d, mux, "/Plugin.Activate", func(struct{}) any { return activation{Implements: []string{"NetworkDriver", "IpamDriver"}} })
	always(d, mux, "/Plugin.Deactivate", func(struct{}) any { return empty{} })

	const n = "/NetworkDriver."
	always(d, mux, n+"GetCapabilities", d.capabilities)
	route(d, mux, n+"CreateNetwork", patiently(d, d.createNetwork))
	route(d, mux, n+"DeleteNetwork", whenReady(d, d.deleteNetwork))
	route(d, mux, n+"AllocateNetwork", patiently(d, d.allocateNetwork))
	route(d, mux, n+"FreeNetwork", whenReady(d, d.freeNetwork))
	route(d, mux, n+"CreateEndpoint", patiently(d, d.createEndpoint))
	route(d, mux, n+"DeleteEndpoint", d.remembering(whenReady(d, d.deleteEndpoint)))
	route(d, mux, n+"EndpointOperInfo", whenReady(d, d.operInfo))
	route(d, mux, n+"Join", patiently(d, d.join))
	route(d, mux, n+"Leave", d.leave)
	route(d, mux, n+"ProgramExternalConnectivity", patiently(d, d.publish))
	route(d, mux, n+"RevokeExternalConnectivity", whenReady(d, d.unpublish))
	always(d, mux, n+"DiscoverNew", func(json.RawMessage) any { return empty{} })
	always(d, mux, n+"DiscoverDelete", func(json.RawMessage) any { return empty{} })

	const i = "/IpamDriver."
	always(d, mux, i+"GetCapabilities", func(json.RawMessage) any { return ipamCapabilities{} })
	always(d, mux, i+"GetDefaultAddressSpaces", func(json.RawMessage) any {
		return addressSpaces{LocalDefaultAddressSpace: addressSpace, GlobalDefaultAddressSpace: addressSpace}
	})
	route(d, mux, i+"RequestPool", patiently(d, d.requestPool))
	always(d, mux, i+"ReleasePool", func(releasePoolRequest) any { return empty{} }) // nothing was kept of it
	route(d, mux, i+"RequestAddress", patiently(d, d.requestAddress))
	route(d, mux, i+"ReleaseAddress", whenReady(d, d.releaseAddress))
}

// always adds a route that can be answered at any time. What is sent is read, as far as it can be.
func always[Q any](d *Driver, mux *http.ServeMux, path string, do func(Q) any) {
	mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
		var q Q
		if err := decode(r.Body, &q); err != nil && !errors.Is(err, io.EOF) { // many have no body
			d.refuse(w, path, err)
			return
		}
		reply(w, http.StatusOK, do(q))
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
		if len(d.Starting()) == 0 {
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
			d.refuse(w, path, err)
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
func (d *Driver) refuse(w http.ResponseWriter, path string, err error) {
	d.Log.Warn("Docker", "path", path, "error", err)
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
