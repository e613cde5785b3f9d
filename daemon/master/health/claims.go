// SPDX-License-Identifier: Apache-2.0

package health

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// DisputedAddress is an address that a host reports as its own and that netmaster does not accept as its own.
type DisputedAddress struct {
	Host, Address string
	Whose         string // who has the address, in words; "": no one, but no other machine is in its subnet either
}

// Clash is an infra network that a host cannot join: it has the network's name or subnet already.
type Clash struct{ Host, Network, What string }

// clashes finds hosts that cannot join infra networks as these are.
func clashes(s *Snapshot) (out []model.Finding) {
	for network, list := range grouped(s.Clashes, func(c *Clash) string { return c.Network }) {
		var what []string
		for _, c := range list {
			what = append(what, c.What)
		}
		out = append(out, model.Finding{Code: model.FindingInfraClash, Severity: model.SeverityError, Object: "network/" + network, Host: list[0].Host,
			Evidence: brief(what) + ": the host cannot join the infra network, or loses its way to others there",
			Remedy:   "delete the network and create it with another name and subnet, or give the host others", Next: "netctl network inspect " + network})
	}
	return out
}

// Refusal is an address that a service of Kubernetes names and does not have.
type Refusal struct{ Service, What string }

// refusals finds services that do not have addresses that they name.
func refusals(s *Snapshot) (out []model.Finding) {
	for service, list := range grouped(s.Refusals, func(r *Refusal) string { return r.Service }) {
		var what []string
		for _, r := range list {
			what = append(what, r.What)
		}
		out = append(out, model.Finding{Code: model.FindingAddressRefused, Severity: model.SeverityWarning, Object: "service/" + service,
			Evidence: "the service does not have addresses that it names: " + brief(what),
			Remedy:   "name other addresses or ports in externalIPs, or have the load balancer's controller write others into the status", Next: "netctl ksvc inspect " + service})
	}
	return out
}

// named is how many things of a kind a finding names.
const named = 5

// disputed finds hosts that report addresses of others, and addresses of hosts that containers reach although only the host itself claims them.
func disputed(s *Snapshot) (out []model.Finding) {
	for host, list := range grouped(s.Disputed, func(c *DisputedAddress) string { return c.Host }) {
		var taken, alone []string
		for _, c := range list {
			if c.Whose == "" {
				alone = append(alone, c.Address)
			} else {
				taken = append(taken, c.Address+", which is "+belongs(c.Whose))
			}
		}
		note := func(code model.FindingCode, severity model.Severity, evidence, remedy string) {
			out = append(out, model.Finding{Code: code, Severity: severity, Object: "host/" + host, Evidence: evidence, Remedy: remedy, Next: "netctl node ls -o wide"})
		}
		if len(taken) > 0 {
			note(model.FindingAddressClaimed, model.SeverityWarning, "it reports "+brief(taken)+" as its own; that closes nothing", "give the host, or the network, other addresses; if the host is not to have them, find out who set them")
		}
		if len(alone) > 0 {
			note(model.FindingAddressOpen, model.SeverityInfo, fmt.Sprintf("it reports %s as its own, where no other host has an address: containers of other hosts reach what listens there", brief(alone)),
				"close it with --protected-prefixes of netplugin on all hosts, if containers can be routed there")
		}
	}
	return out
}

// belongs is "of network x" for what has several addresses, and else the owner.
func belongs(whose string) string {
	if strings.HasPrefix(whose, "the private subnet") {
		return "in " + whose
	}
	return "of " + whose
}

// brief lists the first few of some texts.
func brief(list []string) string {
	text := strings.Join(list[:min(len(list), named)], ", ")
	if more := len(list) - named; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}
