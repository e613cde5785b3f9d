// SPDX-License-Identifier: Apache-2.0

// Package health finds the problems of the cluster, from the reports of netmasters and agents and from the catalog.
package health

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
)

// Snapshot is what the verdict is about.
type Snapshot struct {
	Nodes        []model.Node // masters and agents, with the findings of these
	Store        model.StoreState
	StoreErr     string // why the state of the store is unknown
	Holder       string // address of the netmaster that holds the lock, by the store; "": none, or unknown
	Services     []Service
	Pools        []Pool
	Numbers      []model.Resource // ranges of the cluster's numbers
	Routers      []Router
	Disputed     []DisputedAddress
	Clashes      []Clash
	Refusals     []Refusal
	Unread       []Unread
	Unsent       []Unsent
	Partial      []UnreadService
	Elsewhere    []Elsewhere
	Incarnation  string         // of the store
	Rotation     model.Rotation // of the authority
	Certificates []Certificate
	At           time.Time           // of the verdict
	Adoptions    []model.Adoption    // endpoints that run and contradict the store
	Adopting     *model.AdoptionWait // the hosts whose offers the store waits for before agents receive anything; nil: it does not wait
	Stalled      time.Duration       // for how long this netmaster, which leads, has committed nothing while requests wait
	Waiting      int                 // how many wait behind those
	Pairs        []model.MasterRow   // how netmasters reach each other
}

// Service is a service, and who provides it.
type Service struct {
	ID        identity.Service
	Selector  map[string]string
	Providers int
	Nearest   map[string]string // labels of the container that has most of the selector; nil: there is none with labels
}

// Router is a BGP router of a host.
type Router struct {
	Host      string
	Known     bool     // a machine is that host
	Addresses []string // of the router
	OffLink   []string // neighbours that are not in the subnet of any of these
}

// Pool is where addresses come from.
type Pool struct {
	Network     identity.Network
	Taken, Free int
}

// check finds one kind of problem.
type check func(s *Snapshot) []model.Finding

func checks() []check {
	return []check{leader, stalled, machines, masters, agents, reported, uplinks, mtus, versions, addresses, differed, backups, rotation, certificates, store, services, pools, numbers, routers, disputed, clashes, refusals, unread, unreadServices, unsent, resources, adoptions, adopting, elsewhere, apart, slow, clocks}
}

// Examine returns all that is wrong, the worst first, without the times since when it is.
func Examine(s *Snapshot) (out []model.Finding) {
	for _, c := range checks() {
		out = append(out, c(s)...)
	}
	model.SortFindings(out)
	return out
}

// key identifies a finding.
type key struct {
	code         model.FindingCode
	host, object string
}

// Memory knows since when things are wrong that the timeline does not have yet. It is for one goroutine at a time.
type Memory struct {
	since map[key]string
	lags  map[string]lag // by host
}

// Undated reports whether some of the findings lack the time since which they exist.
func Undated(list []model.Finding) bool {
	return slices.ContainsFunc(list, func(f model.Finding) bool { return f.Since == "" })
}

// passing is how long what comes with every change, and with every part that is started again, may last before it is an error, and before it is more than
// a note.
func passing(code model.FindingCode) (limit, quiet time.Duration, ok bool) {
	switch code {
	case model.FindingInterfacesMissing:
		return 10 * time.Second, 10 * time.Second, true
	case model.FindingLeaderMissing, model.FindingMachineSilent, model.FindingAgentSilent, model.FindingAgentWaiting:
		return 15 * time.Second, 0, true
	case model.FindingAgentLag:
		return time.Minute, 10 * time.Second, true
	}
	return 0, 0, false
}

// Date sets Since of the findings that do not have it: to the time in the timeline, which all netmasters read, or else to the time at which this netmaster
// first saw the finding. begun returns the time at which a finding began by the timeline, or "" if the timeline has no open finding. Transient findings are
// notes or warnings until their grace period ends, then errors. Date forgets findings that are not in the list, and keeps the list sorted.
func (m *Memory) Date(list []model.Finding, begun func(f *model.Finding) string, now time.Time) {
	next := make(map[key]string, len(list))
	for i := range list {
		f := &list[i]
		k := key{f.Code, f.Host, f.Object}
		if f.Code == model.FindingAgentLag {
			f.Since = m.lagSince(strings.TrimPrefix(f.Object, "host/"), begun(f))
		}
		f.Since = cmp.Or(f.Since, begun(f), m.since[k], now.UTC().Format(time.RFC3339))
		next[k] = f.Since
		since, err := time.Parse(time.RFC3339, f.Since)
		if limit, quiet, ok := passing(f.Code); ok && err == nil {
			switch lasts := now.Sub(since); {
			case lasts >= limit:
				f.Severity = model.SeverityError
			case lasts >= quiet:
				f.Severity = model.SeverityWarning
			default:
				f.Severity = model.SeverityInfo
			}
		}
	}
	m.since = next
	model.SortFindings(list)
}
