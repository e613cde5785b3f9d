// SPDX-License-Identifier: Apache-2.0

// Package nodes reports the nodes of the cluster and their state: netmasters, agents, and hosts that should have an agent. It
// returns the counters of their switches.
package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/hostlog"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/dockernet"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/skew"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/trust"
)

// Leadership reports who leads. Its methods do not block.
type Leadership interface {
	Leader() string
	Since() time.Time
	Leading() bool
	// Lock is who leads in the newest term that is known of, and its number; leader is "" once that term has ended.
	Lock() (leader string, term uint64)
}

// Nodes are the members of the cluster, this netmaster among them.
type Nodes struct {
	Catalog    *catalog.Catalog
	Peers      *peer.Peers
	Commit     *commit.Committer
	Endpoints  *endpoint.Service
	Relay      *relay.Relay
	Leadership Leadership
	Store      store.Store
	Embedded   bool   // each of the store's servers is part of a netmaster
	Internal   string // own internal address, "host:port"
	Version    model.Version
	Started    time.Time
	Waiting    func() []string // what is not ready yet
	Answered   func() uint64   // requests
	Networks   *dockernet.Service
	Enroll     *membership.Enroller           // revokes certificates of forgotten hosts
	Kubernetes func() *model.KubernetesStatus // how this netmaster stands with it; nil: it has no address of it
	Snapshots  func() *model.SnapshotStatus   // of the store that this netmaster saves; nil: it saves none
	// Refused returns why daemons of a role at a machine's address were refused a moment ago, "" if they were not; nil: none is.
	Refused   func(host string, role trust.Role) string
	Logs      *hostlog.Logs           // of this netmaster's host; nil: they are not kept
	Resources func() []model.Resource // what this netmaster can run out of, as last measured
	Validity  func() *model.Validity  // of this netmaster's certificate; nil: it has none
	// Proves returns the fingerprints of the authorities that this netmaster trusts, and of the one that has certified it; nil: it is insecure.
	Proves func() (authorities []string, authority string)

	reports archive
}

// Register adds the routes of the cluster's nodes.
func (s *Nodes) Register(r *rest.Router) {
	read := func(path string, answer func(*http.Request) any) *rest.Route {
		return r.Read(path, func(q *http.Request, _ httprouter.Params) (any, error) { return answer(q), nil })
	}
	read("/version", func(*http.Request) any { return s.Version }).Allow(rest.Everyone(rest.Open{}))
	read("/info", func(*http.Request) any { return s.info() }).Allow(rest.Needs(rights.Read, trust.Monitor))
	read("/api/v1/nodes", func(q *http.Request) any { return s.All(q.Context()) }).Allow(rest.Needs(rights.Read, trust.Monitor))
	read("/api/v1/nodes/self", func(*http.Request) any { return s.self() }).Allow(rest.Needs(rights.Read, trust.Master, trust.Monitor))
	r.Read("/api/v1/kubernetes", func(q *http.Request, _ httprouter.Params) (any, error) { return s.kubernetes(q.Context()) }).Allow(rest.Needs(rights.Read))
	rest.Change(r, "/api/v1/nodes/forget", s.forget).Allow(rest.Needs(rights.Change))
	s.registerHealth(r)
}

// forget has a machine that is gone for good lose its host's label and addresses, and the networks of its Docker engine.
func (s *Nodes) forget(q *http.Request, request model.ForgetRequest) (model.Forgotten, uint64, error) {
	out, rev, err := s.Endpoints.Forget(q.Context(), request.Host, request.Release)
	var e *model.Error
	if left := s.dockerNetworks(request.Host); left > 0 && (err == nil || errors.As(err, &e) && e.Code == model.CodeNotFound) {
		rev, err = s.Networks.Forget(q.Context(), request.Host)
	}
	absent := errors.As(err, &e) && e.Code == model.CodeNotFound
	if err == nil || absent { // a host that was certified, and never registered, is to be shut out as others are
		serials, at, failed := s.Enroll.Dismiss(q.Context(), trust.Identity{Role: trust.Agent, Name: request.Host}, trust.Identity{})
		revoked := len(serials)
		switch {
		case failed != nil:
			err = failed
		case absent && revoked > 0:
			out, err = model.Forgotten{Host: request.Host, Freed: []string{}, Endpoints: []string{}}, nil
			fallthrough
		default:
			out.Revoked, rev = revoked, max(rev, at)
		}
	}
	if rest.Repeated(q) && errors.As(err, &e) && e.Code == model.CodeNotFound {
		err = nil // the request was carried out when it was sent before
	}
	return out, rev, err
}

