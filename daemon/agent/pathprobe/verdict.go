// SPDX-License-Identifier: Apache-2.0

package pathprobe

import (
	"fmt"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
)

// initialGrace is how long a path may be silent when this host needs it for the first time: hosts receive changes one after the other.
const initialGrace = 15 * time.Second

// state is a path with its state.
type state struct {
	Path
	pathState
}

// verdict derives findings about paths at a time.
type verdict struct {
	self     string
	port     int
	overhead int
	room     func(w Path) int
	now      time.Time
}

// findings returns those about the paths of the list.
func (v *verdict) findings(list []state) (out []model.Finding) {
	there := map[string]bool{} // hosts that answer on some path
	for i := range list {
		there[list[i].Host] = there[list[i].Host] || list[i].passes()
	}
	networks, order := map[string][]*state{}, []string(nil)
	unreachable, unheard := map[string]bool{}, map[string]bool{}
	for i := range list {
		s := &list[i]
		switch {
		case s.selfTestFailed:
			if !unheard[s.Network] {
				out = append(out, v.unheard(s))
			}
			unheard[s.Network] = true
		case v.silent(s) && s.liveness.Other != "" && !s.answers:
			if !unreachable[s.Host] {
				out = append(out, v.older(s))
			}
			unreachable[s.Host] = true
		case v.silent(s) && s.liveness.Text != "" && !s.liveness.Alive && !there[s.Host]:
			if !unreachable[s.Host] {
				out = append(out, v.unreachable(s))
			}
			unreachable[s.Host] = true
		case s.Network == "":
			out = append(out, v.tunnel(s, there[s.Host])...)
		default:
			if networks[s.Network] == nil {
				order = append(order, s.Network)
			}
			networks[s.Network] = append(networks[s.Network], s)
		}
	}
	anyTag := false
	for _, ways := range networks {
		for _, s := range ways {
			anyTag = anyTag || s.passes()
		}
	}
	for _, n := range order {
		out = append(out, v.network(networks[n], anyTag, len(order) > 1, there)...)
	}
	return out
}

// passes reports whether the last probes on a path were returned.
func (s *state) passes() bool { return s.answers && s.silent == 0 }

// silent reports whether a path has been silent long enough for a finding.
func (v *verdict) silent(s *state) bool {
	return s.silent >= silentLeast && v.now.Sub(s.since) >= silentFor && (s.answers || v.now.Sub(s.known) >= initialGrace)
}

// selfTestFailed is the finding if the agent does not receive its own probes.
func (v *verdict) selfTestFailed() model.Finding {
	return model.Finding{Code: model.FindingWaysUnknown, Severity: model.SeverityUnknown, Object: "host/" + v.self, Evidence: "the switch of this host does not return the agent's own probes, so the state of tunnels and VLANs is unknown",
		Remedy: "see what is found about the switch of this host, and whether ovs-vswitchd is busy", Next: "netctl node ls"}
}

// unheard is the finding if the agent receives its own probes, but not with the tag of a network.
func (v *verdict) unheard(s *state) model.Finding {
	return model.Finding{Code: model.FindingWaysUnknown, Severity: model.SeverityUnknown, Object: "network/" + s.Network,
		Evidence: fmt.Sprintf("the switch of host %s does not return the agent's own probes with VLAN %d, so the state of that VLAN is unknown", v.self, s.Tag),
		Remedy:   "see what others have changed in the switch of this host; when nothing is listed there, restart netplugin", Next: "netctl drift " + v.self}
}

// older is the finding about a host that may not support probes.
func (v *verdict) older(s *state) model.Finding {
	return model.Finding{Code: model.FindingWaysUnknown, Severity: model.SeverityUnknown, Object: "host/" + s.Host,
		Evidence: fmt.Sprintf("host %s, whose agent has version %s, has not answered a probe of this host yet, so the state of the paths to it is unknown", s.Host, s.liveness.Other),
		Remedy:   "bring agents to one version: those before probes existed answer none", Next: "netctl node ls"}
}

