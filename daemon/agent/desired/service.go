// SPDX-License-Identifier: Apache-2.0

package desired

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/ofnet"
)

// A service of Contiv's own has two records: its definition and its providers. They may arrive in any order.

// wantService joins both records. Without the second one the service has no backends.
func (r *records) wantService(name string) *ofnet.Service {
	if id, tenant, ok := parseKubeName(name); ok {
		return r.wantKubeService(id, tenant)
	}
	v := r.services.Get(name)
	if v == nil || !r.present(v.ID.Tenant) {
		return nil
	}
	var providers []netip.Addr
	if p := r.providers.Get(name); p != nil {
		providers = slices.DeleteFunc(slices.Clone(p.Addresses), func(a netip.Addr) bool { return a.Is4() != v.IP.Is4() })
	}
	out, err := serviceOf(v, providers)
	if err != nil {
		return nil // put has reported the error
	}
	return out
}

// serviceOf returns the service of a record, each of whose ports has the same providers, in order.
func serviceOf(v *record.ServiceLB, providers []netip.Addr) (*ofnet.Service, error) {
	if !v.IP.IsValid() {
		return nil, fmt.Errorf("it has no IP address")
	}
	out := &ofnet.Service{Name: v.ID.String(), Tenant: v.ID.Tenant, External: []netip.Addr{v.IP},
		Affinity: ofnet.Affinity{Client: v.Affinity != record.AffinityNone}}
	seen := map[string]bool{}
	for _, text := range v.Ports {
		p, target, err := servicePort(text)
		if err != nil {
			return nil, err
		}
		for _, a := range providers {
			p.Backends = append(p.Backends, ofnet.Backend{Addr: a, Target: target})
		}
		if seen[p.String()] {
			return nil, fmt.Errorf("port %s is there twice", p.String())
		}
		seen[p.String()] = true
		out.Ports = append(out.Ports, p)
	}
	return out, nil
}

// servicePort parses "servicePort:providerPort:PROTOCOL".
func servicePort(text string) (p ofnet.ServicePort, target uint16, err error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return p, 0, fmt.Errorf("want servicePort:providerPort:protocol, got %q", text)
	}
	for i, to := range []*uint16{&p.Port, &target} {
		n, err := strconv.ParseUint(parts[i], 10, 16)
		if err != nil || n == 0 {
			return p, 0, fmt.Errorf("want ports within 1..65535, got %q", text)
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
		return p, 0, fmt.Errorf("want protocol TCP, UDP or SCTP, got %q", text)
	}
	return p, target, nil
}
