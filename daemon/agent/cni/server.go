// SPDX-License-Identifier: Apache-2.0

// Package cni is the agent's end of CNI: an HTTP service on a unix socket that does the work of the specification for plugins, and also
// answers plugins of earlier builds and of the original. Its part of the agent installs the plugin for the container runtime, too.
package cni

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

	"github.com/containernetworking/cni/pkg/types"
	types100 "github.com/containernetworking/cni/pkg/types/100"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/cni/wire"
	"github.com/contiv/contiv/daemon/agent/attach"
	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/daemon/httpserver"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/ofnet/link"
)

// maxConnections is the maximum number of concurrent requests, above the number that a kubelet and its runtime send.
const maxConnections = 1024

// callTimeout bounds one operation; it is shorter than the plugin's timeout, so that the plugin receives the reason.
const callTimeout = 50 * time.Second

// Attacher is *attach.Engine.
type Attacher interface {
	Attach(ctx context.Context, r attach.Request) (attach.Result, error)
	Detach(ctx context.Context, container, ifname string) error
	Check(ctx context.Context, container, ifname, netns string) (attach.Result, error)
	Keep(ctx context.Context, owner string, valid map[[2]string]bool) error
}

// ServerOptions are the dependencies of a Server.
type ServerOptions struct {
	Socket      string // path of the unix socket
	Mesos       bool   // for Mesos: the original's plugin for Mesos is served, not that for Kubernetes
	Attacher    Attacher
	Publisher   Publisher       // nil: ports of the host lead nowhere
	Starting    func() []string // what the agent still needs before it can work; empty once it has it
	Waiting     func() []string // what it waits for now, for STATUS; operations may be tried nevertheless
	Cut         func() bool     // whether the switch is away, so that containers may have lost connectivity, for STATUS
	WaitTimeout time.Duration   // how long a request waits for missing components, as after a start of the agent or of a netmaster
	Traces      *tracing.Recorder
	Log         *slog.Logger
}

// Server is the CNI service. It is a task.
type Server struct {
	ServerOptions
	ready chan struct{}
}

// NewServer returns a Server; Run serves.
func NewServer(o ServerOptions) *Server { return &Server{ServerOptions: o, ready: make(chan struct{})} }

// String names the server for logs.
func (s *Server) String() string {
	if s.Mesos {
		return "CNI for Mesos at " + s.Socket
	}
	return "CNI at " + s.Socket
}

// Ready is closed once the socket is listened to.
func (s *Server) Ready() <-chan struct{} { return s.ready }

// Run serves until ctx ends; requests in progress may finish within five seconds.
func (s *Server) Run(ctx context.Context) error {
	l, err := httpserver.ListenUnix(s.Socket)
	if err != nil {
		flag := "--cni-socket"
		if s.Mesos {
			flag = "--mesos-socket"
		}
		return fmt.Errorf("CNI (check %s): %w", flag, err)
	}
	srv := httpserver.NewServer(s.Handler(), httpserver.Ordinary(), s.Log)
	close(s.ready)
	return httpserver.Serve(ctx, srv, httpserver.NewConnections(maxConnections, 0).Listen(l))
}

// Handler is the service without its socket.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST "+wire.PathCall, s.call)
	for path := range s.handlers() {
		mux.HandleFunc("POST "+path, s.legacy)
	}
	if s.Mesos {
		mux.HandleFunc("POST "+pathMesosAdd, s.addMesos)
		mux.HandleFunc("POST "+pathMesosDel, s.delMesos)
	} else {
		mux.HandleFunc("POST "+pathAddPod, s.addPod)
		mux.HandleFunc("POST "+pathDelPod, s.delPod)
	}
	ended := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { mux.ServeHTTP(httpserver.Whole(w), r) })
	return httpserver.Recovered(s.Log, func() {}, ended)
}

func decode(r io.Reader, v any) error {
	if err := json.NewDecoder(io.LimitReader(r, wire.MaxCall)).Decode(v); err != nil {
		return fmt.Errorf("read request: %w", err)
	}
	return nil
}

func reply(w http.ResponseWriter, status int, v any) {
	body, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the plugin may be gone
}

// cniError chooses the specification's code for an error.
func cniError(err error) *types.Error {
	var e *types.Error
	text, remedy := model.Parted(err)
	switch {
	case errors.As(err, &e):
		return e
	case errors.Is(err, link.ErrNoNamespace), errors.Is(err, attach.ErrUnknown):
		return types.NewError(types.ErrUnknownContainer, text, remedy)
	case errors.Is(err, hostaccess.ErrPublish):
		return types.NewError(types.ErrInternal, text, remedy)
	case errors.Is(err, attach.ErrInvalid):
		return types.NewError(types.ErrInvalidEnvironmentVariables, text, remedy)
	}
	if refused, ok := errors.AsType[*model.Error](err); ok {
		switch refused.Code {
		case model.CodeInvalid, model.CodeNotFound, model.CodeUnsupported:
			return types.NewError(types.ErrInvalidNetworkConfig, text, remedy)
		case model.CodeExhausted, model.CodeConflict, model.CodeInUse:
			return types.NewError(types.ErrInternal, text, remedy)
		}
	}
	return types.NewError(types.ErrTryAgainLater, text, remedy)
}

// owner is the owner of an attachment, for garbage collection: a network configuration.
func owner(conf *Conf) string { return "cni/" + conf.Name }

