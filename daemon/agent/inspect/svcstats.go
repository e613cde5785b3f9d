// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"net/http"
	"strconv"
	"strings"
)

// The shapes of GET /svcstats, with the names that the original's clients know. It kept counters for each client; here the switch counts
// all clients of a host together, so an entry is a tenant, and EndpointIP is the host.

type trafficStats struct{ PacketsIn, BytesIn, PacketsOut, BytesOut uint64 }

func (s *trafficStats) add(o trafficStats) {
	s.PacketsIn += o.PacketsIn
	s.BytesIn += o.BytesIn
	s.PacketsOut += o.PacketsOut
	s.BytesOut += o.BytesOut
}

type endpointStats struct {
	EndpointIP string
	VrfName    string
	PortStats  trafficStats // of all services together
	SvcStats   map[string]*portStats
}

type portStats struct {
	ServiceIP, ServiceVRF, Protocol, SvcPort, ProvPort string

	SvcStats  trafficStats
	ProvStats map[string]providerStats
}

type providerStats struct {
	ProviderIP, ServiceIP, ServiceVrf string
	trafficStats
}

// svcstats answers as the original did. Its key of a service is the address; a service with several ports has an entry for each, whose keys
// continue with port and protocol.
func (o *Options) svcstats(w http.ResponseWriter, r *http.Request) {
	all, err := o.loads(r.Context())
	if err != nil {
		text(w, http.StatusServiceUnavailable, "read the counters of services: "+err.Error()+"\n")
		return
	}
	answer(w, originalStats(all, o.Driver().LocalIP))
}

func originalStats(all []load, host string) map[string]*endpointStats {
	out := map[string]*endpointStats{}
	for i := range all {
		l := &all[i]
		tenant, address := l.service.Tenant, l.address()
		e := out[tenant]
		if e == nil {
			e = &endpointStats{EndpointIP: host, VrfName: tenant, SvcStats: map[string]*portStats{}}
			out[tenant] = e
		}
		protocol, port, _ := strings.Cut(l.port.String(), "/")
		key := address
		if len(l.service.Ports) > 1 {
			key += ":" + port + ":" + strings.ToUpper(protocol)
		}
		s := e.SvcStats[key]
		if s == nil {
			s = &portStats{ServiceIP: address, ServiceVRF: tenant, Protocol: strings.ToUpper(protocol), SvcPort: port,
				ProvPort: strconv.Itoa(int(l.backend.Target)), ProvStats: map[string]providerStats{}}
			e.SvcStats[key] = s
		}
		if !l.backend.Addr.IsValid() {
			continue
		}
		t := trafficStats{l.to.Packets, l.to.Bytes, l.from.Packets, l.from.Bytes}
		s.ProvStats[l.backend.Addr.String()] = providerStats{l.backend.Addr.String(), address, tenant, t}
		s.SvcStats.add(t)
		e.PortStats.add(t)
	}
	return out
}
