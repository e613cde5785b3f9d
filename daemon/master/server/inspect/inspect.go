// SPDX-License-Identifier: Apache-2.0

// Package inspect shows objects with their operational state, from the catalog and from the reports of agents.
package inspect

import (
	"context"
	"sync"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/aci"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/oper"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
)

// Inspector inspects objects. Its methods are safe for concurrent use.
type Inspector struct {
	Catalog     *catalog.Catalog
	Peers       *peer.Peers
	ClusterMode string
	// Secrets returns a function that describes how a view has a secret of netmaster's own, by its key.
	Secrets func() func(v *catalog.View, key string) string
}

// Inspect returns configuration and operational state. It blocks while it asks agents, up to peer.Limit each.
func (i *Inspector) Inspect(ctx context.Context, k *model.Kind, key string) (out any, err error) {
	past := false
	i.Catalog.View(func(v *catalog.View) {
		past = v.IsPast()
		if k.InspectOnly {
			e := v.FindEndpoint(key)
			if e == nil {
				err = v.NotFound(k, key)
				return
			}
			o := oper.Endpoint(e)
			o.IngressPolicies, o.EgressPolicies = oper.Policies(v, e)
			out = model.EndpointInspect{Oper: &o}
			return
		}
		o := v.Object(k, key)
		if o == nil {
			err = v.NotFound(k, key)
			return
		}
		out, err = i.known(v, o)
	})
	if past { // no agent knows what was
		return out, err
	}
	switch out := out.(type) {
	case model.BgpInspect:
		return i.router(ctx, out)
	case model.EndpointInspect:
		var wait sync.WaitGroup // wait for a silent agent only once
		wait.Go(func() { i.traffic(ctx, out.Oper) })
		wait.Go(func() { i.published(ctx, out.Oper) })
		wait.Wait()
	case model.RuleInspect:
		i.ruleHits(ctx, out.Config.ObjectKey(), out.Oper)
	case model.PolicyInspect:
		i.policyHits(ctx, out.Config.ObjectKey(), out.Oper)
	case model.ServiceLBInspect:
		i.serviceLoad(ctx, out.Config.ObjectKey(), out.Oper)
	}
	return out, err
}

// known is an object with what the catalog knows of its state.
func (i *Inspector) known(v *catalog.View, o model.Object) (any, error) {
	switch o := o.(type) {
	case *model.Global:
		state := oper.Global(v, i.ClusterMode)
		return model.GlobalInspect{Config: o, Oper: &state}, nil
	case *model.Tenant:
		state := oper.Tenant(v, o.TenantName)
		return model.TenantInspect{Config: o, Oper: &state}, nil
	case *model.Network:
		return network(v, o, v.Network(o.Identity()))
	case *model.EndpointGroup:
		state := model.EndpointGroupOper{}
		if g := v.Group(o.Identity()); g != nil {
			state = oper.Group(v, g)
		}
		return model.EndpointGroupInspect{Config: o, Oper: &state}, nil
	case *model.KubeNamespace:
		state := oper.Namespace(v, o.Namespace)
		return model.KubeNamespaceInspect{Config: o, Oper: &state}, nil
	case *model.NetworkPolicy:
		state := oper.NetworkPolicy(v, o)
		return model.NetworkPolicyInspect{Config: o, Oper: &state}, nil
	case *model.ClusterNetworkPolicy:
		state := oper.ClusterNetworkPolicy(v, o)
		return model.ClusterNetworkPolicyInspect{Config: o, Oper: &state}, nil
	case *model.KubeService:
		state := oper.KubeService(v, o)
		return model.KubeServiceInspect{Config: o, Oper: &state}, nil
	case *model.Bgp:
		return model.BgpInspect{Config: o, Oper: &model.BgpOper{}}, nil
	case *model.Policy:
		state := oper.Policy(v, o)
		return model.PolicyInspect{Config: o, Oper: &state}, nil
	case *model.Rule:
		return model.RuleInspect{Config: o, Oper: &model.RuleOper{}}, nil
	case *model.ServiceLB:
		state := model.ServiceLBOper{}
		if s := v.ServiceLB(o.Identity()); s != nil {
			state = oper.Service(v, s)
		}
		return model.ServiceLBInspect{Config: o, Oper: &state}, nil
	case *model.AppProfile:
		out := model.AppProfileInspect{Config: o}
		if state, info := aci.State(v, o); state != "" {
			out.Oper = &model.AppProfileOper{FabricState: state, FabricInfo: info}
		}
		return out, nil
	case *model.LdapConfiguration:
		return model.LdapConfigurationInspect{Config: o, Oper: &model.LdapConfigurationOper{BindPassword: i.Secrets()(v, record.LDAPKey)}}, nil
	case *model.OidcConfiguration:
		return model.OidcConfigurationInspect{Config: o, Oper: &model.OidcConfigurationOper{ClientSecret: i.Secrets()(v, record.OIDCKey)}}, nil
	case *model.AciGw:
		return model.AciGwInspect{Config: o, Oper: &model.AciGwOper{NumAppProfiles: v.Count(model.KindAppProfile())}}, nil
	default:
		return struct{ Config model.Object }{o}, nil
	}
}
