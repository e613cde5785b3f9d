// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// drift returns the differences between the switch and its desired state, and those of the host's own interfaces.
func (o *Options) drift(w http.ResponseWriter, r *http.Request) {
	flows, err := o.Forward.Check(r.Context())
	if err != nil {
		text(w, http.StatusServiceUnavailable, "compare with the switch: "+err.Error()+"\n")
		return
	}
	others, err := o.Drift.Check()
	if err != nil {
		text(w, http.StatusServiceUnavailable, "compare ports and addresses: "+err.Error()+"\n")
		return
	}
	var words *pipeline.Glossary
	o.Forward.View(func(s *ofnet.State) { words = o.Pipeline.NewGlossary(s) })
	told := map[string]bool{}
	for i := range others {
		told[others[i].Owner] = true
	}
	now := append(o.differences(flows, words), others...)
	for _, d := range o.portDifferences() {
		if !told[d.Owner] {
			now = append(now, d)
		}
	}
	found := append(o.differences(o.Forward.Drifted(), words), o.Drift.Found()...)
	slices.SortStableFunc(found, func(a, b model.Difference) int { return strings.Compare(a.At, b.At) })
	answer(w, model.Drift{Host: o.Status().Host, Observes: o.Observes, Now: now, Found: found})
}

// repair compares, repairs the differences, and returns the remaining ones as drift does.
func (o *Options) repair(w http.ResponseWriter, r *http.Request) {
	if err := errors.Join(o.Drift.Repair(r.Context()), o.Forward.Repair(r.Context())); err != nil {
		text(w, http.StatusServiceUnavailable, "repair the switch: "+err.Error()+"\n")
		return
	}
	o.drift(w, r)
}

func (o *Options) differences(list []bridge.Difference, words *pipeline.Glossary) []model.Difference {
	out := make([]model.Difference, len(list))
	for i := range list {
		out[i] = o.difference(&list[i], words)
	}
	return out
}

func (o *Options) difference(d *bridge.Difference, words *pipeline.Glossary) model.Difference {
	tables := o.Pipeline.Tables()
	out := model.Difference{At: d.At.UTC().Format(time.RFC3339), Kind: string(d.Kind), What: "changed"}
	if d.Owner != (ofnet.Key{}) {
		out.Owner = called(d.Owner)
	}
	seen := d.Want
	switch {
	case d.Was == nil:
		out.What = "removed"
	case d.Want == nil:
		out.What, seen = "added", d.Was
	}
	if d.Was != nil {
		out.Was = d.Was.Text(tables)
	}
	if d.Want != nil {
		out.Want = d.Want.Text(tables)
	}
	switch {
	case seen.Flow != nil:
		out.Table = tables.Name(seen.Flow.Table)
		out.What += ": " + words.Match(seen.Flow.Match)
	case seen.Group != nil:
		out.What += ": " + words.Group(seen.Group.ID)
	case seen.Meter != nil:
		out.What += ": " + words.Meter(seen.Meter.ID)
	}
	return out
}

// portDifferences compares the switch's ports with the endpoints of this host: missing ports, ports whose external ids name no endpoint,
// ports with another number than their flows, and ports that do not work. The drift.Keeper has already listed the repairable ones.
func (o *Options) portDifferences() (out []model.Difference) {
	want := map[string]uint32{}
	for _, e := range o.Driver().Endpoints {
		want[e.ID.String()] = 0
	}
	o.Forward.View(func(s *ofnet.State) {
		for id := range want {
			if e := s.Endpoints.Get(id); e != nil {
				want[id] = e.Port
			}
		}
	})
	at := o.Now().UTC().Format(time.RFC3339)
	note := func(id, what, was, wanted, remedy string) {
		out = append(out, model.Difference{At: at, Kind: "port", Owner: ofnet.Key{Kind: ofnet.KindEndpoint, Name: id}.String(), What: what, Was: was,
			Want: wanted, Remedy: remedy})
	}
	seen := map[string]bool{}
	for _, a := range o.Attach.List() {
		seen[a.StateID] = true
		was := fmt.Sprintf("port %s, number %d", a.Port.Name, a.Port.OFPort)
		number, known := want[a.StateID]
		switch {
		case !known:
			note(a.StateID, "added: no such endpoint is on this host", was, "", "have the runtime detach and attach the container")
		case a.Port.Error != "":
			note(a.StateID, "changed: "+a.Port.Error, was, fmt.Sprintf("port %s, number %d", a.Port.Name, number), "have the runtime recreate the container or pod")
		case number != a.Port.OFPort:
			note(a.StateID, "changed: its flows are of another number", was, fmt.Sprintf("port %s, number %d", a.Port.Name, number), "")
		}
	}
	for _, id := range slices.Sorted(maps.Keys(want)) {
		if !seen[id] {
			note(id, "removed: the container's interface is no port, or its external ids do not name it", "", "a port that names the endpoint", "")
		}
	}
	return out
}
