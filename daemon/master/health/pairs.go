// SPDX-License-Identifier: Apache-2.0

package health

import (
	"cmp"
	"fmt"
	"math"
	"net"
	"slices"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

const (
	// freshRow is the age below which the row of a netmaster shows that it runs. It is below graceApart, so that a netmaster that has ended is none that others do
	// not reach.
	freshRow   = 6 * time.Second
	graceApart = 8 * time.Second // for how long one may not reach the other before that is reported
	graceSlow  = 5 * time.Second // for how long round trips are measured before they count

	slowTrip    = 100 * time.Millisecond // heartbeats of the store are 50 ms apart
	brokenTrip  = 250 * time.Millisecond // half of the store's time for an election
	clockWarn   = 30 * time.Second       // as for hosts
	clockBroken = 5 * time.Minute        // a leader does not accept older requests of followers
)

// mastersKind is the kind of the object of a finding about two netmasters; "masters/A:B".
const mastersKind = "masters"

// pair is two netmasters that run, and what each has measured of the other; nil: nothing.
type pair struct {
	a, b   string // addresses; a is less
	ab, ba *model.MasterPeer
}

// fresh returns the rows of netmasters that run.
func fresh(rows []model.MasterRow) (out []model.MasterRow) {
	for i := range rows {
		if time.Duration(rows[i].AgeMillis)*time.Millisecond < freshRow {
			out = append(out, rows[i])
		}
	}
	return out
}

// pairsOf returns each two netmasters of which both run.
func pairsOf(rows []model.MasterRow) (out []pair) {
	rows = fresh(rows)
	for i := range rows {
		for j := range rows {
			if a, b := &rows[i], &rows[j]; a.From < b.From {
				out = append(out, pair{a.From, b.From, a.Peer(b.From), b.Peer(a.From)})
			}
		}
	}
	return out
}

// finding returns a finding about the pair.
func (p *pair) finding(code model.FindingCode, severity model.Severity) model.Finding {
	a, b := hostOf(p.a), hostOf(p.b)
	return model.Finding{Code: code, Severity: severity, Object: identity.Ref{Kind: mastersKind, Name: identity.Join(a, b)}.String(), Peers: []string{a, b}, Next: "netctl leader peers"}
}

func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}

// lasts reports whether a state has lasted for a time.
func lasts(p *model.MasterPeer, d time.Duration) bool { return p.Seconds >= d.Seconds() }

// apart finds netmasters that both run, and of which one does not reach the other.
func apart(s *Snapshot) (out []model.Finding) {
	for _, p := range pairsOf(s.Pairs) {
		ab, ba := unreached(p.ab), unreached(p.ba)
		switch {
		case p.ab == nil || p.ba == nil || !ab && !ba:
			continue
		case !lasts(p.ab, graceApart) || !lasts(p.ba, graceApart):
			continue // also just after both were cut: one may find out before the other
		}
		f := p.finding(model.FindingMastersApart, model.SeverityError)
		f.Evidence, f.Remedy = apartEvidence(&p, ab, ba)
		out = append(out, f)
	}
	return out
}

// unreached reports whether a netmaster does not reach the other one.
func unreached(p *model.MasterPeer) bool { return p != nil && p.State != model.PairReached }

// apartEvidence returns what is known about a pair, and the remedy.
func apartEvidence(p *pair, ab, ba bool) (evidence, remedy string) {
	silent := func(m *model.MasterPeer) bool { return m.State == model.PairSilent }
	oneWay := func(from, to string) string {
		return fmt.Sprintf("packets of %s arrive at %s, and those of %[2]s do not arrive at %[1]s", from, to)
	}
	switch {
	case ab && ba && silent(p.ab) && silent(p.ba) && p.ab.Arrives != p.ba.Arrives:
		from, to := p.b, p.a // a hears b
		if p.ba.Arrives {
			from, to = p.a, p.b
		}
		return fmt.Sprintf("netmasters %s and %s do not reach each other: %s", p.a, p.b, oneWay(from, to)), "let packets of " + to + " to " + from + " pass: check packet filters, routes and switches"
	case ab && ba:
		evidence = fmt.Sprintf("netmasters %s and %s both run, and do not reach each other: %s; the other way: %s", p.a, p.b, cmp.Or(p.ab.Reason, "no reason"), cmp.Or(p.ba.Reason, "no reason"))
	case ab:
		evidence = fmt.Sprintf("netmaster %s does not reach %s, which reaches it: %s", p.a, p.b, cmp.Or(p.ab.Reason, "no reason"))
	default:
		evidence = fmt.Sprintf("netmaster %s does not reach %s, which reaches it: %s", p.b, p.a, cmp.Or(p.ba.Reason, "no reason"))
	}
	if ab && p.ab.State == model.PairUntrusted || ba && p.ba.State == model.PairUntrusted {
		return evidence, "compare the clocks of both machines, and look at the certificate that the reason names: contiv cert show"
	}
	return evidence, "check the network between the two: packet filters, routes and switches"
}

