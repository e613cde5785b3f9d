// SPDX-License-Identifier: Apache-2.0

package desired

import "github.com/contiv/contiv/table"

// Surroundings returns a channel that is closed when records arrive that concern the host beyond its switch: networks, endpoints, services,
// hosts, and their ports. Policies, groups and rules are not among them.
func (e *Engine) Surroundings() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.moved
}

// Joined returns a channel that is closed when hosts or netmasters are added, changed or removed.
func (e *Engine) Joined() <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.joined
}

// joins reports whether hosts or netmasters differ in two records.
func (r *records) joins(before *records) bool {
	return !same(before, r, machines) || !same(before, r, masters)
}

// moves reports whether the surroundings differ in two records. Equal tables share their rows, so it compares no rows.
func (r *records) moves(before *records) bool {
	return r.global != before.global || !same(before, r, tenants) || !same(before, r, networks) || !same(before, r, services) || !same(before, r, providers) ||
		!same(before, r, endpoints) || !same(before, r, hosts) || r.joins(before) || !same(before, r, kubeServices) || !same(before, r, endpointSlices) ||
		!same(before, r, kubeNodes) || !same(before, r, namespaces)
}

func same[K comparable, V any](before, after *records, of func(*records) *table.Table[K, V]) bool {
	return table.Same(of(before), of(after))
}
