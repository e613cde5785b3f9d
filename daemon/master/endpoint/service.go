// SPDX-License-Identifier: Apache-2.0

// Package endpoint manages endpoints and the addresses that are held for them, as agents request.
//
// An address belongs only to the record of its owner: an endpoint, or a hold that expires. Creating an endpoint is one store transaction; a
// request may be repeated at any time with the same result.
package endpoint

import (
	"context"
	"log/slog"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// HoldFor is how long an address is held for a future endpoint.
const HoldFor = 10 * time.Minute

// Service creates, updates and deletes endpoints.
type Service struct {
	commit      *commit.Committer
	catalog     *catalog.Catalog
	clusterMode string
	// how long an address stays in quarantine after its release, unless the global object sets it; nil: depends on its owner
	rest     *time.Duration
	now      func() time.Time
	pods     Pods
	labelled bool // see Settings.PodTenants
	held     func(v *catalog.View) error
	drains   *drains
	log      *slog.Logger
}

// New returns a Service.
func New(c *commit.Committer, known *catalog.Catalog, o Settings, log *slog.Logger) *Service {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Held == nil {
		o.Held = func(*catalog.View) error { return nil }
	}
	return &Service{commit: c, catalog: known, clusterMode: o.ClusterMode, rest: o.Quarantine, now: o.Now, pods: o.Pods, labelled: o.PodTenants, held: o.Held, log: log,
		drains: &drains{now: o.Now, until: map[string]time.Time{}}}
}

// home is the place of an endpoint.
type home struct {
	network *catalog.Network
	group   *record.Group // nil: none
}

func (p home) groupID() identity.Group {
	if p.group == nil {
		return identity.Group{}
	}
	return p.group.ID
}

// find looks up a tenant's network and group by name. Without a network name, it is the group's network.
func find(v *catalog.View, tenant, network, group string) (home, error) {
	var p home
	if group != "" {
		id := identity.Group{Tenant: tenant, Name: group}
		if p.group = v.Group(id); p.group == nil {
			return p, model.Errorf(model.CodeNotFound, "ServiceName", "endpoint group %s not found", id).
				Try("create it with netctl group create --tenant %s %s %s", tenant, orWord(network, "NETWORK"), group)
		}
		if network == "" {
			network = p.group.Network.Name
		}
		if network != p.group.Network.Name {
			return p, model.Errorf(model.CodeInvalid, "ServiceName", "group %s is not on network %s", group, network).
				Try("it is on network %s", p.group.Network.Name)
		}
	}
	id := identity.Network{Tenant: tenant, Name: network}
	if p.network = v.Network(id); p.network == nil {
		if v.Tenant(tenant) == nil {
			return p, model.Errorf(model.CodeNotFound, "TenantName", "Tenant not found").Try("create it with netctl tenant create %s", tenant)
		}
		return p, model.Errorf(model.CodeNotFound, "NetworkName", "network %s not found", id).
			Try("create it with netctl network create --tenant %s --subnet ADDRESS/LENGTH %s", tenant, network)
	}
	if !p.network.Gives4() {
		return p, model.Errorf(model.CodeInternal, "NetworkName", "network %s has no usable subnet in the store", id)
	}
	return p, nil
}

func orWord(s, word string) string {
	if s == "" {
		return word
	}
	return s
}

// nativeInterface names the endpoint of a request that names no container.
func nativeInterface(host string) string { return host + "-native-intf" }

// Delete deletes an endpoint and releases its addresses. It returns the deleted endpoint.
func (s *Service) Delete(ctx context.Context, q model.DeleteEndpointRequest) (record.Endpoint, uint64, error) {
	var gone record.Endpoint
	rev, err := s.commit.Join(ctx, func(tx *commit.Tx) error {
		e, id := named(tx, q.TenantName, q.NetworkName, q.EndpointID)
		if e == nil {
			return model.Errorf(model.CodeNotFound, "EndpointID", "endpoint %s not found", id).Try("nothing is left to do")
		}
		if q.Host != "" && q.Host != e.Host || q.ContainerID != "" && e.ContainerID != "" && q.ContainerID != e.ContainerID {
			return model.Errorf(model.CodeNotFound, "EndpointID", "endpoint %s is not of container %s on host %s", id, q.ContainerID, q.Host).
				Try("it is of container %s on host %s", e.ContainerID, e.Host)
		}
		if err := s.held(tx.View); err != nil {
			return err
		}
		gone = *e
		return s.remove(tx, e)
	})
	if err != nil {
		// a caller that has given up does not use the result, which the transaction may still write
		return record.Endpoint{}, 0, err
	}
	return gone, uint64(rev), nil
}

// named finds an endpoint by its names; nil if there is none.
func named(tx *commit.Tx, tenant, network, endpoint string) (*record.Endpoint, identity.Endpoint) {
	id := identity.Endpoint{Network: identity.Network{Tenant: tenant, Name: network}, Endpoint: endpoint}
	return tx.Endpoint(id), id
}

// Update records a container event of the runtime: "start" stores the container's identity and labels, by which it becomes a provider of
// services; "die" removes the labels. Other events, and the death of an unknown container, change nothing.
func (s *Service) Update(ctx context.Context, q model.UpdateEndpointRequest) (*model.UpdateEndpointResponse, error) {
	switch q.Event {
	case "start":
		return s.started(ctx, q)
	case "die":
		return nil, s.died(ctx, q)
	}
	return nil, nil
}

func (s *Service) died(ctx context.Context, q model.UpdateEndpointRequest) error {
	_, err := s.commit.Join(ctx, func(tx *commit.Tx) error {
		for _, n := range tx.Networks(q.Tenant) {
			for _, known := range tx.EndpointsOf(n) {
				old := tx.Endpoint(known.ID)
				if old == nil || q.Host != "" && q.Host != old.Host || q.ContainerID == "" || old.Container() != q.ContainerID && old.ContainerID != q.ContainerID || len(old.Labels) == 0 {
					continue
				}
				e := *old
				e.Labels = nil
				if err := put(tx, old, &e); err != nil {
					return err
				}
			}
		}
		return nil
	})
	return err
}

func (s *Service) started(ctx context.Context, q model.UpdateEndpointRequest) (*model.UpdateEndpointResponse, error) {
	_, err := s.commit.Join(ctx, func(tx *commit.Tx) error {
		old, id := named(tx, q.Tenant, q.Network, q.EndpointID)
		if g := tx.Group(identity.Group{Tenant: q.Tenant, Name: q.Network}); old == nil && g != nil {
			old, id = named(tx, q.Tenant, g.Network.Name, q.EndpointID)
		}
		if old == nil {
			return model.Errorf(model.CodeNotFound, "EndpointID", "endpoint %s not found", id).Try("create it first")
		}
		if q.Host != "" && q.Host != old.Host {
			return model.Errorf(model.CodeNotFound, "EndpointID", "endpoint %s is not on host %s", id, q.Host).Try("it is on host %s", old.Host)
		}
		e := *old
		e.CommonName, e.Labels, e.Aliases, e.RuntimeID = q.EPCommonName, q.Labels, q.Aliases, ""
		switch {
		case old.ContainerID == "":
			e.ContainerID = q.ContainerID
		case old.ContainerID != q.ContainerID: // attached before the runtime reported its container
			e.RuntimeID = q.ContainerID
		}
		return put(tx, old, &e)
	})
	if err != nil {
		return nil, err
	}
	return &model.UpdateEndpointResponse{IPAddress: q.IPAddress}, nil
}
