// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"regexp"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/table"
)

// servicesNamed are registered processes by service name.
var servicesNamed = table.By[string](func(s *record.Service) string { return s.ServiceName })

// setService applies the registration of a process. Its key contains the service name. A registration without an address at which a process
// can listen is an error, and removes the previous one, because a master connects to the addresses that it reads here.
func (v *View) setService(key string, value []byte) error {
	v.services.Delete(key)
	if value == nil {
		return nil
	}
	s := new(record.Service)
	if err := json.Unmarshal(value, s); err != nil {
		return err
	}
	if err := reachable(s, key); err != nil {
		return err
	}
	v.services.Set(key, s)
	return nil
}

// hostName matches a DNS name (RFC 1123, section 2.1), by which a netmaster may be registered.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,62}\.?)*$`)

// reachable refuses anything but the address and port of one host.
func reachable(s *record.Service, key string) error {
	if want := s.Key(); key != want {
		return fmt.Errorf("the registration is of %s", want)
	}
	if s.Port < 1 || s.Port > 65535 {
		return fmt.Errorf("port %d is none: it is a number from 1 to 65535", s.Port)
	}
	a, err := netip.ParseAddr(s.HostAddr)
	switch {
	case err == nil && (a.IsUnspecified() || a.IsMulticast() || a == netip.AddrFrom4([4]byte{255, 255, 255, 255})):
		return fmt.Errorf("%s is not the address of a host", a)
	case err != nil && (s.ServiceName != record.ServiceMaster || len(s.HostAddr) > 253 || !hostName.MatchString(s.HostAddr)):
		return fmt.Errorf("%q is not the address of a host", s.HostAddr)
	}
	return nil
}

// Services returns the registered instances of a service, ordered by key.
func (v *View) Services(name string) []record.Service {
	var out []record.Service
	for _, s := range sortedBy(servicesNamed.In(&v.services, name).Values(), (*record.Service).Key) {
		out = append(out, *s)
	}
	return out
}
