package server

import (
	"context"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/fabric"
	"github.com/contiv/contiv/daemon/master/oper"
)

// Inspect returns configuration and operational state.
func (b *backend) Inspect(ctx context.Context, k *model.Kind, key string) (out any, err error) {
	var router *model.Bgp
	var agent string
	b.catalog.View(func(v *catalog.View) {
		if k.InspectOnly {
			e := v.FindEndpoint(key)
			if e == nil {
				err = v.NotFound(k, key)
				return
			}
			o := oper.Endpoint(e)
			o.Key = key
			out = model.EndpointInspect{Oper: &o}
			return
		}
		o := v.Object(k, key)
		if o == nil {
			err = v.NotFound(k, key)
			return
		}
		out, err = b.inspect(v, o)
		if router, _ = o.(*model.Bgp); router != nil {
			agent = agentOf(v, router.Hostname)
		}
	})
	if router != nil {
		return b.inspectBgp(ctx, router, agent)
	}
	switch out := out.(type) {
	case model.RuleInspect:
		b.ruleHits(ctx, out.Config.ObjectKey(), out.Oper)
	case model.PolicyInspect:
		b.policyHits(ctx, out.Config.ObjectKey(), out.Oper)
	case model.ServiceLBInspect:
		b.serviceLoad(ctx, out.Config.ObjectKey(), out.Oper)
	}
	return out, err
}

func (b *backend) inspect(v *catalog.View, o model.Object) (any, error) {
	switch o := o.(type) {
	case *model.Global:
		state := oper.Global(v, b.clusterMode)
		return model.GlobalInspect{Config: o, Oper: &state}, nil
	case *model.Tenant:
		state := oper.Tenant(v, o.TenantName)
		return model.TenantInspect{Config: o, Oper: &state}, nil
	case *model.Network:
		return inspectNetwork(v, o, v.Network(o.NetworkName+"."+o.TenantName))
	case *model.EndpointGroup:
		state := model.EndpointGroupOper{}
		if g := v.Group(o.GroupName + ":" + o.TenantName); g != nil {
			state = oper.Group(v, g)
		}
		return model.EndpointGroupInspect{Config: o, Oper: &state}, nil
	case *model.Policy:
		state := oper.Policy(v, o)
		return model.PolicyInspect{Config: o, Oper: &state}, nil
	case *model.Rule:
		return model.RuleInspect{Config: o, Oper: &model.RuleOper{}}, nil
	case *model.ServiceLB:
		state := model.ServiceLBOper{}
		if s := v.ServiceLB(o.ServiceName + ":" + o.TenantName); s != nil {
			state = oper.Service(v, s)
		}
		return model.ServiceLBInspect{Config: o, Oper: &state}, nil
	case *model.AppProfile:
		out := model.AppProfileInspect{Config: o}
		if state, info := fabric.State(v, o); state != "" {
			out.Oper = &model.AppProfileOper{FabricState: state, FabricInfo: info}
		}
		return out, nil
	case *model.AciGw:
		return model.AciGwInspect{Config: o, Oper: &model.AciGwOper{NumAppProfiles: v.Count(model.KindAppProfile())}}, nil
	default:
		return struct{ Config model.Object }{o}, nil
	}
}
