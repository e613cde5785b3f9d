// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"cmp"
	"context"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
)

const (
	poolsAtOnce = 32 // networks requested in one poll
	fewNetworks = 16 // up to this number all are requested after a change that names no network
)

// poolAnswer is what is read of a network's inspect. Its endpoints, of which there may be tens of thousands, are passed over.
type poolAnswer struct {
	Oper *struct {
		Count       int    `json:"allocatedAddressesCount"`
		VNI         int    `json:"externalPktTag"`
		Tag         int    `json:"pktTag"`
		Allocated   string `json:"allocatedIPAddresses"`
		Available   string `json:"availableIPAddresses"`
		Held        string `json:"heldIPAddresses"`
		Quarantined string `json:"quarantinedIPAddresses"`
		Pooled      string `json:"pooledIPAddresses"`
	}
}

// pools requests the addresses of networks, one after the other. If netmaster does not answer, it leaves the rest for later.
func (f *Feed) pools(ctx context.Context, keys []string) {
	for i, key := range keys {
		var a poolAnswer
		ask, cancel := context.WithTimeout(ctx, askTimeout)
		err := f.client.InspectRaw(ask, model.KindNetwork(), &a, key)
		cancel()
		switch {
		case client.IsCode(err, model.CodeUnavailable) || ctx.Err() != nil: // the request for nodes reports that netmaster is gone
			f.store.requeue(keys[i:]...)
			return
		case err != nil || a.Oper == nil: // it may just have been deleted
		default:
			f.store.pool(key, Pool{Count: a.Oper.Count, VNI: cmp.Or(a.Oper.VNI, a.Oper.Tag), Allocated: a.Oper.Allocated, Available: a.Oper.Available,
				Held: a.Oper.Held, Quarantined: a.Oper.Quarantined, Pooled: a.Oper.Pooled, At: f.store.now()})
		}
	}
}

// queue has the networks to request, in order, each once.
type queue struct {
	keys []string
	in   map[string]bool
}

func (q *queue) add(key string) {
	if q.in == nil {
		q.in = map[string]bool{}
	}
	if !q.in[key] {
		q.in[key] = true
		q.keys = append(q.keys, key)
	}
}

func (q *queue) receive() string {
	key := q.keys[0]
	q.keys = q.keys[1:]
	delete(q.in, key)
	return key
}

// stale returns networks in which something happened since their last request, up to a maximum.
func (s *store) stale(most int) (out []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(out) < most && len(s.touched.keys) > 0 {
		if key := s.touched.receive(); s.of(model.KindNetwork().Name).Has(key) {
			out = append(out, key)
		}
	}
	return out
}

// requeue adds networks to the queue.
func (s *store) requeue(keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		s.touched.add(key)
	}
}

// touchedBy notes the network of an endpoint.
func (s *store) touchedBy(e *Endpoint) {
	s.touched.add(e.NetworkKey())
}

// touch notes the network in which an object is, or was, or that it is.
func (s *store) touch(o model.Object) {
	tenant, _ := o.Field("tenantName").(string)
	if name, _ := o.Field("networkName").(string); name != "" {
		s.touched.add(model.Key(tenant, name))
	}
}

// touchAll notes all networks, if they are few: something happened of which is not announced where.
func (s *store) touchAll() {
	networks := s.of(model.KindNetwork().Name)
	if networks.Len() > fewNetworks {
		return // they are requested in turn
	}
	for key := range networks.All() {
		s.touched.add(key)
	}
}
