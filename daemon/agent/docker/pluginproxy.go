// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/httpserver"
)

// DefaultAgentSocket is the default socket of the host's agent for a PluginProxy.
const DefaultAgentSocket = "/run/contiv/contiv-docker.sock"

// restart is how long a request waits for an agent that has just ended: longer than a service manager needs to restart it, or an upgrade to
// replace it. It is the maximum total delay of an engine that starts or stops.
const restart = 5 * time.Second

// answerTimeout bounds the answer of a running agent: a little longer than the agent's own limit.
const answerTimeout = defaultReadyTimeout + callTimeout + 5*time.Second

// PluginProxy serves a host's engine at the driver's socket, in a process of its own that outlives agents. It gives constant answers
// itself; it passes all other requests on to the agent, or refuses them at once while there is none. An engine without an answer repeats
// each request for 15 seconds, one after the other, and after a refusal of the driver's capabilities following its activation it requests
// neither again until it is restarted (pkg/plugins and libnetwork/drivers/remote of moby). It is a task.
type PluginProxy struct {
	socket, agent string
	global        bool
	log           *slog.Logger
	presence      *presence
	missed        *missed
	restart       time.Duration
	ready         chan struct{}
}

// NewPluginProxy returns a PluginProxy at a socket to the agent at another; Run serves. global is as in Options.
func NewPluginProxy(socket, agent string, global bool, log *slog.Logger) *PluginProxy {
	d := &PluginProxy{socket: socket, agent: agent, global: global, log: log, presence: newPresence(agent, log), restart: restart, ready: make(chan struct{})}
	// A new connection for each request: a connection to an agent that has ended is only detected by the request that it loses.
	d.missed = &missed{RoundTripper: &http.Transport{DialContext: d.dial, DisableKeepAlives: true, DisableCompression: true, ResponseHeaderTimeout: answerTimeout}}
	return d
}

// String names the proxy for logs.
func (d *PluginProxy) String() string { return "door for Docker at " + d.socket }

// Ready is closed once the socket is listened to.
func (d *PluginProxy) Ready() <-chan struct{} { return d.ready }

// Run serves until ctx ends; requests in progress may finish within five seconds.
func (d *PluginProxy) Run(ctx context.Context) error {
	l, err := httpserver.ListenUnix(d.socket)
	if err != nil {
		return fmt.Errorf("door for Docker (check --docker-plugins and --plugin-name): %w", err)
	}
	looking, end := context.WithCancel(ctx)
	looked := make(chan struct{})
	go func() { defer close(looked); d.presence.watch(looking, d.missed.repay) }()
	defer func() { end(); <-looked }()
	close(d.ready)
	return httpserver.Serve(ctx, httpserver.NewServer(d.handler(), httpserver.Ordinary(), d.log), httpserver.NewConnections(maxConnections, 0).Listen(l))
}

func (d *PluginProxy) handler() http.Handler {
	mux := http.NewServeMux()
	constants(mux, d.global, d.log)
	agent := &url.URL{Scheme: "http", Host: "agent"}
	mux.Handle("POST /", &httputil.ReverseProxy{
		Rewrite:      func(r *httputil.ProxyRequest) { r.SetURL(agent) },
		Transport:    d.missed,
		ErrorHandler: func(w http.ResponseWriter, r *http.Request, err error) { refuse(d.log, w, r.URL.Path, d.reason(err)) },
		ErrorLog:     slog.NewLogLogger(d.log.Handler(), slog.LevelDebug),
	})
	ended := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(httpserver.Whole(w), r) })
	return httpserver.Recovered(d.log, func() {}, ended)
}

// dial connects to the agent, and waits for one that has just ended, or is overloaded.
func (d *PluginProxy) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	for began := time.Now(); ; {
		nc, err := new(net.Dialer).DialContext(ctx, "unix", d.agent)
		if err == nil || max(d.presence.away(), time.Since(began)) >= d.restart {
			return nc, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(d.restart / 100):
		}
	}
}

// reason explains to the user of the engine why a request was not answered.
func (d *PluginProxy) reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return model.Errorf(model.CodeNotReady, "", "contiv agent is not running, since %s", time.Now().Add(-d.presence.away()).Format(time.TimeOnly)).
			Try("start netplugin on this host; its log has the reason for its end")
	}
	return model.Errorf(model.CodeUnavailable, "", "contiv agent ended before it answered, or took more than %s", answerTimeout).Because(err).Try("repeat the command")
}
