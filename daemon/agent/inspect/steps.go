// SPDX-License-Identifier: Apache-2.0

package inspect

import (
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/pipeline"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

// traceSteps describes the steps, with the objects that caused them.
func (o *Options) traceSteps(way *vswitchd.Trace, words *pipeline.Glossary) []model.TraceStep {
	numbers := make([]uint64, len(way.Steps))
	for i := range way.Steps {
		numbers[i] = way.Steps[i].Cookie.Owner()
	}
	owners := o.Forward.Owners(numbers)
	out := make([]model.TraceStep, len(way.Steps))
	for i := range way.Steps {
		out[i] = o.traceStep(&way.Steps[i], owners[i], words)
	}
	return out
}

func (o *Options) traceStep(step *vswitchd.Step, owner ofnet.Key, words *pipeline.Glossary) model.TraceStep {
	tables := o.Pipeline.Tables()
	s := model.TraceStep{Table: tables.Name(step.Table), Priority: step.Priority, Match: step.Match, Does: strings.Join(step.Actions, ",")}
	if s.Table == "" {
		s.Table = strconv.Itoa(int(step.Table)) // a table that only a foreign flow leads to
	}
	if step.Missing {
		s.Match, s.Does, s.Means = "no flow takes it", "drop", words.Lost(step.Table)
		return s
	}
	f, err := step.Flow(tables)
	if err == nil {
		s.Match, s.Does = words.Match(f.Match), words.Actions(f.Actions)
	} else if m, wrong := flow.ParseMatch(step.Match); wrong == nil {
		s.Match = words.Match(m)
	}
	if o.foreign(step, &f, err == nil) {
		s.Foreign = true
		s.Flow = step.Text()
		return s
	}
	if step.Priority == 0 || step.Cookie.Feature() == flow.Leased { // leased flows end by themselves
		s.Means = words.Lost(step.Table)
	}
	if owner != (ofnet.Key{}) {
		s.Owner = called(owner)
	}
	if n := int(step.Cookie.Feature()); n > 0 && n <= len(o.Pipeline.Features()) {
		s.Feature = o.Pipeline.Features()[n-1].Name()
	}
	return s
}

// foreign reports whether the agent has not installed a flow, or another program has changed it since. read reports that f is the step's
// flow; for an unreadable flow, only table, priority and cookie count. Leased flows are in no list.
func (o *Options) foreign(step *vswitchd.Step, f *flow.Flow, read bool) bool {
	if step.Cookie.Feature() == flow.Leased {
		return false
	}
	m, err := flow.ParseMatch(step.Match)
	if err != nil {
		return true // the agent's own flows can all be read
	}
	want, ok := o.Forward.Wanted(flow.Key{Table: step.Table, Priority: step.Priority, Match: m})
	return !ok || want.Cookie != step.Cookie || read && want.Actions != f.Actions
}
