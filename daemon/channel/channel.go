// Package channel is what agents and netmasters say to each other. An agent asks a Master for addresses and endpoints; a Client hears what its host is to
// do, in a stream of messages. Both use one connection.
//
// What a cluster knows is divided into shards, one for each tenant and a few for what is of no tenant. A host is told of the shards that concern it, and
// of no other. A shard comes whole once; from then on comes what changes in it. Messages are in the encoding of Protocol Buffers, each behind its
// length; see message.proto.
package channel

import "strings"

// Where a netmaster serves the channel, tells other netmasters whose streams it serves, and says which certificates are revoked.
const (
	Path          = "/plugin/channel"
	SessionsPath  = "/plugin/sessions"
	OfferPath     = "/plugin/offer"     // where agents offer what they carry; see Offer
	AuthorityPath = "/plugin/authority" // the authorities that a netmaster trusts
	RevokedPath   = "/plugin/revoked"   // the certificates of Trust, for agents that would not hear of them from the netmaster that they follow
)

// Shard names a part of what the cluster knows.
type Shard string

// The shards that are no tenant's.
const (
	// Cluster is what every host is told: the configuration, hosts and netmasters, the networks of the hosts themselves.
	Cluster Shard = "cluster"
	// Kubernetes is what is known of Kubernetes, but for its pods, which are endpoints.
	Kubernetes Shard = "kubernetes"
	// Trust is which certificates of those that agents speak with are revoked. It is a shard of its own, so that an agent that knows all else from a netmaster
	// of an earlier build is told all of it.
	Trust Shard = "trust"
	// Directory is the networks and groups of all tenants, for hosts whose runtime is to know of each.
	Directory Shard = "directory"
)

// Tenant is the shard of what a tenant has.
func Tenant(name string) Shard { return Shard("tenant/" + name) }

// Host is the shard of what concerns one host alone.
func Host(label string) Shard { return Shard("host/" + label) }

// OfTenant is the tenant whose shard s is; ok is false when it is none's.
func (s Shard) OfTenant() (name string, ok bool) { return strings.CutPrefix(string(s), "tenant/") }

// Item is a record: its key in the store, its value, and the revision of its last change.
type Item struct {
	Key      string
	Value    []byte
	Revision uint64
}

// Update is what has changed in a shard. With Full set, Items are all that it has, and Gone is empty. Otherwise Items have come or changed, and Gone are
// the keys of those that there are no more.
type Update struct {
	Shard Shard
	Full  bool
	Items []Item
	Gone  []string
}

// Mark says how far a stream is: all that has changed in the host's shards up to Revision has been told. All of it is known up to Complete; of
// what was changed after that, there is nothing but what the leader has changed itself. A stream of another netmaster continues after Complete, if it
// knows Landmark, which was the newest then.
type Mark struct {
	Revision uint64
	Complete uint64
	Landmark Landmark
	// Reset says that the store was made again, or that the netmaster does not know whether it was: revisions may begin again.
	Reset bool
	// Incarnation is the id of the store's record.Incarnation; "" from netmasters of earlier builds.
	Incarnation string
	// Step numbers what the netmaster knew, and says what was sent up to here: an agent names it when it reports what it holds. It means nothing to
	// another netmaster. 0: the netmaster is of an earlier build.
	Step uint64 `json:"-"`

	stream uint64 // numbers the streams of a Client, of which this is one; 0: it is of none
}

// Landmark is a random text that a leader has written into the store at a revision. Two stores that have the same one at the same revision were one
// store then.
type Landmark struct {
	Text     string
	Revision uint64
}

// Batch is what is told at once: what has changed, and the shards that are no longer the host's.
type Batch struct {
	Updates []Update
	Left    []Shard
	Mark
}

// Hello is what an agent says first.
type Hello struct {
	Host      string  `json:"host"`                // label
	Instance  string  `json:"seat,omitempty"`      // as in record.Host
	Directory bool    `json:"directory,omitempty"` // it is to know the networks and groups of all tenants
	Shards    []Shard `json:"shards,omitempty"`    // that it knows already, up to
	Offers    bool    `json:"offers,omitempty"`    // it offers what it carries when it is asked to, before it receives anything of a store that it does not know
	Offered   string  `json:"offered,omitempty"`   // id of the incarnation to which it has offered that
	Mark      Mark    `json:"mark"`
}
