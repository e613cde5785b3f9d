// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"strings"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/translate"
	"github.com/contiv/contiv/daemon/master/commit"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/sanitize"
)

// defaultTenant is the tenant of namespaces that name none.
const defaultTenant = "default"

// balances has the services with load balancers in a term, by the services' ids.
type balances struct {
	services   map[string]*translate.Balanced
	given      map[string]allotment // as in the store
	lacking    map[string]struct{}  // services that cannot get their addresses now
	unreported map[string]struct{}  // services whose status may be outdated
	refused    map[string]string    // addresses that services name but do not get, as texts; nil: not checked
}

// allotment is what the store gives a service; it is empty if the service is not ours.
type allotment struct {
	record *record.LoadBalancer
	err    error
}

func newBalances() balances {
	return balances{services: map[string]*translate.Balanced{}, given: map[string]allotment{}, lacking: map[string]struct{}{}, unreported: map[string]struct{}{}}
}

// put records a service.
func (b *balances) put(key string, s *translate.Balanced) {
	b.services[key] = s
	b.unreported[key] = struct{}{}
}

// drop removes a service.
func (b *balances) drop(key string) {
	delete(b.services, key)
	delete(b.unreported, key)
}

// replace replaces all services.
func (b *balances) replace(all []kube.Object) {
	clear(b.services)
	clear(b.unreported)
	for _, o := range all {
		b.put(o.Key, o.Value.(*translate.Balanced))
	}
}

// moved schedules the services of a namespace, or of all namespaces (""), for comparison, since their tenant may have changed.
func (k *knowledge) moved(namespace string) {
	for key, s := range k.services {
		if (namespace == "" || s.ID.Namespace == namespace) && balanced(s.KubernetesService) {
			k.differs[record.KubernetesServices+key] = struct{}{}
		}
	}
}

// status returns the expected status of a service, as far as it is ours; ok is false if nothing must change. Addresses that our condition
// lists as given are ours; all others belong to another controller, which then serves the service.
func (b *balances) status(key string) (s *translate.Balanced, want translate.BalancerState, ok bool) {
	s, a := b.services[key], b.given[key]
	if _, known := b.given[key]; s == nil || !known {
		return s, want, false
	}
	if want = s.Status; want.Given {
		want.Addresses = nil
	}
	want.Reported, want.Given, want.Reason, want.Message = false, false, "", ""
	refused := want.Refused
	if b.refused != nil {
		refused = b.refused[key]
	}
	want.Refused, want.Unread = refused, ""
	if parts := s.Unread; len(parts) > 0 {
		want.Unread = sanitize.Line("these parts are not carried out: "+some(parts, reasonsNamed, "; "), longMessage)
	}
	switch {
	case a.record != nil:
		want = translate.BalancerState{Addresses: a.record.Addresses, Reported: true, Given: true, Reason: "Given", Message: "of network " + a.record.Network.String(), Refused: refused, Unread: want.Unread}
	case a.err != nil && len(want.Addresses) == 0 && !want.Foreign:
		want.Reported, want.Reason, want.Message = true, "NoAddress", a.err.Error()
	}
	return s, want, !want.Equal(&s.Status)
}

// allot gives a service its addresses in the store, in the transaction that writes its record; the result holds once that commits. It is
// not complete while the term knows no namespaces, and so not the service's tenant.
func (e *Engine) allot(tx *commit.Tx, known *knowledge, key string) (a allotment, complete bool, err error) {
	id, err := identity.ParseKubernetesService(key)
	if err != nil {
		return a, false, err
	}
	e.mu.Lock()
	var service *record.KubernetesService
	if s := known.services[key]; s != nil {
		service = s.KubernetesService
	}
	_, placed := known.complete[kube.Namespaces]
	tenant := known.places[id.Namespace].Tenant
	e.mu.Unlock()
	if tenant == "" {
		tenant = defaultTenant
	}
	if !placed && balanced(service) {
		return a, false, nil
	}
	a.record, a.err = allot(tx, id, service, tenant, e.BalancerNetwork)
	return a, true, nil
}

// serviceOf returns the service of a store key.
func serviceOf(key string) (service string, ok bool) {
	return strings.CutPrefix(key, record.KubernetesServices)
}

// allotted records the results of a transaction.
func (e *Engine) allotted(done map[string]allotment) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key, a := range done {
		delete(e.known.lacking, key)
		if a.err != nil {
			e.known.lacking[key] = struct{}{}
		}
		if e.known.services[key] == nil {
			delete(e.known.given, key)
			continue
		}
		e.known.given[key] = a
		e.known.unreported[key] = struct{}{}
	}
	e.wakeReporter()
}

// lacking reports whether a service cannot get its addresses now.
func (e *Engine) lacking() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.known.lacking) > 0
}

// again schedules these services for comparison.
func (e *Engine) again() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key := range e.known.lacking {
		e.known.differs[record.KubernetesServices+key] = struct{}{}
	}
}

// wakeReporter wakes the reporter of statuses.
func (e *Engine) wakeReporter() {
	select {
	case e.statusDue <- struct{}{}:
	default:
	}
}

// popUnreported returns the services whose status may be outdated, and clears the set.
func (e *Engine) popUnreported() (keys []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for key := range e.known.unreported {
		keys = append(keys, key)
	}
	clear(e.known.unreported)
	return keys
}

// status is balances.status.
func (e *Engine) status(key string) (*translate.Balanced, translate.BalancerState, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.known.status(key)
}