// dockerNetworks is how many networks the Docker engine of a host has, 0 while an agent runs there.
func (s *Nodes) dockerNetworks(host string) (n int) {
	s.Catalog.View(func(v *catalog.View) {
		if !v.Running(host) {
			n = len(v.DockerNetworksAt(host))
		}
	})
	return n
}

// All asks every registered master at once for its state and for the last reports of its agents. It adds hosts that no machine is any longer and that
// have endpoints, and masters whose member of the embedded store is missing. A node whose state is unknown is in the list with the reason.
func (s *Nodes) All(ctx context.Context) []model.Node {
	var masters []record.Service
	var hosts []host
	var homed map[string]int // endpoints by host
	s.Relay.Sync()
	s.Catalog.View(func(v *catalog.View) {
		masters = v.Services(record.ServiceMaster)
		for _, h := range v.Hosts() {
			hosts = append(hosts, host{Host: h, runs: v.Running(h.Label)})
		}
		homed = v.EndpointsByHost()
	})
	out := make([]model.Node, len(masters))
	var wait sync.WaitGroup
	for i, m := range masters {
		wait.Go(func() { out[i] = s.Master(ctx, peer.Address(m)) })
	}
	var lost []model.Node
	wait.Go(func() { lost = s.missing(ctx, masters) })
	contacts := newContacts(s.reports.ask(ctx, func(ctx context.Context, query func(master string) peer.Query) []channel.Served {
		return s.Peers.Sessions(ctx, s.Internal, s.Relay.Sessions, query)
	}))
	wait.Wait()
	agree(out)
	out = slices.Grow(append(out, lost...), len(hosts))
	for i := range hosts {
		h := &hosts[i]
		h.endpoints = homed[h.Label]
		delete(homed, h.Label)
		out = append(out, s.agent(h, &contacts))
	}
	for host, n := range homed {
		out = append(out, model.Node{Name: host, Role: model.RoleAgent, Ports: n,
			Reason: fmt.Sprintf("not registered, but %d endpoints are on it: no machine has this host label; netctl node forget %s --release ends them", n, host)})
	}
	slices.SortFunc(out, func(a, b model.Node) int {
		return cmp.Or(cmp.Compare(order(a.Role), order(b.Role)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func order(r model.NodeRole) int {
	return slices.Index([]model.NodeRole{model.RoleLeader, model.RoleFollower, model.RoleUnknown, model.RoleAgent}, r)
}

// self is this master.
func (s *Nodes) self() model.Node {
	n := model.Node{
		Name: peer.Host(s.Internal), Address: s.Internal, Role: s.role(), Version: s.Version.Version, Protocol: skew.Protocol.String(), Records: skew.Records.String(),
		Revision: uint64(s.Catalog.Revision()), Since: s.Started.UTC().Format(time.RFC3339),
	}
	if n.Role == model.RoleLeader {
		n.Wrote, n.Since = s.Commit.LastWrite(), s.Leadership.Since().UTC().Format(time.RFC3339)
	}
	n.Leader, n.Term = s.Leadership.Lock()
	stats := s.Commit.Stats()
	n.Writes, n.Stale = stats.Transactions.Load(), stats.Stale.Load()
	n.Requests, n.Watchers = s.Answered(), s.Catalog.Subscriptions()
	n.Resources, n.Certificate = s.Resources(), s.Validity()
	for _, r := range n.Resources {
		if r.Name == "descriptors" {
			n.Descriptors = &model.Descriptors{Used: int(r.Used), Max: int(r.Max)}
		}
	}
	if s.Kubernetes != nil {
		n.Kubernetes = s.Kubernetes()
		n.Reason = n.Kubernetes.Problem()
	}
	if s.Snapshots != nil {
		n.Snapshots = s.Snapshots()
	}
	if s.Logs != nil {
		n.OtherError = s.Logs.LastError()
	}
	if s.Proves != nil {
		n.Authorities, n.Authority = s.Proves()
	}
	waiting := s.Waiting()
	if n.Ready = len(waiting) == 0; !n.Ready {
		n.Reason = "waits for " + waiting[0]
	}
	return n
}

// Master asks the netmaster at an address for its state. It blocks up to peer.Limit. The role of a netmaster that does not answer is unknown, with the
// reason.
func (s *Nodes) Master(ctx context.Context, at string) model.Node {
	if at == s.Internal {
		return s.self()
	}
	var n model.Node
	if err := s.Peers.Get(ctx, at, "/api/v1/nodes/self", &n); err != nil {
		reason := err.Error()
		if peer.Untrusted(err) {
			reason = model.CertificateRefused + reason
		}
		return model.Node{Name: peer.Host(at), Address: at, Role: model.RoleUnknown, Reason: reason}
	}
	n.Name, n.Address = peer.Host(at), at // whatever name it reports
	return n
}
