package sync

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// A service comes in two records: what it is, and who provides it. Either may be there first.

func serviceKey(name string) []ofnet.Key { return []ofnet.Key{{Kind: ofnet.KindService, Name: name}} }

// putServiceLB takes over the record of a service.
func (r *records) putServiceLB(key string, value []byte) ([]ofnet.Key, error) {
	name, v, err := decode(key, record.ServiceLBs, value, func(s *record.ServiceLB) string { return s.ID })
	if err != nil {
		return nil, err
	}
	out, err := serviceOf(&v)
	if err != nil {
		return nil, fmt.Errorf("record %s: %w", key, err)
	}
	r.setServiceLB(name, out)
	r.tell(func(l Listener) { l.Service(name, &v) })
	return serviceKey(name), nil
}

// setServiceLB replaces a service, or with v nil removes it.
func (r *records) setServiceLB(name string, v *ofnet.Service) {
	k := ofnet.Key{Kind: ofnet.KindService, Name: name}
	if old := r.balancers[name]; old != nil {
		r.move(k, old.Tenant, "")
		delete(r.balancers, name)
	}
	if v != nil {
		r.balancers[name] = v
		r.move(k, "", v.Tenant)
	}
}

// putProviders takes over the record of who provides a service.
func (r *records) putProviders(key string, value []byte) ([]ofnet.Key, error) {
	name, v, err := decode(key, record.Providers, value, func(p *record.Provider) string { return p.ID })
	if err != nil {
		return nil, err
	}
	list := make([]netip.Addr, 0, len(v.Providers))
	for _, text := range v.Providers {
		a, err := netip.ParseAddr(text)
		if err != nil || a.Zone() != "" {
			return nil, fmt.Errorf("record %s: provider %q is not an IP address", key, text)
		}
		list = append(list, a.Unmap())
	}
	slices.SortFunc(list, netip.Addr.Compare)
	r.providers[name] = slices.Compact(list)
	return serviceKey(name), nil
}

// wantService joins both records. Without the second one the service has no backends.
func (r *records) wantService(name string) *ofnet.Service {
	v := r.balancers[name]
	if v == nil || !r.present(v.Tenant) {
		return nil
	}
	out := *v
	for _, a := range r.providers[name] {
		if a.Is4() == v.Address.Is4() {
			out.Backends = append(out.Backends, a)
		}
	}
	return &out
}

// serviceOf makes a service of its record, without backends.
func serviceOf(v *record.ServiceLB) (*ofnet.Service, error) {
	out := &ofnet.Service{Name: v.ID, Tenant: v.Tenant, Affinity: v.Affinity != record.AffinityNone}
	var err error
	if out.Address, err = netip.ParseAddr(v.IPAddress); err != nil || out.Address.Zone() != "" {
		return nil, fmt.Errorf("%q is not an IP address", v.IPAddress)
	}
	out.Address = out.Address.Unmap()
	if v.Tenant == "" {
		return nil, fmt.Errorf("it has no tenant")
	}
	seen := map[string]bool{}
	for _, text := range v.Ports {
		p, err := servicePort(text)
		if err != nil {
			return nil, err
		}
		if seen[p.String()] {
			return nil, fmt.Errorf("port %s is there twice", p)
		}
		seen[p.String()] = true
		out.Ports = append(out.Ports, p)
	}
	return out, nil
}

// servicePort reads "servicePort:providerPort:PROTOCOL".
func servicePort(text string) (p ofnet.ServicePort, err error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return p, fmt.Errorf("want servicePort:providerPort:protocol, got %q", text)
	}
	for i, to := range []*uint16{&p.Port, &p.Target} {
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || n == 0 {
			return p, fmt.Errorf("want ports within 1..65535, got %q", text)
		}
		*to = uint16(n)
	}
	switch strings.ToLower(parts[2]) {
	case "tcp":
		p.Protocol = ofnet.ProtocolTCP
	case "udp":
		p.Protocol = ofnet.ProtocolUDP
	case "sctp":
		p.Protocol = ofnet.ProtocolSCTP
	default:
		return p, fmt.Errorf("want protocol TCP, UDP or SCTP, got %q", text)
	}
	return p, nil
}
