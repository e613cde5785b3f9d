package catalog

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/daemon/record"
)

// putServiceLB takes in a service. Its address is its own for as long as its record exists.
func (v *View) putServiceLB(s *record.ServiceLB) error {
	v.serviceLBs[s.ID] = s
	n := v.networks[s.NetID()]
	if n == nil {
		return fmt.Errorf("network %s is unknown", s.NetID())
	}
	return ignoreTaken(n.take("", s.IPAddress, ownerOfService(s)))
}

func (v *View) dropServiceLB(key string) {
	id := strings.TrimPrefix(key, record.ServiceLBs)
	s := v.serviceLBs[id]
	if s == nil {
		return
	}
	delete(v.serviceLBs, id)
	if n := v.networks[s.NetID()]; n != nil {
		n.release("", s.IPAddress, ownerOfService(s))
	}
}

// ownerOfService is how a service appears as the owner of an address.
func ownerOfService(s *record.ServiceLB) string { return "service " + s.ID }

func (v *View) putProvider(p *record.Provider) error {
	v.providers[p.ID] = p
	return nil
}

func (v *View) dropProvider(key string) {
	delete(v.providers, strings.TrimPrefix(key, record.Providers))
}
