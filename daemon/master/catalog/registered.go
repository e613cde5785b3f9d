package catalog

import (
	"fmt"
	"net/netip"
	"regexp"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// putService takes in the registration of a process. What it is registered as is in its key. One that names no place where a process
// can listen is an error, and what was there before is forgotten: a master connects to what it reads here.
func (v *View) putService(it store.Item) error {
	s, err := decode[record.Service](it)
	if err == nil {
		err = reachable(s, it.Key)
	}
	if err != nil {
		delete(v.services, it.Key)
		return err
	}
	v.services[it.Key] = *s
	return nil
}

// hostName is a name of the DNS (RFC 1123, section 2.1), by which a netmaster may be registered.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9-]{0,62}\.?)*$`)

// reachable refuses what is no address and port of one host.
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

func (v *View) dropService(key string) { delete(v.services, key) }
