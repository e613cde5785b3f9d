package pipeline

import (
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
)

// qos holds the table in which profiles meter and mark what an endpoint sends; without profiles everything passes.
type qos struct{}

func (qos) Name() string { return "qos" }

func (qos) Tables() []flow.Table {
	return []flow.Table{{ID: tQoS, Name: "qos", Miss: flow.Do(flow.GotoTable(tLocal))}}
}

func (qos) Flows(*ofnet.State, ofnet.Key) flow.Set { return flow.Set{} }
