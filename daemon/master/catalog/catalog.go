// Package catalog is netmaster's memory: every object and record of the store, indexed, with the pools of addresses
// and numbers that follow from them.
//
// The store is the truth. A Catalog is fed by a watch of the store and, on the leader, by the leader's own commits,
// which it knows before the watch tells it; feeding the same change twice is harmless. Nothing derived is stored:
// links, counts and pools are computed from the records, so they cannot outlive their cause.
package catalog

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/ipam/tag"
)

// Catalog is safe for concurrent use through View and Update.
type Catalog struct {
	mu    sync.RWMutex
	view  View
	subs  map[*Subscription]struct{}
	moved chan struct{} // closed and replaced when the revision moves
	over  chan struct{} // closed when the store that it is of is no more
	// doubted: the pools may not follow from the records.
	doubted bool
}

// New returns an empty catalog.
func New() *Catalog {
	return &Catalog{view: newView(), subs: map[*Subscription]struct{}{}, moved: make(chan struct{}), over: make(chan struct{})}
}

// View is what the catalog knows at one revision. It is valid only inside the function that received it.
type View struct {
	revision store.Revision            // of the newest change that is known
	complete store.Revision            // everything up to here is known: what the watch and lists told
	agents   store.Revision            // last change that concerns agents
	known    map[string]store.Item     // every key as it was last seen
	gone     map[string]store.Revision // keys deleted by ourselves that the watch may still bring back

	global    *record.Global
	objects   map[string]map[string]*entry // by kind, then key
	texts     texts
	referrers map[string]map[string]set // "kind/key" -> kind -> keys of the objects that link to it
	networks  map[string]*Network
	homeless  map[string]struct{} // ids of networks that are not there, and have groups or endpoints
	spaces    map[string]space    // addresses that networks declare, by tenant
	groups    map[string]*record.Group
	tenants   map[string]*record.Tenant
	endpoints map[string]*Member
	ordered   members        // the same
	byGroup   map[string]set // endpoint ids by "group:tenant"
	services  map[string]record.Service
	claims    map[string]*record.Claim // by store key
	holds     map[string]Hold
	trail     []store.Item        // records of what happened, in order
	writers   map[writer][]string // their keys, in order

	policyRules map[string]*record.PolicyRule // by id, as the two below
	rulesFor    map[string]set                // ids of policyRules by the API key of the group that they are for
	groupUsers  map[int]int                   // records that mention a group's number
	groupVLANs  map[string]int                // VLAN ids that are a group's own, by its state id
	fabric      map[string]*record.FabricProfile
	serviceLBs  map[string]*record.ServiceLB
	providers   map[string]*record.Provider

	numbers Numbers
	other   bool             // a network has become another one of the same name, unnoticed between, or came after what is in it
	dirty   map[Ref]struct{} // changed since the subscribers were told
}

// Numbers are the pools of numbers that the whole cluster shares.
type Numbers struct {
	VLANs      *tag.Pool // VLAN ids of vlan networks
	VXLANs     *tag.Pool // VNIs
	LocalVLANs *tag.Pool // cluster-local numbers of vxlan networks, which the original used as VLAN ids
	Groups     *tag.Pool
	VRFs       *tag.Pool
}

// entry is one API object.
type entry struct {
	object model.Object
	refs   []Ref                           // objects that it links to
	text   atomic.Pointer[json.RawMessage] // with links, while neither changes; nil: not computed
}

// Ref names an object.
type Ref struct{ Kind, Key string }

type set map[string]struct{}

func newView() View {
	return View{
		known:     map[string]store.Item{},
		gone:      map[string]store.Revision{},
		objects:   map[string]map[string]*entry{},
		texts:     newTexts(),
		referrers: map[string]map[string]set{},
		networks:  map[string]*Network{},
		homeless:  map[string]struct{}{},
		spaces:    map[string]space{},
		groups:    map[string]*record.Group{},
		tenants:   map[string]*record.Tenant{},
		endpoints: map[string]*Member{},
		ordered:   newMembers(),
		byGroup:   map[string]set{},
		services:  map[string]record.Service{},
		writers:   map[writer][]string{},
		claims:    map[string]*record.Claim{},
		holds:     map[string]Hold{},

		policyRules: map[string]*record.PolicyRule{},
		rulesFor:    map[string]set{},
		groupUsers:  map[int]int{},
		groupVLANs:  map[string]int{},
		fabric:      map[string]*record.FabricProfile{},
		serviceLBs:  map[string]*record.ServiceLB{},
		providers:   map[string]*record.Provider{},

		dirty: map[Ref]struct{}{},
		numbers: Numbers{
			VLANs:      tag.NewVLANs(1, 0),
			VXLANs:     tag.New(1, 0),
			LocalVLANs: tag.New(1, maxLocal),
			Groups:     tag.New(1, maxGroup),
			VRFs:       tag.New(1, maxVRF),
		},
	}
}

// Limits of the numbers that switches carry: groups as the original had them, VRFs as conntrack zones allow
// (the upper half of the 16 bits is for hairpinned connections).
const (
	maxGroup = 65535
	maxLocal = 65535 // as many as VNIs; our switches do not use these numbers, so VLAN ids need not bound them
	maxVRF   = 32767
)

// View calls fn with what is known. fn must not block, keep the view, or change what it gets from it.
func (c *Catalog) View(fn func(v *View)) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	fn(&c.view)
}

// Change calls fn, which may take from and give back to the pools of what it sees, with everyone else shut out.
func (c *Catalog) Change(fn func(v *View)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	fn(&c.view)
}

// Wait blocks until the catalog knows a change at rev or later, ctx ends, or the store is made anew (ErrAnew). On a leader that
// may be one of its own; then what others have changed before it is still to come.
func (c *Catalog) Wait(ctx context.Context, rev store.Revision) error {
	for {
		c.mu.RLock()
		known, moved := c.view.revision, c.moved
		c.mu.RUnlock()
		if known >= rev {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.over:
			return ErrAnew
		case <-moved:
		}
	}
}

// advance moves the revision. The caller holds the lock.
func (c *Catalog) advance(rev store.Revision) {
	if rev <= c.view.revision {
		return
	}
	c.view.revision = rev
	close(c.moved)
	c.moved = make(chan struct{})
}

// Revision is the store revision of the newest change that the catalog knows.
func (c *Catalog) Revision() store.Revision {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.view.revision
}