// unreachable is the finding about a host that does not answer at all: it may be down, and then no tunnel is at fault.
func (v *verdict) unreachable(s *state) model.Finding {
	return model.Finding{Code: model.FindingHostUnreachable, Severity: model.SeverityUnknown, Object: "host/" + s.Host,
		Evidence: fmt.Sprintf("none of the last %d probes on %s has come back, for %s, and %s", s.silent, s.name(), seconds(v.now.Sub(s.since)), s.liveness.Text),
		Remedy:   fmt.Sprintf("see whether host %s runs, and whether the network between it and host %s passes anything", s.Host, v.self), Next: "netctl node ls"}
}

// tunnel returns the finding about a tunnel. elsewhere reports whether the host answers on another path.
func (v *verdict) tunnel(s *state, elsewhere bool) (out []model.Finding) {
	object := "host/" + s.Host
	if v.silent(s) && (s.liveness.Alive || elsewhere) {
		heard, answers := "", s.liveness.Text
		if !s.liveness.Alive {
			answers = "its switch answers on the trunk"
		}
		if v.now.Sub(s.lastReceived) < forgetting {
			heard = fmt.Sprintf("; packets of host %s arrive here, so it is the way there that is blocked", s.Host)
		}
		return append(out, model.Finding{Code: model.FindingTunnelBlocked, Severity: model.SeverityError, Object: object,
			Evidence: fmt.Sprintf("none of the last %d probes in %s has come back, for %s, while %s%s", s.silent, s.name(), seconds(v.now.Sub(s.since)), answers, heard),
			Remedy:   fmt.Sprintf("let UDP port %d pass between hosts %s and %s in both directions: look at their own packet filters, and at those of the network between", v.port, v.self, s.Host), Next: "netctl node ls"})
	}
	if s.silent >= silentLeast {
		return nil
	}
	if c := s.loss.count(v.now); c.lossy() {
		out = append(out, model.Finding{Code: model.FindingTunnelLoss, Severity: model.SeverityError, Object: object, Evidence: v.lost(s, c),
			Remedy: fmt.Sprintf("look for errors and drops of the NICs of hosts %s and %s, and of the switches between", v.self, s.Host), Next: "netctl node ls"})
	}
	if s.wide >= wideEnough && s.largest > 0 {
		room := v.room(s.Path)
		out = append(out, model.Finding{Code: model.FindingTunnelMTU, Severity: model.SeverityError, Object: object, Evidence: v.narrow(s),
			Remedy: fmt.Sprintf("give switches and NICs between hosts %s and %s an MTU of %d bytes or more, or the interface of the tunnel address of each host one of %d", v.self, s.Host, room+v.overhead, s.largest+v.overhead), Next: "netctl node ls"})
	}
	return out
}

// lost describes the loss on a path, and its direction if known.
func (v *verdict) lost(s *state, c count) string {
	text := fmt.Sprintf("%d of %d probes (%.1f %%) on %s were lost within %s", c.lost, c.sent, c.percent(), s.name(), seconds(c.over))
	if s.perDirection == nil {
		return text + v.roundTrip(s)
	}
	if there, home := s.perDirection.there.count(v.now), s.perDirection.home.count(v.now); there.sent >= enoughProbes && home.sent > 0 {
		text += fmt.Sprintf("; of those that its agent has counted, %.1f %% on the way there and %.1f %% on the way back", there.percent(), home.percent())
	}
	return text + v.roundTrip(s)
}

func (v *verdict) roundTrip(s *state) string {
	return fmt.Sprintf("; round trip %s", s.trip.Round(10*time.Microsecond))
}

// narrow describes the largest packet that passes a path.
func (v *verdict) narrow(s *state) string {
	where := map[direction]string{going: " on the way there", coming: " on the way back", unknown: ""}[s.pathState.narrow]
	text := fmt.Sprintf("packets of up to %d bytes pass on %s, larger ones are lost%s; containers send up to %d", s.largest, s.name(), where, v.room(s.Path))
	if s.largest < leastPacket {
		text = fmt.Sprintf("packets of %d bytes are lost on %s%s, small ones pass; containers send up to %d", leastPacket, s.name(), where, v.room(s.Path))
	}
	return text
}

