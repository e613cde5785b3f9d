// SPDX-License-Identifier: Apache-2.0

package member

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"syscall"
	"time"
)

// State reports whether a member runs, as far as another machine can know.
type State int

// States of a member.
const (
	Absent  State = iota // the store has no such member
	Runs                 // something serves at its peer URL
	Stopped              // its machine answers, and refuses the connection
	Unknown              // nothing answers: the machine is off, or unreachable
)

// Presence reports whether a member runs, with the evidence.
type Presence struct {
	State    State
	Evidence string // "https://192.0.2.3:2380: connection refused"
}

// dialTimeout bounds the time in which a machine must accept or refuse a connection.
const dialTimeout = 3 * time.Second

// Look connects to a member's peer URL. Only a refused connection proves that the member does not run: a member that does not answer may
// run and be unreachable. It blocks until the machine has answered, at most three seconds.
func Look(ctx context.Context, peer string) Presence {
	u, err := url.Parse(peer)
	if err != nil {
		return Presence{Unknown, err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", u.Host)
	switch {
	case err == nil:
		_ = c.Close()
		return Presence{Runs, peer + " accepts connections"}
	case errors.Is(err, syscall.ECONNREFUSED):
		return Presence{Stopped, peer + " refuses connections"}
	}
	return Presence{Unknown, fmt.Sprintf("%s does not answer: %v", peer, err)}
}