func (s *Server) add(ctx context.Context, r request, conf *Conf) (*types100.Result, error) {
	if err := s.serving(ctx); err != nil {
		return nil, err
	}
	args, err := parseArgs(r.Args)
	if err != nil {
		return nil, types.NewError(types.ErrInvalidEnvironmentVariables, err.Error(), "")
	}
	if err := conf.Runtime.check(s.Publisher); err != nil {
		return nil, err
	}
	res, err := s.attach(ctx, r, args, conf)
	if err != nil {
		return nil, err
	}
	if err := s.publish(ctx, &res, conf); err != nil {
		return nil, errors.Join(err, s.Attacher.Detach(ctx, r.ContainerID, r.IfName))
	}
	return cniResult(&res, conf), nil
}

func (s *Server) attach(ctx context.Context, r request, args map[string]string, conf *Conf) (attach.Result, error) {
	if s.Mesos && conf.Args.Mesos == nil {
		mesos, err := mesosFileArgs(r.Netns)
		if err != nil {
			return attach.Result{}, types.NewError(types.ErrIOFailure, err.Error(), "")
		}
		conf.Args.Mesos = mesos
	}
	master, err := masterOf(conf)
	if err != nil {
		return attach.Result{}, err
	}
	four, six, err := conf.Runtime.addresses()
	if err != nil {
		return attach.Result{}, err
	}
	limits, err := conf.Runtime.Bandwidth.request()
	if err != nil {
		return attach.Result{}, err
	}
	q := attach.Request{Bandwidth: limits, ContainerID: r.ContainerID, IfName: r.IfName, Netns: r.Netns, Owner: owner(conf), IPv4: four, IPv6: six, MAC: conf.Runtime.MAC}
	identify(&q, args, conf)
	return s.Attacher.Attach(client.Prefer(ctx, master), q)
}

func (s *Server) del(ctx context.Context, r request, _ *Conf) (*types100.Result, error) {
	if r.ContainerID == "" {
		return nil, fmt.Errorf("%w: container id is missing", attach.ErrInvalid)
	}
	if err := s.serving(ctx); err != nil {
		return nil, err
	}
	return nil, s.Attacher.Detach(ctx, r.ContainerID, r.IfName)
}

// check compares the interface with the stored attachment, and with the runtime's cached result.
func (s *Server) check(ctx context.Context, r request, conf *Conf) (*types100.Result, error) {
	if err := s.serving(ctx); err != nil {
		return nil, err
	}
	res, err := s.Attacher.Check(ctx, r.ContainerID, r.IfName, r.Netns)
	if err != nil {
		return nil, checkError(err)
	}
	if err := s.checkPublished(&res, conf); err != nil {
		return nil, err
	}
	prev, err := previous(r.Config, conf)
	if err != nil {
		return nil, types.NewError(types.ErrDecodingFailure, err.Error(), "")
	}
	if prev == nil {
		return nil, nil
	}
	have := map[string]bool{}
	for _, a := range res.Addrs {
		have[a.String()] = true
	}
	for _, ip := range prev.IPs {
		if mine(prev, ip, r.IfName) && !have[ip.Address.String()] {
			return nil, types.NewError(types.ErrInternal, fmt.Sprintf("prevResult has address %s, the endpoint has %v",
				ip.Address.String(), res.Addrs), "")
		}
	}
	return nil, nil
}

// checkError makes a difference found by CHECK a permanent error: a retry would not help.
func checkError(err error) error {
	if e := cniError(err); e.Code != types.ErrTryAgainLater {
		return e
	}
	return types.NewError(types.ErrInternal, err.Error(), "")
}

// serving returns an error if the agent cannot serve yet.
func (s *Server) serving(ctx context.Context) error {
	if err := notReady(s.await(ctx, s.Starting)); err != nil {
		return err
	}
	return nil
}

// pollInterval is the interval at which a waiting request checks again.
const pollInterval = 20 * time.Millisecond

// await waits until nothing is missing, up to the wait timeout, and returns what still is.
func (s *Server) await(ctx context.Context, missing func() []string) []string {
	for end := time.Now().Add(s.WaitTimeout); ; {
		still := missing()
		if len(still) == 0 || !time.Now().Before(end) {
			return still
		}
		select {
		case <-time.After(pollInterval):
		case <-ctx.Done():
			return still
		}
	}
}

func notReady(waiting []string) *types.Error {
	if len(waiting) > 0 {
		return types.NewError(types.ErrTryAgainLater, "contiv agent is not ready", "it waits for: "+strings.Join(waiting, "; "))
	}
	return nil
}

func (s *Server) status(ctx context.Context, _ request, _ *Conf) (*types100.Result, error) {
	err := notReady(s.await(ctx, func() []string { return append(s.Starting(), s.Waiting()...) }))
	switch {
	case err == nil:
		return nil, nil
	case s.Cut():
		return nil, types.NewError(types.ErrLimitedConnectivity, err.Msg, err.Details)
	}
	return nil, types.NewError(types.ErrPluginNotAvailable, err.Msg, err.Details)
}

func (s *Server) gc(ctx context.Context, r request, conf *Conf) (*types100.Result, error) {
	if err := s.serving(ctx); err != nil {
		return nil, err
	}
	valid := map[[2]string]bool{}
	for _, a := range conf.ValidAttachments {
		valid[[2]string{a.ContainerID, a.IfName}] = true
	}
	return nil, s.Attacher.Keep(ctx, owner(conf), valid)
}
