package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// service holds the tables in which service addresses become backends; without services everything passes.
type service struct{}

func (service) Name() string { return "service" }

func (service) Tables() []flow.Table {
	return []flow.Table{
		{ID: tUnhairpin, Name: "unhairpin", Miss: flow.Do(flow.GotoTable(tTrack))},
		{ID: tService, Name: "service", Miss: flow.Do(flow.GotoTable(tHairpin))},
		{ID: tBackend, Name: "backend"},
		{ID: tHairpin, Name: "hairpin", Miss: flow.Do(flow.GotoTable(tPeer))},
	}
}

func (service) Flows(*ofnet.State, ofnet.Key) flow.Set { return flow.Set{} }
