// SPDX-License-Identifier: Apache-2.0

package dns

import (
	"net"
	"net/netip"
	"strings"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/daemon/agent/names"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// protocols are their labels in names.
var protocols = map[string]uint8{"_tcp": 6, "_udp": 17, "_sctp": 132}

// Answer fills in the answer to a client of a tenant about a name, which is in lower case and without a trailing dot: records, or that the
// name does not exist. ok is false if the name is not the cluster's; without services no name is.
func (c *kubeNames) Answer(tenant, name string, a *dns.Msg) (ok bool) {
	if c.Services.Len() == 0 || c.domain == "" {
		return false
	}
	rest, ok := strings.CutSuffix(name, "."+c.domain)
	if !ok && name != c.domain {
		return false
	}
	labels := strings.Split(rest, ".")
	if name == c.domain {
		labels = nil
	}
	r := kubeReply{c, a, a.Question[0]}
	if !r.about(tenant, labels) {
		a.Rcode = dns.RcodeNameError
	}
	return true
}

// Owner returns the name of the service, or of the backend, that has an address of the tenant; "" if there is none.
func (c *kubeNames) Owner(tenant string, address netip.Addr) string {
	for v := range names.KubernetesServicesAt.In(c.Services, address).Values() {
		if c.has(tenant, v.ID) {
			return c.fqdn(v.ID)
		}
	}
	for id := range names.SlicesOf.Each(c.Slices) {
		if v := c.Services.Get(id.String()); v == nil || !v.Headless || !c.has(tenant, id) {
			continue
		}
		for _, b := range c.backends(id) {
			if b.Address == address {
				return b.host() + "." + c.fqdn(id)
			}
		}
	}
	return ""
}

// fqdn is the whole name of a service.
func (c *kubeNames) fqdn(id identity.KubernetesService) string {
	return strings.ToLower(id.Name+"."+id.Namespace) + ".svc." + dns.Fqdn(c.domain)
}

// kubeReply is an answer under construction.
type kubeReply struct {
	*kubeNames
	*dns.Msg
	question dns.Question
}

// about answers about the labels below the domain; false if the name does not exist.
func (r *kubeReply) about(tenant string, labels []string) bool {
	n := len(labels)
	if n == 0 {
		return true
	}
	switch kind := labels[n-1]; {
	case n == 1 && kind == "dns-version":
		if r.asks(dns.TypeTXT) {
			r.Msg.Answer = append(r.Msg.Answer, &dns.TXT{Hdr: r.header(dns.TypeTXT), Txt: []string{"1.1.0"}})
		}
		return true
	case kind == "pod" && n <= 3:
		return r.pod(labels[:n-1])
	case kind != "svc":
		return false
	case n == 1:
		return true
	}
	namespace := labels[n-2]
	if n == 2 {
		return r.exists(namespace)
	}
	id := identity.KubernetesService{Namespace: namespace, Name: labels[n-3]}
	v := r.Services.Get(id.String())
	if v == nil || !r.has(tenant, id) {
		return false
	}
	return r.service(v, labels[:n-3])
}

// pod answers about ADDRESS.NAMESPACE.
func (r *kubeReply) pod(labels []string) bool {
	switch len(labels) {
	case 0:
		return true
	case 1:
		return r.exists(labels[0])
	}
	a, ok := undashed(labels[0])
	if !ok || !r.exists(labels[1]) {
		return false
	}
	r.address(r.question.Name, a, true)
	return true
}

// service answers about a service, or what is below it: a backend, or a port by protocol and name.
func (r *kubeReply) service(v *record.KubernetesService, below []string) bool {
	switch {
	case v.ExternalName != "":
		if len(below) > 0 {
			return false
		}
		r.Msg.Answer = append(r.Msg.Answer, &dns.CNAME{Hdr: r.header(dns.TypeCNAME), Target: dns.Fqdn(v.ExternalName)})
		return true
	case len(below) == 0 && !v.Headless:
		for _, a := range v.ClusterIPs {
			r.address(r.question.Name, a, true)
		}
		r.ports(v, "", "")
		return true
	case len(below) == 0:
		list := r.backends(v.ID)
		for i := range list {
			r.address(r.question.Name, list[i].Address, true)
		}
		r.ports(v, "", "")
		return len(list) > 0 || v.Selector
	case len(below) == 1 && protocols[below[0]] != 0:
		return true
	case len(below) == 1:
		found := false
		for _, b := range r.backends(v.ID) {
			if v.Headless && b.host() == below[0] {
				found = true
				r.address(r.question.Name, b.Address, true)
			}
		}
		return found
	case len(below) == 2 && strings.HasPrefix(below[0], "_") && protocols[below[1]] != 0:
		return r.ports(v, below[0][1:], below[1])
	}
	return false
}

// ports answers with the ports of a service, or with the one of a name and protocol; false if there is none.
func (r *kubeReply) ports(v *record.KubernetesService, name, protocol string) (found bool) {
	named := func(port string, number uint8) bool {
		return protocol == "" || strings.EqualFold(port, name) && number == protocols[protocol]
	}
	if !v.Headless {
		for _, p := range v.Ports {
			if named(p.Name, p.Protocol) {
				found = true
				r.srv(p.Port, r.fqdn(v.ID), v.ClusterIPs...)
			}
		}
		return found
	}
	for _, b := range r.backends(v.ID) {
		for _, p := range b.ports {
			if named(p.Name, p.Protocol) {
				found = true
				r.srv(p.Port, b.host()+"."+r.fqdn(v.ID), b.Address)
			}
		}
	}
	return found
}

// srv adds a port at a target, and the target's addresses.
func (r *kubeReply) srv(port uint16, target string, addrs ...netip.Addr) {
	if !r.asks(dns.TypeSRV) {
		return
	}
	r.Msg.Answer = append(r.Msg.Answer, &dns.SRV{Hdr: r.header(dns.TypeSRV), Weight: 100, Port: port, Target: target})
	for _, a := range addrs {
		r.address(target, a, false)
	}
}

// asks reports whether the query is for records of a type.
func (r *kubeReply) asks(rrtype uint16) bool {
	return r.question.Qtype == rrtype || r.question.Qtype == dns.TypeANY
}

func (r *kubeReply) header(rrtype uint16) dns.RR_Header {
	return dns.RR_Header{Name: r.question.Name, Rrtype: rrtype, Class: dns.ClassINET, Ttl: ttl}
}

// address adds an address of a name: as the answer if it was requested, otherwise as an additional record, each once.
func (r *kubeReply) address(name string, a netip.Addr, asked bool) {
	rrtype := dns.TypeAAAA
	if a.Is4() {
		rrtype = dns.TypeA
	}
	if asked && !r.asks(rrtype) {
		return
	}
	h := dns.RR_Header{Name: name, Rrtype: rrtype, Class: dns.ClassINET, Ttl: ttl}
	var rr dns.RR = &dns.AAAA{Hdr: h, AAAA: net.IP(a.AsSlice())}
	if a.Is4() {
		rr = &dns.A{Hdr: h, A: net.IP(a.AsSlice())}
	}
	to := &r.Msg.Extra
	if asked {
		to = &r.Msg.Answer
	}
	for _, other := range *to {
		if dns.IsDuplicate(other, rr) {
			return
		}
	}
	*to = append(*to, rr)
}
