package catalog

import (
	"iter"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/mirror"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/table"
)

// View is what the catalog knows at one revision. It is valid only inside the function that received it.
type View struct {
	items    *table.Table[string, store.Item] // what the store holds
	revision store.Revision                   // of the newest change that is known
	agents   store.Revision                   // last change that concerns agents

	global         *record.Global
	objects        *table.Table[Ref, *entry]
	tenants        *of[record.Tenant]
	networks       *table.Table[identity.Network, *Network]
	networks6      *table.Table[identity.Network, *Network] // those with IPv6
	groups         *table.Table[identity.Group, *record.Group]
	endpoints      *table.Table[identity.Endpoint, *Member]
	serviceLBs     *table.Table[identity.Service, *record.ServiceLB]
	providers      *table.Table[identity.Service, *record.Provider]
	holds          *table.Table[networkAddress, *Hold]
	dockerNetworks *of[record.DockerNetwork]
	services       *of[record.Service]
	claims         *of[record.Claim]
	profiles       *of[record.ACIProfile]
	history        *of[event]
	takings        *of[taking]    // of addresses; by store key
	users          map[number]int // how many records take a number

	numbers Numbers
	partial map[identity.Network]struct{} // ids of networks whose pools lack what came before them
	dirty   map[Ref]struct{}              // changed since the subscribers were told
}

// of is a table of records that have no identity but what follows the prefix in their store keys.
type of[V any] = table.Table[string, *V]

func newView(m *mirror.Mirror) *View {
	return &View{
		items:          m.Items(),
		objects:        table.New(countOfKind, objectsInOrder, objectsByLink),
		tenants:        table.New[string, *record.Tenant](),
		networks:       table.New(networksOfTenant, space4),
		networks6:      table.New(space6),
		groups:         table.New(groupsOfTenant, groupsOnNetwork),
		endpoints:      table.New(endpointsInOrder, endpointsOnNetwork, endpointsInGroup, endpointsOfPod),
		serviceLBs:     table.New(servicesOfTenant),
		providers:      table.New[identity.Service, *record.Provider](),
		holds:          table.New(holdsOnNetwork),
		dockerNetworks: table.New(dockerOfNetwork, dockerOfGroup, dockerOfHost),
		services:       table.New(servicesNamed, agentsOf),
		claims:         table.New[string, *record.Claim](),
		profiles:       table.New[string, *record.ACIProfile](),
		history:        table.New(eventsInOrder, eventsByWriter, countByWriter),
		takings:        table.New(takingsOfAddress, addressesTaken),
		users:          map[number]int{},
		numbers:        newNumbers(),
		partial:        map[identity.Network]struct{}{},
		dirty:          map[Ref]struct{}{},
	}
}

// Revision is the store revision of the newest change in the view.
func (v *View) Revision() store.Revision { return v.revision }

// AgentRevision is the revision of the last change that agents must carry out.
func (v *View) AgentRevision() store.Revision { return v.agents }

// KeyRevision is the revision of the last change of a key, 0 when it does not exist.
func (v *View) KeyRevision(key string) store.Revision { return v.items.Get(key).Revision }

// Value is what the store holds at key, nil when there is nothing. The caller must not change it.
func (v *View) Value(key string) []byte { return v.items.Get(key).Value }

// Values yields the keys and values of all that the store holds, in no order. The caller must not change these.
func (v *View) Values() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		for key, item := range v.items.All() {
			if !yield(key, item.Value) {
				return
			}
		}
	}
}

// Try takes in an operation that may never be committed, so that the rules of the next object of the same request see
// it, and returns how to take it back. It is for use within Change, and must be taken back before Change ends, last
// first: no one else ever sees it.
func (v *View) Try(op store.Op) (back func(), err error) {
	before, had := v.items.Lookup(op.Key)
	put := func(it store.Item, has bool) error {
		if has {
			v.items.Set(it.Key, it)
		} else {
			v.items.Delete(it.Key)
		}
		return v.set(it.Key, it.Value, has)
	}
	err = put(store.Item{Key: op.Key, Value: op.Value, Revision: before.Revision}, !op.Delete)
	before.Key = op.Key
	// What was there was taken in before, so it can be again.
	return func() { _ = put(before, had) }, err
}

// Global is the effective configuration, nil before the first leader has written it.
func (v *View) Global() *record.Global { return v.global }

// rebuild makes all pools again, of what the tables hold.
func (v *View) rebuild() {
	v.numbers = newNumbers()
	if g, ok := v.Stored(model.KindGlobal(), "global").(*model.Global); ok {
		_ = v.resize(g) // its ranges were taken in before
	}
	v.takeNumbers()
	for id := range v.networks.All() {
		v.partial[id] = struct{}{}
	}
	v.refill()
}
