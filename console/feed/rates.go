// SPDX-License-Identifier: Apache-2.0

package feed

import (
	"time"

	"github.com/contiv/contiv/api/model"
)

// ratesLength is how many values a series keeps, one a second.
const ratesLength = 60

// Rates is how busy the cluster is, per second, the newest value last. A series is empty until it has been measured.
type Rates struct {
	Endpoints []float64 // endpoints added, changed or removed, by the watch stream
	FlowMods  []float64 // changes of flows that all agents sent to their switches
	Requests  []float64 // requests that all netmasters answered, this console's among them
}

// meter turns counters into Rates.
type meter struct {
	rates    Rates
	at       time.Time
	churn    int // endpoint events since at
	counters map[string][2]uint64
}

// sample takes the counters of all nodes. A node that did not answer, or whose counters began again, adds nothing.
func (m *meter) sample(now time.Time, nodes []model.Node) {
	counters := map[string][2]uint64{}
	var mods, requests float64
	for _, n := range nodes {
		key := string(n.Role) + n.Address
		if n.Role != model.RoleAgent {
			key = n.Address // it may come to lead
		}
		was, known := m.counters[key]
		if !n.Answered() {
			if known {
				counters[key] = was
			}
			continue
		}
		is := [2]uint64{n.FlowMods, n.Requests}
		counters[key] = is
		if known && is[0] >= was[0] && is[1] >= was[1] {
			mods, requests = mods+float64(is[0]-was[0]), requests+float64(is[1]-was[1])
		}
	}
	if took := now.Sub(m.at).Seconds(); !m.at.IsZero() && took > 0 {
		m.rates = Rates{push(m.rates.Endpoints, float64(m.churn)/took), push(m.rates.FlowMods, mods/took), push(m.rates.Requests, requests/took)}
	}
	m.at, m.churn, m.counters = now, 0, counters
}

// push adds a value to a copy: a snapshot may hold the old series.
func push(series []float64, v float64) []float64 {
	out := append(make([]float64, 0, len(series)+1), series...)
	out = append(out, v)
	return out[max(0, len(out)-ratesLength):]
}