// slow finds netmasters between which packets take longer than the election of the store permits.
func slow(s *Snapshot) (out []model.Finding) {
	for _, p := range pairsOf(s.Pairs) {
		trip := math.Inf(1) // of the quicker direction: the other one may have a busy machine
		for _, m := range []*model.MasterPeer{p.ab, p.ba} {
			if m != nil && m.State == model.PairReached && m.RoundTripMillis > 0 && lasts(m, graceSlow) {
				trip = min(trip, m.RoundTripMillis)
			}
		}
		if math.IsInf(trip, 1) || trip < float64(slowTrip.Milliseconds()) {
			continue
		}
		f := p.finding(model.FindingMastersSlow, model.SeverityWarning)
		f.Evidence = fmt.Sprintf("a round trip between netmasters %s and %s takes at least %.0f ms: each change takes several", p.a, p.b, trip)
		f.Remedy = "check the network between the two: its load, its route, a rate limit or a delay"
		if trip >= float64(brokenTrip.Milliseconds()) {
			f.Severity = model.SeverityError
			f.Evidence += fmt.Sprintf(", and from %d ms on the members of the store elect no leader reliably", brokenTrip.Milliseconds())
		}
		out = append(out, f)
	}
	return out
}

// clocks finds netmasters whose clocks differ from those of most.
func clocks(s *Snapshot) (out []model.Finding) {
	from, ahead := clockReference(fresh(s.Pairs))
	if len(ahead) < 2 {
		return nil
	}
	addresses, values := make([]string, 0, len(ahead)), make([]time.Duration, 0, len(ahead))
	for address, d := range ahead {
		addresses, values = append(addresses, address), append(values, d)
	}
	slices.Sort(addresses)
	slices.Sort(values)
	if len(ahead) == 2 {
		other := addresses[0]
		if other == from {
			other = addresses[1]
		}
		if d := ahead[other].Abs(); d >= clockWarn {
			p := pair{a: addresses[0], b: addresses[1]}
			f := p.finding(model.FindingMasterClock, clockSeverity(d))
			f.Evidence = fmt.Sprintf("the clocks of netmasters %s and %s differ by %v", p.a, p.b, d.Round(time.Second)) + clockEffect(d)
			f.Remedy = "set the clocks of both machines, and keep them with NTP (timedatectl set-ntp true)"
			out = append(out, f)
		}
		return out
	}
	low, high := values[(len(values)-1)/2], values[len(values)/2]
	for _, address := range addresses {
		d, direction := ahead[address]-high, "ahead of"
		if ahead[address] < low {
			d, direction = low-ahead[address], "behind"
		}
		if d < clockWarn {
			continue
		}
		out = append(out, model.Finding{Code: model.FindingMasterClock, Severity: clockSeverity(d), Object: "master/" + hostOf(address), Next: "netctl leader peers",
			Evidence: fmt.Sprintf("the clock of netmaster %s is %v %s those of most netmasters", address, d.Round(time.Second), direction) + clockEffect(d),
			Remedy:   "set the clock of its machine, and keep it with NTP (timedatectl set-ntp true)"})
	}
	return out
}

// clockReference returns the netmaster that knows most clocks, and by how much each clock is ahead of its own.
func clockReference(rows []model.MasterRow) (from string, ahead map[string]time.Duration) {
	for i := range rows {
		known := map[string]time.Duration{rows[i].From: 0}
		for _, p := range rows[i].Peers {
			if p.AheadMillis != nil && p.State == model.PairReached {
				known[p.To] = time.Duration(*p.AheadMillis * float64(time.Millisecond))
			}
		}
		if len(known) > len(ahead) {
			from, ahead = rows[i].From, known
		}
	}
	return from, ahead
}

func clockSeverity(d time.Duration) model.Severity {
	if d >= clockBroken {
		return model.SeverityError
	}
	return model.SeverityWarning
}

// clockEffect names what a difference of clocks does.
func clockEffect(d time.Duration) string {
	if d >= clockBroken {
		return ": the leader refuses changes that a follower forwards, and certificates may not count"
	}
	return ": times in the history and in findings are wrong, and certificates may not count"
}
