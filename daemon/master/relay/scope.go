// SPDX-License-Identifier: Apache-2.0

package relay

import (
	"encoding/json"
	"iter"
	"net/url"
	"strings"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
	"github.com/contiv/contiv/trust"
)

// defaultTenant is the tenant whose containers routers outside can reach.
const defaultTenant = "default"

// ofTenants are prefixes of records whose keys name their tenant, up to the first colon. Hosts that know all tenants receive directory
// records too.
var (
	ofTenants   = []string{record.Tenants, record.Networks, record.Groups, record.Endpoints, record.Rules, record.Attachments, record.ServiceLBs, record.Providers}
	directories = []string{record.Tenants, record.Networks, record.Groups}
)

// shardsOf returns the shards of a record; none: no agent needs it. Records for agents without a rule here are for all hosts.
func shardsOf(key string, value []byte) (out []channel.Shard) {
	for _, prefix := range ofTenants {
		name, is := strings.CutPrefix(key, prefix)
		if !is {
			continue
		}
		out = append(out, channel.Tenant(identity.Scope(name)))
		for _, d := range directories {
			if prefix == d {
				out = append(out, channel.Directory)
			}
		}
		if prefix == record.Networks && isInfra(value) {
			out = append(out, channel.Cluster)
		}
		return out
	}
	switch {
	case strings.HasPrefix(key, record.BGPs):
		return []channel.Shard{channel.Host(strings.TrimPrefix(key, record.BGPs))}
	case strings.HasPrefix(key, record.DockerNetworks):
		return []channel.Shard{dockerShard(value)}
	case strings.HasPrefix(key, record.Kubernetes):
		return []channel.Shard{channel.Kubernetes}
	case strings.HasPrefix(key, record.Certificates):
		if _, is := revocation(value); is {
			return []channel.Shard{channel.Trust}
		}
	case key == record.GlobalMark || key == record.Landmark:
		return nil
	case key == record.GlobalKey || strings.HasPrefix(key, record.Services) || strings.HasPrefix(key, record.State):
		return []channel.Shard{channel.Cluster}
	}
	return nil
}

// isInfra reports whether all hosts have an interface in a network.
func isInfra(value []byte) bool {
	var n struct {
		NwType string `json:"nwType"`
	}
	return json.Unmarshal(value, &n) == nil && n.NwType == record.InfraNetwork
}

// revocation returns the record of a revocation that agents receive; false: none.
func revocation(value []byte) (out record.Revocation, ok bool) {
	var c record.Certified
	if json.Unmarshal(value, &c) != nil {
		return out, false
	}
	return revoked(&c)
}

// revoked returns the revocation of a certificate, if agents speak with its holder; agents receive nothing else about certificates.
func revoked(c *record.Certified) (out record.Revocation, ok bool) {
	u, err := url.Parse(c.Identity)
	if err != nil {
		return out, false
	}
	if who, err := trust.Parse(u); err != nil || who.Role != trust.Master && who.Role != trust.Monitor {
		return out, false
	}
	return c.Revocation()
}

// Revoked returns the revocations in a catalog that agents receive.
func Revoked(v *catalog.View) []record.Revocation {
	out := []record.Revocation{}
	for _, c := range v.Revoked() {
		if r, is := revoked(c); is {
			out = append(out, r)
		}
	}
	return out
}

// valueForAgents returns the value of a record as agents receive it.
func valueForAgents(key string, value []byte) []byte {
	if !strings.HasPrefix(key, record.Certificates) {
		return value
	}
	r, _ := revocation(value)
	text, _ := json.Marshal(r) // its texts and time were JSON before
	return text
}

// dockerShard returns the shard of the host whose engine has a network; all hosts have the networks of swarms.
func dockerShard(value []byte) channel.Shard {
	var d struct {
		Host string `json:"host"`
	}
	if json.Unmarshal(value, &d) != nil || d.Host == "" {
		return channel.Cluster
	}
	return channel.Host(d.Host)
}

// tenantOnHost is a tenant with endpoints on a host.
type tenantOnHost struct{ tenant, host string }

// updateCounts updates the endpoint counts by the changes, and reports whether hosts may now receive other shards.
func (r *Relay) updateCounts(before, after catalog.Snapshot) (moved bool) {
	if before.Endpoints == nil {
		before.Endpoints = table.New[identity.Endpoint, *catalog.Member]()
	}
	for c := range table.Changes(before.Endpoints, after.Endpoints) {
		if c.Had {
			moved = r.count(tenantOnHost{c.Before.ID.Tenant, c.Before.Host}, -1) || moved
		}
		if c.Has {
			moved = r.count(tenantOnHost{c.After.ID.Tenant, c.After.Host}, 1) || moved
		}
	}
	direct := after.Global != nil && after.Global.HostAccess == record.HostDirect
	moved = moved || direct != r.direct
	r.direct = direct
	return moved
}

// count adds n endpoints, and reports whether the tenant has come to the host or left it.
func (r *Relay) count(at tenantOnHost, n int) bool {
	now := r.endpoints[at] + n
	r.endpoints[at] = now
	switch {
	case now == 0:
		delete(r.endpoints, at)
		delete(r.tenants[at.host], at.tenant)
		if len(r.tenants[at.host]) == 0 {
			delete(r.tenants, at.host)
		}
		return true
	case now == n:
		if r.tenants[at.host] == nil {
			r.tenants[at.host] = map[string]struct{}{}
		}
		r.tenants[at.host][at.tenant] = struct{}{}
		return true
	}
	return false
}

// scope returns the shards that a host receives.
func (r *Relay) scope(host string, directory bool) map[channel.Shard]struct{} {
	out := map[channel.Shard]struct{}{}
	if directory {
		out[channel.Directory] = struct{}{}
	}
	for name := range r.needs(host) {
		out[name] = struct{}{}
	}
	return out
}

// needs yields the shards that a host applies, some of them repeatedly.
func (r *Relay) needs(host string) iter.Seq[channel.Shard] {
	return func(yield func(channel.Shard) bool) {
		for _, name := range [...]channel.Shard{channel.Cluster, channel.Kubernetes, channel.Trust, channel.Host(host)} {
			if !yield(name) {
				return
			}
		}
		if r.direct {
			for name := range r.shards {
				if _, is := name.OfTenant(); is && !yield(name) {
					return
				}
			}
		}
		for tenant := range r.tenants[host] {
			if !yield(channel.Tenant(tenant)) {
				return
			}
		}
		if _, routes := r.items.Lookup(record.BGPs + host); routes {
			yield(channel.Tenant(defaultTenant))
		}
	}
}

// Wanted returns the revision of the last change that a host must apply.
func (r *Relay) Wanted(host string) (revision uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name := range r.needs(host) {
		if s := r.shards[name]; s != nil {
			revision = max(revision, s.revision)
		}
	}
	return revision
}
