// SPDX-License-Identifier: Apache-2.0

package agents

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/julienschmidt/httprouter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rest"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/master/endpoint"
	"github.com/contiv/contiv/daemon/record"
)

// Ports of the original's agents, by which its clients know them.
var originalPorts = []int{9002, 9003}

// originalAgent is an agent, as the original's master of the data plane knew it.
type originalAgent struct {
	HostAddr string
	HostPort int
	Label    string
}

// originalState is the answer to GET /debug/ofnet.
type originalState struct {
	MyAddr     string
	AgentDb    map[string]originalAgent      // running agents, by "ip:port", once for each port
	EndpointDb map[string]*record.Endpoint   // by id
	PolicyDb   map[string]model.Object       // rules, by key
	AgentStats map[string]map[string]float64 // empty: agents have metrics of their own
}

// RegisterOriginal adds the original's routes for debugging: the state of its data plane, and the deletion of endpoints whose containers are
// gone. own is the internal address of this netmaster.
func RegisterOriginal(r *rest.Router, own string, known *catalog.Catalog, endpoints *endpoint.Service) {
	r.Read("/debug/ofnet", func(*http.Request, httprouter.Params) (any, error) { return stateOf(own, known), nil }).Allow(rest.Needs(rights.Read))
	r.Handle(http.MethodDelete, "/debug/epcleanup/tenant/:tenant/:category/:id", func(w http.ResponseWriter, q *http.Request, p httprouter.Params) {
		text, err := cleanUp(q.Context(), known, endpoints, p.ByName("tenant"), p.ByName("category"), p.ByName("id"))
		r.Answer(w, q, text, 0, err)
	}).Allow(rest.Needs(rights.Change))
}

// stateOf returns the cluster as the original's master of the data plane described it.
func stateOf(own string, known *catalog.Catalog) originalState {
	out := originalState{MyAddr: own, AgentDb: map[string]originalAgent{}, EndpointDb: map[string]*record.Endpoint{}, PolicyDb: map[string]model.Object{}, AgentStats: map[string]map[string]float64{}}
	known.View(func(v *catalog.View) {
		for _, h := range v.Hosts() {
			if !v.Running(h.Label) {
				continue
			}
			for _, port := range originalPorts {
				out.AgentDb[fmt.Sprintf("%s:%d", h.VTEP, port)] = originalAgent{h.VTEP.String(), port, h.Label}
			}
		}
		for _, e := range v.Endpoints() {
			out.EndpointDb[e.ID.String()] = e
		}
		for _, o := range v.Objects(model.KindRule()) {
			out.PolicyDb[o.ObjectKey()] = o
		}
	})
	return out
}

// cleanUp deletes the endpoints of a tenant that are in a network or a group, or whose id contains a text; their hosts remove the remains.
func cleanUp(ctx context.Context, known *catalog.Catalog, endpoints *endpoint.Service, tenant, category, id string) (text string, err error) {
	match, ok := map[string]func(*record.Endpoint) bool{
		"net":   func(e *record.Endpoint) bool { return e.ID.Name == id },
		"group": func(e *record.Endpoint) bool { return e.Group.Name == id },
		"ep":    func(e *record.Endpoint) bool { return strings.Contains(e.ID.Endpoint, id) },
	}[category]
	if !ok {
		return "", model.Errorf(model.CodeInvalid, "category", "category: got %q, want net, group or ep", category).Try("name what the id is")
	}
	var gone []*record.Endpoint
	known.View(func(v *catalog.View) {
		gone = slices.DeleteFunc(v.Endpoints(), func(e *record.Endpoint) bool { return e.ID.Tenant != tenant || !match(e) })
	})
	ctx = commit.Because(ctx, "clean-up of "+category+" "+id)
	for i, e := range gone {
		_, _, err := endpoints.Delete(ctx, model.DeleteEndpointRequest{TenantName: e.ID.Tenant, NetworkName: e.ID.Name, EndpointID: e.ID.Endpoint})
		if err != nil {
			return "", fmt.Errorf("%d of %d endpoints are deleted; %s: %w", i, len(gone), e.ID, err)
		}
	}
	return fmt.Sprintf("deleted %d endpoints of %s %s in tenant %s", len(gone), category, id, tenant), nil
}
