// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
)

// load has the counters of one backend behind one port of a service.
type load struct {
	service *ofnet.Service
	port    *ofnet.ServicePort
	backend ofnet.Backend // without an address: the port has none
	owner   bridge.OwnerStatus
	opened  bridge.Hits
	to      bridge.Hits
	from    bridge.Hits
}

// loads lists the services of the tenants that have members here, with the counters of their clients here.
func (o *Options) loads(ctx context.Context) ([]load, error) {
	services := o.Services()
	if len(services) == 0 {
		return nil, nil
	}
	hits, err := o.Forward.Hits(ctx, o.Pipeline.Number("service"))
	if err != nil {
		return nil, err
	}
	var out []load
	for _, v := range services {
		owner, _ := o.Forward.Owner(v.Key())
		for j := range v.Ports {
			p := &v.Ports[j]
			if len(p.Backends) == 0 {
				out = append(out, load{service: v, port: p, owner: owner})
			}
			for _, b := range p.Backends {
				count := func(of ofnet.Load) bridge.Hits { return hits[flow.Owner(v.LoadKey(p, b, of))] }
				out = append(out, load{service: v, port: p, backend: b, owner: owner,
					opened: count(ofnet.LoadOpened), to: count(ofnet.LoadTo), from: count(ofnet.LoadFrom)})
			}
		}
	}
	return out, nil
}

// address returns the service's first address of the backend's family.
func (l *load) address() string {
	all := l.service.Addresses()
	for _, a := range all {
		if !l.backend.Addr.IsValid() || a.Is4() == l.backend.Addr.Is4() {
			return a.String()
		}
	}
	return ""
}

// status converts the load to the type of the API.
func (l *load) status() model.ServiceStatus {
	s := model.ServiceStatus{Service: l.service.Name, Address: l.address(), Port: l.port.String(),
		Target: l.backend.Target, Phase: l.owner.Phase.String(), Error: l.owner.Err, Connections: l.opened.Packets,
		PacketsIn: l.to.Packets, BytesIn: l.to.Bytes, PacketsOut: l.from.Packets, BytesOut: l.from.Bytes}
	if l.backend.Addr.IsValid() {
		s.Backend = l.backend.Addr.String()
	}
	return s
}

// services returns the services and their counters. The query may select one, "tenant:service".
func (o *Options) services(w http.ResponseWriter, r *http.Request) {
	all, err := o.loads(r.Context())
	if err != nil {
		text(w, http.StatusServiceUnavailable, "read the counters of services: "+err.Error()+"\n")
		return
	}
	of := r.URL.Query().Get("of")
	out := []model.ServiceStatus{}
	for i := range all {
		if s := all[i].status(); of == "" || s.Service == of {
			out = append(out, s)
		}
	}
	answer(w, out)
}

// serviceMetrics are the counters of services, read from the switch at each scrape. They are absent while the switch does not answer.
type serviceMetrics struct {
	options                     Options
	connections, packets, bytes *prometheus.Desc
}

func newServiceMetrics(o Options) *serviceMetrics {
	labels := []string{"service", "port", "backend"}
	ways := append(labels[:3:3], "direction")
	return &serviceMetrics{o, prometheus.NewDesc("contiv_agent_service_connections_total", "connections of clients here that were led to a backend", labels, nil),
		prometheus.NewDesc("contiv_agent_service_packets_total", "packets between clients here and a backend", ways, nil),
		prometheus.NewDesc("contiv_agent_service_bytes_total", "bytes between clients here and a backend", ways, nil)}
}

// Describe implements prometheus.Collector.
func (m *serviceMetrics) Describe(out chan<- *prometheus.Desc) {
	out <- m.connections
	out <- m.packets
	out <- m.bytes
}

// Collect reads the counters.
func (m *serviceMetrics) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), answerTimeout)
	defer cancel()
	all, err := m.options.loads(ctx)
	if err != nil {
		return
	}
	for i := range all {
		s := all[i].status()
		if s.Backend == "" {
			continue
		}
		labels := []string{s.Service, s.Port, s.Backend}
		count := func(d *prometheus.Desc, n uint64, more ...string) {
			out <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(n), append(labels[:3:3], more...)...)
		}
		count(m.connections, s.Connections)
		count(m.packets, s.PacketsIn, "in")
		count(m.packets, s.PacketsOut, "out")
		count(m.bytes, s.BytesIn, "in")
		count(m.bytes, s.BytesOut, "out")
	}
}
