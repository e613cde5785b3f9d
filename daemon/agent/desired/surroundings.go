package desired

import "github.com/contiv/contiv/table"

// Surroundings is closed when something has been heard after the call that a host has to do with beside its switch: networks, endpoints,
// services, hosts, and their ports. Policies, groups and rules are not of these.
func (e *Engine) Surroundings() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.moved
}

// Joined is closed when hosts or netmasters have come, changed or gone after the call.
func (e *Engine) Joined() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.joined
}

// joins says whether hosts or netmasters differ in two records.
func (r *records) joins(before *records) bool {
	return !same(before, r, machines) || !same(before, r, masters)
}

// moves says whether the surroundings differ in two records. What differs in nothing shares its rows, so this does not look at them.
func (r *records) moves(before *records) bool {
	return r.global != before.global || !same(before, r, tenants) || !same(before, r, networks) || !same(before, r, services) || !same(before, r, providers) ||
		!same(before, r, endpoints) || !same(before, r, hosts) || r.joins(before) || !same(before, r, kubeServices) || !same(before, r, endpointSlices) ||
		!same(before, r, kubeNodes) || !same(before, r, namespaces)
}

func same[K comparable, V any](before, after *records, of func(*records) *table.Table[K, V]) bool {
	return table.Same(of(before), of(after))
}
