// SPDX-License-Identifier: Apache-2.0

// Package channel is the protocol between agents and netmasters. An agent requests addresses and endpoints from a Master; a Client receives
// the desired state of its host, as a stream of messages. Both use one connection.
//
// The state of a cluster is divided into shards, one for each tenant and a few for state that belongs to no tenant. A host receives the
// shards that concern it, and no others. A shard is sent as a whole once; afterwards only its changes are. Messages use the encoding of
// Protocol Buffers, each preceded by its length; see message.proto.
package channel

import (
	"strings"

	"github.com/contiv/contiv/daemon/skew"
)

// The paths at which a netmaster serves the channel, lists the streams that it serves for other netmasters, and lists the revoked
// certificates.
const (
	Path          = "/plugin/channel"
	SessionsPath  = "/plugin/sessions"
	OfferPath     = "/plugin/offer"     // where agents offer the endpoints that they carry; see Offer
	AuthorityPath = "/plugin/authority" // the authorities that a netmaster trusts
	RevokedPath   = "/plugin/revoked"   // the certificates of Trust, for agents that would not receive them from the netmaster that they follow
)

// Shard names a part of the cluster's state.
type Shard string

// Shards that belong to no tenant.
const (
	// Cluster is sent to every host: the configuration, hosts and netmasters, the networks of the hosts themselves.
	Cluster Shard = "cluster"
	// Kubernetes has the objects of Kubernetes except its pods, which are endpoints.
	Kubernetes Shard = "kubernetes"
	// Trust lists the revoked certificates of the peers of agents. It is a shard of its own, so that an agent that has received everything
	// else from a netmaster of an earlier build receives all of it.
	Trust Shard = "trust"
	// Directory has the networks and groups of all tenants, for hosts whose runtime needs all of them.
	Directory Shard = "directory"
)

// Tenant returns the shard of a tenant's objects.
func Tenant(name string) Shard { return Shard("tenant/" + name) }

// Host returns the shard of records that concern only one host.
func Host(label string) Shard { return Shard("host/" + label) }

// OfTenant returns the tenant whose shard s is; ok is false if it is no tenant's.
func (s Shard) OfTenant() (name string, ok bool) { return strings.CutPrefix(string(s), "tenant/") }

// Item is a record: its key in the store, its value, and the revision of its last change.
type Item struct {
	Key      string
	Value    []byte
	Revision uint64
}

// Update is a change of a shard. If Full is set, Items are its whole content, and Gone is empty. Otherwise Items are new or changed, and
// Gone are the keys of deleted ones.
type Update struct {
	Shard Shard
	Full  bool
	Items []Item
	Gone  []string
}

// Mark is the position of a stream: all changes of the host's shards up to Revision have been sent. All of them are known up to Complete;
// of later changes, only those of the leader itself are included. A stream of another netmaster continues after Complete, if it knows
// Landmark, which was the newest then.
type Mark struct {
	Revision uint64
	Complete uint64
	Landmark Landmark
	// Reset means that the store was recreated, or that the netmaster does not know whether it was: revisions may restart.
	Reset bool
	// Incarnation is the id of the store's record.Incarnation; "" from netmasters of earlier builds.
	Incarnation string
	// Step numbers the netmaster's positions, and identifies what was sent up to here: an agent names it when it reports what it holds. It
	// means nothing to another netmaster. 0: the netmaster is of an earlier build.
	Step uint64 `json:"-"`

	stream uint64 // number of the Client's stream; 0: none
}

// Landmark is a random text that a leader has written into the store at a revision. Two stores with the same one at the same revision were
// one store then.
type Landmark struct {
	Text     string
	Revision uint64
}

// Batch is a set of updates sent together, with the shards that no longer belong to the host.
type Batch struct {
	Updates []Update
	Left    []Shard
	Mark
}

// Hello is an agent's first message.
type Hello struct {
	Host      string  `json:"host"`                // label
	Instance  string  `json:"seat,omitempty"`      // as in record.Host
	Directory bool    `json:"directory,omitempty"` // request the networks and groups of all tenants
	Shards    []Shard `json:"shards,omitempty"`    // known already, up to
	Offers    bool    `json:"offers,omitempty"`    // it offers its endpoints on request, before it receives anything of a store that it does not know
	Offered   string  `json:"offered,omitempty"`   // id of the incarnation to which it has offered them
	Mark      Mark    `json:"mark"`
	// Protocol is the versions of this protocol that the agent speaks.
	Protocol skew.Range `json:"protocol,omitzero"`
}
