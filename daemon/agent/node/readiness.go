package node

import (
	"context"
	"slices"
	"strings"
	"time"
)

// starting names what the agent lacks to do anything for a container.
func (n *Node) starting() []string {
	var out []string
	if why := n.refusal(); why != "" {
		return append(out, why)
	}
	ovs := "Open vSwitch at " + n.OVSRunDir
	if p := n.problem.Load(); p != nil {
		ovs += " (" + *p + ")"
	}
	for _, need := range []struct {
		met  <-chan struct{}
		what string
	}{{n.seated, ovs}, {n.claim.Held(), n.unheard()}, {n.prepared, ovs}} {
		select {
		case <-need.met:
		default:
			return append(out, need.what)
		}
	}
	select {
	case <-n.desired.Ready():
	default:
		what := "a netmaster"
		if why := n.desired.Away(); why != "" {
			what += " (" + why + ")"
		}
		return append(out, what)
	}
	if n.desired.Global().FwdMode == "" {
		out = append(out, "global configuration (it is written by the leading netmaster)")
	}
	return out
}

// unheard is what an agent waits for that is not admitted.
func (n *Node) unheard() string {
	if why := n.claim.Silence(); why != "" {
		return "a netmaster (" + why + ")"
	}
	return "a netmaster"
}

// Waiting names what the agent waits for, empty when it serves.
func (n *Node) Waiting() []string {
	out := n.starting()
	if n.refusal() != "" {
		return out // nothing else is at work
	}
	if !n.db.Connected() {
		out = append(out, "ovsdb-server at "+n.OVSRunDir+silent(n.db.Unanswered()))
	}
	if !n.forward.Connected() {
		out = append(out, "ovs-vswitchd at "+ManagementSocket(n.OVSRunDir)+silent(n.forward.Unanswered()))
	} else if !n.forward.Whole() {
		out = append(out, "flows of bridge "+BridgeName+" that others have removed, until they are restored")
	}
	if _, differs := n.sw.BridgeDrift(); differs {
		out = append(out, "bridge "+BridgeName+", which others have changed or removed, until it is restored")
	}
	if why := n.desired.Away(); why != "" {
		out = append(out, "a netmaster ("+why+")")
	}
	for _, door := range n.doors {
		select {
		case <-door.Ready():
		default:
			out = append(out, door.String())
		}
	}
	return slices.Compact(out)
}

// watchReadiness logs when what the agent waits for changes.
func (n *Node) watchReadiness(ctx context.Context, ready func()) error {
	ready() // the group is ready when its parts run; the node is when nothing is waited for
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last, once := "", false
	for {
		if w := strings.Join(n.Waiting(), "; "); w == "" && !once {
			close(n.ready)
			once, last = true, w
			n.Log.Info("ready", "host", n.Host, "duration", time.Since(n.started).Round(time.Millisecond))
			if mode := n.desired.Global().FwdMode; n.FwdMode != "" && string(mode) != n.FwdMode {
				n.Log.Warn("the cluster's forwarding mode differs from --fwdmode; the cluster's counts", "cluster", mode, "flag", n.FwdMode)
			}
		} else if w != last {
			last = w
			if w == "" {
				n.Log.Info("ready again")
			} else {
				n.Log.Warn("waiting", "condition", w)
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}
