package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// askLimit is how long a node may take to say how it is.
const askLimit = time.Second

// nodes asks every registered master and agent how it is, all at once, and adds hosts that carry endpoints but are not
// registered, and masters whose part of the embedded store is missed. A node that does not answer is listed with the reason.
func (s *Server) nodes(ctx context.Context) []model.Node {
	var masters, agents []record.Service
	var wanted store.Revision
	silent := map[string]int{} // endpoints by host
	s.Catalog.View(func(v *catalog.View) {
		masters, agents, wanted = v.Services(record.ServiceMaster), v.Services(record.ServiceAgent), v.AgentRevision()
		for e := range v.Members {
			silent[e.HomingHost]++
		}
	})
	out := make([]model.Node, len(masters)+len(agents))
	var wait sync.WaitGroup
	for i, m := range masters {
		wait.Go(func() { out[i] = s.master(ctx, address(m)) })
	}
	for i, a := range agents {
		delete(silent, a.Hostname)
		wait.Go(func() { out[len(masters)+i] = s.agent(ctx, a, wanted) })
	}
	var lost []model.Node
	wait.Go(func() { lost = s.missing(ctx, masters) })
	wait.Wait()
	out = append(out, lost...)
	for host, n := range silent {
		out = append(out, model.Node{Name: host, Role: model.RoleAgent, Ports: n,
			Reason: fmt.Sprintf("not registered, but %d endpoints are on it: its agent is down or cannot reach the store", n)})
	}
	slices.SortFunc(out, func(a, b model.Node) int {
		return cmp.Or(cmp.Compare(order(a.Role), order(b.Role)), cmp.Compare(a.Name, b.Name))
	})
	return out
}

func order(r model.NodeRole) int {
	return slices.Index([]model.NodeRole{model.RoleLeader, model.RoleFollower, model.RoleAgent}, r)
}

// self is this master.
func (s *Server) self() model.Node {
	n := model.Node{
		Name: hostOf(s.Internal), Address: s.Internal, Role: s.role(), Version: s.Version.Version,
		Revision: uint64(s.Catalog.Revision()), Since: s.Started.UTC().Format(time.RFC3339),
	}
	if n.Role == model.RoleLeader {
		n.Wrote, n.Since = s.Commit.LastWrite(), s.Leadership.Since().UTC().Format(time.RFC3339)
	}
	stats := s.Commit.Stats()
	n.Writes, n.Stale = stats.Transactions.Load(), stats.Stale.Load()
	n.Requests, n.Watchers = s.metrics.answered.Load(), s.Catalog.Subscriptions()
	if stuck := s.Settler.Stuck(); len(stuck) > 0 {
		n.Errors, n.Reason = len(stuck), stuck[0]
	}
	waiting := s.Waiting()
	if n.Ready = len(waiting) == 0; !n.Ready {
		n.Reason = "waits for " + waiting[0]
	}
	return n
}

func (s *Server) master(ctx context.Context, at string) model.Node {
	if at == s.Internal {
		return s.self()
	}
	n := model.Node{Name: hostOf(at), Address: at, Role: model.RoleFollower}
	if err := s.ask(ctx, "http://"+at+"/api/v1/nodes/self", &n); err != nil {
		n.Reason = err.Error()
	}
	return n
}

func (s *Server) agent(ctx context.Context, a record.Service, wanted store.Revision) model.Node {
	n := model.Node{Name: a.Hostname, Address: address(a), Role: model.RoleAgent, Version: a.Version}
	var status model.AgentStatus
	if err := s.ask(ctx, "http://"+n.Address+"/status", &status); err != nil {
		n.Reason = err.Error()
		return n
	}
	n.Version, n.Ready, n.Revision, n.Flows = status.Version, status.Ready, status.Revision, status.Flows
	n.Ports, n.Errors, n.VTEP, n.Since, n.FlowMods = status.Endpoints, len(status.Errors), status.VTEP, status.Since, status.FlowMods
	n.Uplinks, n.Bond = status.Uplinks, status.Bond
	if uint64(wanted) > status.Revision {
		n.Lag = uint64(wanted) - status.Revision
	}
	switch {
	case len(status.Waiting) > 0:
		n.Reason = "waits for " + status.Waiting[0]
	case len(status.Errors) > 0:
		n.Reason = status.Errors[0].Owner + ": " + status.Errors[0].Error
	}
	return n
}

// ask gets a JSON document.
func (s *Server) ask(ctx context.Context, url string, out any) error {
	ctx, cancel := context.WithTimeout(ctx, askLimit)
	defer cancel()
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	q.Header.Set("Accept", "application/json")
	answer, err := s.HTTP.Do(q)
	if err != nil {
		return fmt.Errorf("did not answer: %w", errors.Unwrap(err))
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", url, answer.Status)
	}
	return json.NewDecoder(io.LimitReader(answer.Body, 16<<20)).Decode(out)
}

func address(s record.Service) string { return net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port)) }

func hostOf(address string) string {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return address
	}
	return host
}
