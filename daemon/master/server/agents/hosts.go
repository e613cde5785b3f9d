// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"context"
	"net/http"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/auth"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/membership"
	"github.com/contiv/contiv/daemon/master/relay"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// RegisterHosts adds the routes by which agents become hosts of the cluster, and by which netmasters report to each other the agents that are connected to them.
func RegisterHosts(r *rest.Router, known *catalog.Catalog, hosts *membership.Registrar, agents *relay.Relay) {
	route(r, "/plugin/register", func(ctx context.Context, h record.Host) (any, uint64, error) {
		if err := auth.Of(ctx).Host(h.Label, "host"); err != nil {
			return nil, 0, err
		}
		return hosts.Register(ctx, h)
	})
	route(r, "/plugin/leave", func(ctx context.Context, q model.LeaveRequest) (any, uint64, error) {
		if err := own(ctx, &q.Host, "host"); err != nil {
			return nil, 0, err
		}
		rev, err := hosts.Leave(ctx, q.Host, q.Instance)
		return "success", rev, err
	})
	r.Read(channel.RevokedPath, func(*http.Request, httprouter.Params) (any, error) {
		var out []record.Revocation
		known.View(func(v *catalog.View) { out = relay.Revoked(v) })
		return out, nil
	}).Allow(rest.Needs(rights.Read, trust.Agent))
	r.Read(channel.SessionsPath, func(q *http.Request, _ httprouter.Params) (any, error) {
		out := agents.Sessions()
		brief := q.URL.Query().Get("brief") == "true"
		since, _ := strconv.ParseUint(q.URL.Query().Get("since"), 10, 64) // 0 if it is not a number: all
		for i := range out {
			if brief || out[i].Changed <= since {
				out[i].Status = nil
			}
		}
		return out, nil
	}).Allow(rest.Needs(rights.Read, trust.Master))
}
