package server

import (
	"context"
	"encoding/json"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
)

// bgpAnswer is what an agent tells of its router: GET /inspect/bgp.
type bgpAnswer struct {
	Peers []struct {
		State struct {
			AdminState   json.RawMessage
			SessionState json.RawMessage
		}
	}
	Dsts []string
}

// agentOf is the address of a host's agent, "" when none is registered.
func agentOf(v *catalog.View, host string) string {
	for _, a := range v.Services(record.ServiceAgent) {
		if a.Hostname == host {
			return address(a)
		}
	}
	return ""
}

// inspectBgp asks the host's agent how its router is. A router whose host has no registered agent has no state.
func (b *backend) inspectBgp(ctx context.Context, router *model.Bgp, agent string) (any, error) {
	out := model.BgpInspect{Config: router, Oper: &model.BgpOper{}}
	if agent == "" {
		return out, nil
	}
	var answer bgpAnswer
	if err := b.ask(ctx, "http://"+agent+"/inspect/bgp", &answer); err != nil {
		return nil, model.Errorf(model.CodeNotReady, "", "%v", err).Because(err).
			Try("is the agent of %s running? see netctl node ls", router.Hostname)
	}
	if len(answer.Peers) > 0 {
		out.Oper.NeighborStatus, out.Oper.AdminStatus = word(answer.Peers[0].State.SessionState), word(answer.Peers[0].State.AdminState)
	}
	out.Oper.Routes, out.Oper.NumRoutes = answer.Dsts, len(answer.Dsts)
	return out, nil
}

// word reads a state, which agents give as a string or as a number.
func word(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	return string(raw)
}