// network returns the finding about the tag of a network on the trunk.
func (v *verdict) network(ways []*state, anyTag, more bool, there map[string]bool) (out []model.Finding) {
	object, tag := "network/"+ways[0].Network, ways[0].Tag
	var silent, up, lossy, narrow []*state
	for _, s := range ways {
		switch c := s.loss.count(v.now); {
		case v.silent(s) && (s.liveness.Alive || there[s.Host]):
			silent = append(silent, s)
		case s.silent >= silentLeast:
		case s.wide >= wideEnough && s.largest > 0:
			narrow = append(narrow, s)
		case c.lossy():
			lossy = append(lossy, s)
		case s.passes():
			up = append(up, s)
		}
	}
	if len(silent) > 0 {
		out = append(out, v.missing(object, tag, silent, len(up)+len(lossy)+len(narrow) > 0, anyTag, more))
	}
	if len(lossy) > 0 {
		out = append(out, model.Finding{Code: model.FindingVLANLoss, Severity: model.SeverityError, Object: object, Peers: labels(lossy), Evidence: v.lost(lossy[0], lossy[0].loss.count(v.now)) + others(lossy[1:], "the same with "),
			Remedy: fmt.Sprintf("look for errors and drops of the uplinks of host %s and of %s, and of the switches between", v.self, hosts(lossy)), Next: "netctl node uplinks " + v.self})
	}
	if len(narrow) > 0 {
		out = append(out, model.Finding{Code: model.FindingVLANMTU, Severity: model.SeverityError, Object: object, Peers: labels(narrow), Evidence: v.narrow(narrow[0]) + others(narrow[1:], "the same with "),
			Remedy: fmt.Sprintf("give the ports of the trunk between host %s and %s an MTU of %d bytes or more, and the tag beside", v.self, hosts(narrow), v.room(narrow[0].Path)), Next: "netctl node uplinks " + v.self})
	}
	return out
}

// missing is the finding that a tag does not pass, and the host most likely at fault: if others answer here, the silent ones; if none of
// several does, this host.
func (v *verdict) missing(object string, tag uint32, silent []*state, others, anyTag, more bool) model.Finding {
	f := model.Finding{Code: model.FindingVLANMissing, Severity: model.SeverityError, Object: object, Peers: labels(silent), Next: "netctl node uplinks " + v.self}
	s := silent[0]
	what := fmt.Sprintf("none of the last %d frames with VLAN %d from the trunk of host %s has come back from %s, for %s", s.silent, tag, v.self, hosts(silent), seconds(v.now.Sub(s.since)))
	switch {
	case others:
		f.Evidence, f.Next = what+"; other hosts answer", "netctl node uplinks "+s.Host
		f.Remedy = fmt.Sprintf("let VLAN %d pass at the port of the physical switch that leads to %s", tag, hosts(silent))
	case len(silent) > 1:
		f.Evidence = what + ", nor from any other host"
		f.Remedy = fmt.Sprintf("let VLAN %d pass at the port of the physical switch that leads to host %s", tag, v.self)
	default:
		f.Evidence = what + "; no other host has the network, so it may be either of the two"
		f.Remedy = fmt.Sprintf("let VLAN %d pass at the ports of the physical switch that lead to host %s and to %s", tag, v.self, hosts(silent))
	}
	switch {
	case !more:
	case anyTag:
		f.Evidence += "; other VLANs pass"
	default:
		f.Evidence += "; no VLAN passes at all"
	}
	return f
}

// maxNamed is the maximum number of hosts named in a sentence.
const maxNamed = 5

// hosts names the hosts of paths.
func hosts(list []*state) string {
	var names []string
	for _, s := range list[:min(len(list), maxNamed)] {
		names = append(names, s.Host)
	}
	text := "host "
	if len(list) > 1 {
		text = "hosts "
	}
	text += strings.Join(names, ", ")
	if more := len(list) - maxNamed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// labels returns the labels of the hosts of paths.
func labels(list []*state) (out []string) {
	for _, s := range list {
		out = append(out, s.Host)
	}
	return out
}

// others lists the hosts for which the same is true.
func others(list []*state, said string) string {
	if len(list) == 0 {
		return ""
	}
	return "; " + said + hosts(list)
}

// seconds prints a duration.
func seconds(d time.Duration) string { return d.Round(time.Second).String() }
