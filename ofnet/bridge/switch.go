// SPDX-License-Identifier: Apache-2.0

package bridge

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/openflow"
)

// Switch is a connection to one switch: the only path by which flows reach it. Its methods may be called by several goroutines at once;
// each blocks until the switch has answered, ctx ends or the connection does.
type Switch interface {
	// Apply carries out d as a whole: one bundle, one barrier. If the switch refuses it, nothing has changed except for meters, and the
	// error is a *RefusedError. Any other error means that the connection failed and that an unknown part was carried out. Adding an
	// existing meter changes it, and changing a missing one adds it.
	Apply(ctx context.Context, d *flow.Delta) error
	// Stream is Apply for a change that comes in pieces: it sends each piece as soon as pieces yields it, and the switch carries out all of
	// them together at the end. Later pieces may replace entries of earlier ones. Pieces have no meters.
	Stream(ctx context.Context, pieces iter.Seq[*flow.Delta]) error
	// Fill is Stream for a switch that forwards nothing yet: the switch carries out each change by itself, in order and as soon as it
	// comes. A *RefusedError names those that it has not carried out.
	Fill(ctx context.Context, pieces iter.Seq[*flow.Delta]) error
	// Forget makes the connection tracker delete the connections that list selects, one selection after the other. A switch without this
	// ability answers with a *RefusedError.
	Forget(ctx context.Context, list []flow.Connections) error
	// Dump returns the content of the switch: the flows of the share and, with the first share, groups and meters, so that these are
	// restored before the flows that name them.
	Dump(ctx context.Context, share flow.Share) (flow.Set, error)
	// Stats returns the flows selected by only, with their counters.
	Stats(ctx context.Context, only openflow.FlowFilter) ([]openflow.FlowStats, error)
	// Filled counts the flows of each non-empty table, including leased ones. The switch knows the number without reading the flows.
	Filled(ctx context.Context) (map[flow.TableID]int, error)
	// Watch makes the switch report when another program has changed flows that are not leased: the channel holds one after each change. It
	// is nil if the switch cannot do that.
	Watch(ctx context.Context) (<-chan struct{}, error)
	// Ports lists the ports of the switch by number.
	Ports(ctx context.Context) ([]Port, error)
	// Silent returns how long the switch has not answered a request; 0 while it answers. It does not block.
	Silent() time.Duration
	// Done is closed when the connection has ended, for any reason.
	Done() <-chan struct{}
	// Close ends the connection.
	Close() error
}

// Connector makes connections to one switch.
type Connector interface {
	// Connect makes one attempt. It blocks until the switch is ready for flows, the attempt has failed, or ctx ends.
	Connect(ctx context.Context) (Switch, error)
}

// Port is a port of a switch.
type Port struct {
	Number uint32 // OpenFlow port number
	Name   string // interface name, cut to 15 bytes by OpenFlow
	MAC    ofnet.MAC
	Up     bool // the link has a carrier and the port is enabled
}

// RefusedError is returned by Apply if the switch understood a change and refused it.
type RefusedError struct {
	Refusals []Refusal // at least one
}

// Refusal is one refused entry and the reason. Exactly one of Flow, Group and Meter is set, or none if the switch did not name the entry.
type Refusal struct {
	Flow   *flow.Flow
	Group  *flow.Group
	Meter  *flow.Meter
	Reason string // in the switch's words, such as OFPBMC_BAD_PREREQ
}

// Error names the first refused entries and their reasons.
func (e *RefusedError) Error() string {
	const most = 3
	var b strings.Builder
	b.WriteString("switch refused ")
	for n, r := range e.Refusals {
		if n == most {
			fmt.Fprintf(&b, " and %d more", len(e.Refusals)-most)
			break
		}
		if n > 0 {
			b.WriteString("; ")
		}
		b.WriteString(r.String())
	}
	return b.String()
}

// String is the entry and the reason.
func (r Refusal) String() string {
	switch {
	case r.Flow != nil:
		return fmt.Sprintf("flow %s: %s", r.Flow, r.Reason)
	case r.Group != nil:
		return fmt.Sprintf("group %#x: %s", r.Group.ID, r.Reason)
	case r.Meter != nil:
		return fmt.Sprintf("meter %d: %s", r.Meter.ID, r.Reason)
	}
	return "the change: " + r.Reason
}
