// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"errors"
	"slices"

	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/daemon/record"
)

// known reports whether the saved records are valid: they are, unless the host has joined another cluster since. It passes their store to
// the client.
func (m *Membership) known(saved channel.Batch) (counts bool) {
	file, err := m.ClusterFile.Read()
	if err != nil {
		m.Log.Warn("only the saved records identify the store of this host's cluster", "error", err)
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

// followed records the incarnation of the store of the netmaster that this host follows.
func (m *Membership) followed(store record.Incarnation) {
	m.Registration.Again()
	if store.ID == "" {
		return // of an earlier build
	}
	if err := m.ClusterFile.Write(incarnation.Known{Incarnation: store}); err != nil {
		m.Log.Warn("store of this host's cluster not recorded for a start without saved records", "error", err)
	}
}

// Recall applies the saved records, if this machine was the host then, and has not rebooted since. It must be called once, with the token
// of this agent's lock, before the saved records are used.
func (m *Membership) Recall(token string) {
	file, saved, err := checkpoint.Open(m.Records)
	m.revoked.Apply(&saved) // for every host
	ours := m.known(saved)
	was := m.Registration.Was(token, saved) && ours
	damage := new(checkpoint.DamageError)
	switch {
	case errors.Is(err, checkpoint.ErrFormat):
		m.Log.Info("starting without saved records", "error", err)
		err = nil
	case errors.As(err, &damage):
		m.Log.Warn("some saved records are unusable", "error", err)
		err = nil
	}
	if err == nil && len(saved.Updates) > 0 && !was {
		m.Log.Info("dropped saved records of another host or cluster, or from before a reboot")
		saved, err = channel.Batch{}, file.Clear()
	}
	if err != nil {
		m.Log.Warn("records not saved: an agent that starts while no netmaster is reachable has none", "error", err)
	} else {
		m.carried.Learn(&saved)
		m.records.File, m.records.Saved = file, saved
	}
	m.Registration.Sit(token, was) // from here on others use the records
}
