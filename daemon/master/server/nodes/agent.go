// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// host is a host as the catalog has it, without its agent's report.
type host struct {
	*record.Host
	runs      bool
	endpoints int
}

// contacts are the sessions of agents with netmasters.
type contacts struct {
	sessions map[string][]contact // by host
	silent   []string             // netmasters that did not answer
}

// contact is a session of an agent with a netmaster.
type contact struct {
	*channel.Session
	status *model.AgentStatus // nil: the agent has sent none; it must not be changed
}

func newContacts(served []channel.Served, known *reports) contacts {
	out := contacts{sessions: map[string][]contact{}}
	for i := range served {
		if served[i].Err != nil {
			out.silent = append(out.silent, served[i].Master)
		}
		for j := range served[i].Sessions {
			s := &served[i].Sessions[j]
			out.sessions[s.Host] = append(out.sessions[s.Host], contact{s, known.of[reporter{served[i].Master, s.Host, s.Instance}].status})
		}
	}
	return out
}

// of returns the newest session of the agent of a host; ok is false if there is none.
func (h *contacts) of(r *record.Host) (last contact, ok bool) {
	for _, s := range h.sessions[r.Label] {
		if s.Of(r.Label, r.Instance) && (!ok || s.Since.After(last.Since)) {
			last, ok = s, true
		}
	}
	return last, ok
}

// missed describes why no session of the agent of a host is known.
func (h *contacts) missed(of *host) string {
	switch {
	case len(h.silent) > 0:
		return "unknown: did not answer: netmaster " + strings.Join(h.silent, ", ") + ", to which it may report"
	case of.runs:
		return "it is not connected to any netmaster now"
	}
	return "its agent is down, or reaches no netmaster; when the machine is gone for good: netctl node forget " + of.Label
}

// agent returns the node of a host's agent, from its last report.
func (s *Nodes) agent(h *host, contacts *contacts) model.Node {
	n := model.Node{Name: h.Label, Role: model.RoleAgent, Version: h.Version, VTEP: record.Text(h.VTEP)}
	if h.Control.IsValid() {
		n.Address = h.Control.String()
	}
	last, ok := contacts.of(h.Host)
	if !ok {
		n.Ports, n.Reason, n.Down = h.endpoints, contacts.missed(h), !h.runs && len(contacts.silent) == 0
		if why := s.refusal(h); why != "" {
			n.Reason, n.Down = why, false
		}
		return n
	}
	status := last.status
	if status == nil {
		n.Reason = "its agent has not reported its state yet, since " + last.Since.UTC().Format(time.RFC3339)
		return n
	}
	fill(&n, status, h.endpoints)
	n.Revision, n.Lag = last.Revision, 0
	wanted := s.Relay.Wanted(n.Name)
	if wanted > last.Revision {
		n.Lag = wanted - last.Revision
	}
	for _, d := range last.Differed {
		n.Differed = append(n.Differed, model.Differed{Shard: string(d.Shard), Times: d.Times, Last: d.Last.UTC().Format(time.RFC3339), Still: d.Still})
	}
	return n
}

// refusal returns why the agent of a host has no session, if it or this netmaster does not accept the certificate of the other; "" if it is not that.
func (s *Nodes) refusal(h *host) string {
	if s.Refused == nil || !h.Control.IsValid() {
		return ""
	}
	if why := s.Refused(h.Control.Addr().String(), trust.Agent); why != "" {
		return model.CertificateRefused + why
	}
	return ""
}

// fill copies an agent's report into its node. homed is the number of endpoints on its host.
func fill(n *model.Node, status *model.AgentStatus, homed int) {
	n.Version, n.Protocol, n.Ready, n.Flows = status.Version, status.Protocol, status.Ready, status.Flows
	n.Ports, n.Since, n.FlowMods = status.Endpoints, status.Since, status.FlowMods
	failed := unnamed(status)
	n.Errors, n.Named = len(status.Errors), len(status.Errors)-len(failed)
	n.Uplinks, n.Bond, n.Differs, n.MTU, n.AgentReport = status.Uplinks, status.Bond, status.Differs, status.MTU, status.AgentReport
	// A copy: netctl doctor adds findings.
	n.Findings = slices.Clone(status.Findings)
	if n.Missing = max(0, homed-status.Endpoints); status.Portless != nil { // as of one moment, while homed is newer than the report
		n.Missing = *status.Portless
	}
	switch {
	case len(status.Waiting) > 0:
		n.Reason = "waits for " + status.Waiting[0]
	case len(status.Errors) > 0:
		first := append(failed, status.Errors...)[0]
		n.Reason = first.Owner + ": " + first.Error
	case n.Missing > 0:
		n.Reason = fmt.Sprintf("%d of %d endpoints have no interface there; netctl drift %s names them", n.Missing, max(homed, n.Missing), n.Name)
	case n.Differs > 0:
		n.Reason = fmt.Sprintf("%d things are not as they should be there; netctl drift %s names them", n.Differs, n.Name)
	default:
		n.Reason = status.Docker.Problem()
	}
}

// unnamed returns the errors of an agent about objects that none of its findings is about.
func unnamed(status *model.AgentStatus) (out []model.OwnerStatus) {
	for _, e := range status.Errors {
		if !slices.ContainsFunc(status.Findings, func(f model.Finding) bool { return f.Object == e.Owner && f.Severity == model.SeverityError }) {
			out = append(out, e)
		}
	}
	return out
}
