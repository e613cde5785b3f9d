package endpoint

import (
	"sync"
	"time"

	"github.com/contiv/contiv/api/model"
)

// DrainLease is how long a host is drained after the last request that says so. A host whose drain is interrupted takes endpoints again then, and so does
// every host when another netmaster leads, until the request comes again.
const DrainLease = 15 * time.Second

// drains are the hosts that take no new endpoints. It is safe for concurrent use.
type drains struct {
	now func() time.Time

	mu    sync.Mutex
	until map[string]time.Time // by label
}

// Drain has a host take no new endpoints for DrainLease.
func (s *Service) Drain(host string) {
	d := s.drains
	d.mu.Lock()
	defer d.mu.Unlock()
	d.until[host] = d.now().Add(DrainLease)
}

// EndDrain has a host take endpoints again.
func (s *Service) EndDrain(host string) {
	s.drains.mu.Lock()
	defer s.drains.mu.Unlock()
	delete(s.drains.until, host)
}

// check refuses a new endpoint of a host that is drained.
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
