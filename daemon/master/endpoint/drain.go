// SPDX-License-Identifier: Apache-2.0

package endpoint

import (
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// DrainLease is how long a host stays drained after the last request to drain it. After an interrupted drain the host accepts endpoints
// again once it is over, and all hosts do after a change of the leader, until the next request.
const DrainLease = 15 * time.Second

// drains has the hosts that accept no new endpoints. It is safe for concurrent use.
type drains struct {
	now func() time.Time

	mu    sync.Mutex
	until map[string]time.Time // by label
}

// Drain makes a host accept no new endpoints for DrainLease.
func (s *Service) Drain(host string) {
	d := s.drains
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until[host] = d.now().Add(DrainLease)
}

// EndDrain makes a host accept endpoints again.
func (s *Service) EndDrain(host string) {
	s.drains.mu.Lock()
	defer s.drains.mu.Unlock()
	delete(s.drains.until, host)
}

// check refuses a new endpoint of a drained host.
func (d *drains) check(host string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	until, drained := d.until[host]
	switch {
	case !drained:
		return nil
	case d.now().After(until):
		delete(d.until, host)
		return nil
	}
	return model.Errorf(model.CodeConflict, "ConfigEP.Host", "host %s takes no new containers: contiv leave --drain runs there", host).
		Try("start the container on another host; in Kubernetes, kubectl cordon %s keeps pods away", host)
}
