// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"syscall"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/sanitize"
	"github.com/contiv/contiv/trust"
)

// missing asks the embedded store's servers how they are, and returns their netmasters that are not registered: without them one failure fewer is survived, or
// clients of theirs change nothing, and nothing else would say so. It takes up to twice peer.Limit.
func (s *Nodes) missing(ctx context.Context, registered []record.Service) []model.Node {
	o, ok := s.Store.(store.Observer)
	if !ok || !s.Embedded {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 2*peer.Limit)
	defer cancel()
	members, err := o.Members(ctx)
	if err != nil {
		return nil // the netmasters that answer report that the store is away
	}
	out := absent(members, registered, s.Internal)
	for i := range out {
		out[i].Reason = s.waits(ctx, out[i].Address) + out[i].Reason
	}
	return out
}

// waits returns what the netmaster at an address waits for before it starts its member of the store, that its machine refuses the connection, or that one
// refuses the certificate of the other; else "".
func (s *Nodes) waits(ctx context.Context, address string) string {
	_, err := s.Peers.Fetch(ctx, trust.Master, address, "/readyz", 1<<10, peer.Limit)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return "connection refused; "
	}
	if peer.Untrusted(err) {
		return model.CertificateRefused + err.Error() + "; "
	}
	return waiting(err)
}

// waiting reads what a netmaster that has no store yet answers.
func waiting(err error) string {
	e, ok := errors.AsType[*peer.StatusError](err)
	if !ok || e.Status != http.StatusServiceUnavailable {
		return ""
	}
	what, ok := strings.CutPrefix(sanitize.Line(e.Text, 200), "netmaster ")
	if !ok || !strings.HasPrefix(what, model.WaitsFor) {
		return ""
	}
	return what + "; "
}

// absent lists the netmasters of members that are not registered, as if they had the port of the one at the address internal.
func absent(members []store.Member, registered []record.Service, internal string) (out []model.Node) {
	answering := 0
	for _, m := range members {
		if m.Err == nil {
			answering++
		}
	}
	_, port, _ := net.SplitHostPort(internal)
	for _, m := range members {
		host := m.Name
		if u, err := url.Parse(m.Address); err == nil && u.Hostname() != "" {
			host = u.Hostname()
		}
		if slices.ContainsFunc(registered, func(r record.Service) bool { return r.HostAddr == host }) {
			continue
		}
		reason := fmt.Sprintf("not registered; store member %s does not answer (%d of %d do, changes need %d)", m.Name, answering, len(members), len(members)/2+1)
		if m.Err == nil {
			reason = "not registered, though store member " + m.Name + " answers: it may not run, or not reach the leader of the store"
		}
		out = append(out, model.Node{Name: host, Address: net.JoinHostPort(host, port), Role: model.RoleUnknown, Reason: reason})
	}
	return out
}
