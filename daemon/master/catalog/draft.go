package catalog

import "github.com/contiv/contiv/daemon/store"

// Draft is a view to be changed as the store may be: what is not committed is dropped with it, and nobody else ever sees it. It is not
// safe for concurrent use.
type Draft struct{ *View }

// mark marks what only one view can see, and may change. It has a size, so that no two share an address.
type mark struct{ _ byte }

// draft returns a draft of the view. Both copy what they change from then on. It must not be called beside a change of v.
func (v *View) draft() *Draft {
	d := *v
	d.items = v.items.Clone()
	d.objects = v.objects.Clone()
	d.tenants = v.tenants.Clone()
	d.networks, d.networks6, d.pools = v.networks.Clone(), v.networks6.Clone(), v.pools.Clone()
	d.groups = v.groups.Clone()
	d.endpoints = v.endpoints.Clone()
	d.serviceLBs, d.providers = v.serviceLBs.Clone(), v.providers.Clone()
	d.holds = v.holds.Clone()
	d.dockerNetworks = v.dockerNetworks.Clone()
	d.services, d.claims = v.services.Clone(), v.claims.Clone()
	d.profiles = v.profiles.Clone()
	d.history = v.history.Clone()
	d.takings = v.takings.Clone()
	d.dirty = nil
	v.mark, d.mark = new(mark), new(mark)
	return &Draft{&d}
}

// Draft returns a draft of the draft.
func (d *Draft) Draft() *Draft { return d.draft() }

// Take takes in an operation. What a record says wrong is passed over, as it is when the store tells of it.
func (d *Draft) Take(op store.Op) {
	if op.Delete {
		d.items.Delete(op.Key)
	} else {
		d.items.Set(op.Key, store.Item{Key: op.Key, Value: op.Value, Revision: d.items.Get(op.Key).Revision})
	}
	_ = d.set(op.Key, op.Value, !op.Delete) // told of when it is committed
}
