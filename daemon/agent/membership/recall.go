package membership

import (
	"errors"
	"slices"

	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
)

// known returns what counts of the saved records, by which store the host's cluster has: everything, unless the host has become one of
// another cluster since. It has the client know that store.
func (m *Membership) known(saved channel.Batch) (counts bool) {
	file, err := m.ClusterFile.Read()
	if err != nil {
		m.Log.Warn("only the saved records say which store this host's cluster has", "error", err)
	}
	was := saved.Incarnation
	counts = was == "" || file.Stored() == "" || was == file.ID || slices.Contains(file.Predecessors, was)
	if counts && was != "" {
		m.Channel.Know(was)
	} else {
		m.Channel.Know(file.Stored())
	}
	return counts
}

// followed notes the incarnation of the store of the netmaster that this host follows.
func (m *Membership) followed(store record.Incarnation) {
	m.Registration.Again()
	if store.ID == "" {
		return // of an earlier build
	}
	if err := m.ClusterFile.Write(incarnation.Known{Incarnation: store}); err != nil {
		m.Log.Warn("which store this host's cluster has is not noted for a start without the saved records", "error", err)
	}
}

// Recall takes up what this host received before. It counts if this machine was the host then, and has not been started since. It is called
// once, with the token of this agent's seat at the switch, before what was received is used.
func (m *Membership) Recall(token string) {
	file, saved, err := checkpoint.Open(m.Records)
	m.revoked.Apply(&saved) // whichever host received it
	ours := m.known(saved)
	was := m.Registration.Was(token, saved) && ours
	damage := new(checkpoint.DamageError)
	switch {
	case errors.Is(err, checkpoint.ErrFormat):
		m.Log.Info("this agent starts without saved records", "error", err)
		err = nil
	case errors.As(err, &damage):
		m.Log.Warn("not all saved records can be used", "error", err)
		err = nil
	}
	if err == nil && len(saved.Updates) > 0 && !was {
		m.Log.Info("saved records are dropped: they are another host's or another cluster's, or of before this machine started")
		saved, err = channel.Batch{}, file.Clear()
	}
	if err != nil {
		m.Log.Warn("records of netmasters are not kept: an agent that starts while no netmaster answers knows nothing", "error", err)
	} else {
		m.carried.Learn(&saved)
		m.records.File, m.records.Saved = file, saved
	}
	m.Registration.Sit(token, was) // from here on others use the records
}
