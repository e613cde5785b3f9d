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

// DefaultAgentSocket is where a Door finds its host's agent, unless another path is named.
const DefaultAgentSocket = "/run/contiv/contiv-docker.sock"

// restart is how long a request waits for an agent that has just gone: longer than a service manager takes to start it again, or an upgrade
// to replace it. An engine that starts or stops is held up by no more than that, altogether.
const restart = 5 * time.Second

// answerLimit bounds how long an agent may take that is there: a little longer than it gives itself.
const answerLimit = patience + callLimit + 5*time.Second

// Door serves a host's engine where it looks for the driver, in a process of its own that outlives agents. What the driver always says it says
// itself; all else it passes on to the agent as it comes, or refuses at once while there is none. An engine that gets no answer repeats each
// request for 15 seconds, one after the other, and one that is refused the driver's capabilities after its activation asks for neither again
// until it is restarted (pkg/plugins and libnetwork/drivers/remote of moby). It is a task.
type Door struct {
	socket, agent string
	global        bool
	log           *slog.Logger
	presence      *presence
	missed        *missed
	restart       time.Duration
	ready         chan struct{}
}

// NewDoor returns a Door at a socket to the agent at another; Run serves. global is as in Options.
func NewDoor(socket, agent string, global bool, log *slog.Logger) *Door {
	d := &Door{socket: socket, agent: agent, global: global, log: log, presence: newPresence(agent, log), restart: restart, ready: make(chan struct{})}
	// A connection to each request: one that an agent has left behind is found out only by the request that it loses.
	d.missed = &missed{RoundTripper: &http.Transport{DialContext: d.dial, DisableKeepAlives: true, DisableCompression: true, ResponseHeaderTimeout: answerLimit}}
	return d
}

// String names the door for logs.
func (d *Door) String() string { return "door for Docker at " + d.socket }

// Ready is closed once the socket is listened to.
func (d *Door) Ready() <-chan struct{} { return d.ready }

// Run serves until ctx ends; requests under way may finish within five seconds.
func (d *Door) Run(ctx context.Context) error {
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

func (d *Door) handler() http.Handler {
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

// dial connects to the agent, and waits for one that has just gone, or has more to do than it takes.
func (d *Door) dial(ctx context.Context, _, _ string) (net.Conn, error) {
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

// reason is why a request was not answered, for who has given the command.
func (d *Door) reason(err error) error {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return model.Errorf(model.CodeNotReady, "", "contiv agent is not running, since %s", time.Now().Add(-d.presence.away()).Format(time.TimeOnly)).
			Try("start netplugin on this host; its log says why it ended")
	}
	return model.Errorf(model.CodeUnavailable, "", "contiv agent ended before it answered, or took more than %s", answerLimit).Because(err).Try("repeat the command")
}
