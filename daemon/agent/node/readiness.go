// SPDX-License-Identifier: Apache-2.0

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
	if why := n.member.Refusal(); why != "" {
		return append(out, why)
	}
	ovs := func(problem string) string {
		if problem == "" {
			return "Open vSwitch at " + n.Switch.RunDir
		}
		return "Open vSwitch at " + n.Switch.RunDir + " (" + problem + ")"
	}
	for _, need := range []struct {
		met  <-chan struct{}
		what string
	}{{n.instance.Taken(), ovs(n.instance.Problem())}, {n.member.Registration.Held(), n.member.Waiting()}, {n.preparer.Prepared(), ovs(n.preparer.Problem())}} {
		select {
		case <-need.met:
		default:
			return append(out, need.what)
		}
	}
	select {
	case <-n.records.Ready():
	default:
		what := "a netmaster"
		if why := n.records.Away(); why != "" {
			what += " (" + why + ")"
		}
		return append(out, what)
	}
	if n.records.Global().FwdMode == "" {
		out = append(out, "global configuration (it is written by the leading netmaster)")
	}
	return out
}

// Waiting names what the agent waits for, empty when it serves.
func (n *Node) Waiting() []string {
	out := n.starting()
	if n.member.Refusal() != "" {
		return out // nothing else is at work
	}
	out = append(out, n.conn.Waiting()...)
	if why := n.records.Away(); why != "" {
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
	ready() // the group is ready when its parts run, the node when its list of conditions is empty
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	last, once := "", false
	for {
		if w := strings.Join(n.Waiting(), "; "); w == "" && !once {
			close(n.ready)
			once, last = true, w
			n.Log.Info("ready", "host", n.Host, "duration", time.Since(n.started).Round(time.Millisecond))
			if mode := n.records.Global().FwdMode; n.FwdMode != "" && string(mode) != n.FwdMode {
				n.Log.Warn("the cluster's forwarding mode differs from --fwdmode and takes precedence", "cluster", mode, "flag", n.FwdMode)
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
