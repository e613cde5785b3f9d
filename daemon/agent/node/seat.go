package node

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/contiv/contiv/daemon/agent/checkpoint"
	"github.com/contiv/contiv/daemon/agent/claim"
	"github.com/contiv/contiv/daemon/channel"
)

// sitPause is how long the agent waits before it tries again to be the only one that works with the switch.
const sitPause = 200 * time.Millisecond

// sit takes the seat at the switch, as soon as it is free. It is kept until all parts of the agent have ended.
func (n *Node) sit(ctx context.Context, ready func()) error {
	path := filepath.Join(n.OVSRunDir, BridgeName+".agent")
	for {
		seat, err := claim.Take(path)
		if err == nil {
			n.seat.Store(seat)
			n.problem.Store(nil)
			n.recall(seat.Token)
			close(n.seated)
			ready()
			return nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errNoOVS // its folder comes with it
		}
		text := err.Error()
		if old := n.problem.Swap(&text); old == nil || *old != text {
			n.Log.Warn("the agent cannot work with the switch, trying again", "error", err)
		}
		select {
		case <-time.After(sitPause):
		case <-ctx.Done():
			return nil
		}
	}
}

// recall sits down with what this host was told before. That counts if this machine was the host then, and has not been started again since.
func (n *Node) recall(token string) {
	file, saved, err := checkpoint.Open(filepath.Join(n.OVSRunDir, BridgeName+".records"))
	n.distrust.Hear(&saved) // whichever host it was told to
	ours := n.identity(saved)
	was := n.claim.Was(token, saved) && ours
	damage := new(checkpoint.DamageError)
	switch {
	case errors.Is(err, checkpoint.ErrFormat):
		n.Log.Info("this agent starts without saved records", "error", err)
		err = nil
	case errors.As(err, &damage):
		n.Log.Warn("not all saved records can be used", "error", err)
		err = nil
	}
	if err == nil && len(saved.Updates) > 0 && !was {
		n.Log.Info("saved records are dropped: they are another host's or another cluster's, or of before this machine started")
		saved, err = channel.Batch{}, file.Clear()
	}
	if err != nil {
		n.Log.Warn("what netmasters tell is not kept: an agent that starts while none is reached knows nothing", "error", err)
	} else {
		n.carried.Learn(&saved)
		n.records.File, n.records.Saved = file, saved
	}
	n.claim.Sit(token, was) // from here on others use the records
}

var errNoOVS = errors.New("there is no such folder: it does not run")

// register keeps the machine admitted as the host that it is.
func (n *Node) register(ctx context.Context, ready func()) error {
	ready()
	return n.claim.Run(ctx)
}

// refusal says why this machine is not the host that it claims to be, "" when it is.
func (n *Node) refusal() string {
	if why := n.claim.Refusal(); why != "" {
		return "admission to the cluster: " + why
	}
	return ""
}
