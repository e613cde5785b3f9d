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

// State is whether a member runs, as far as another machine can know.
type State int

// States of a member.
const (
	Absent  State = iota // the store has no such member
	Runs                 // something serves where it serves the others
	Stopped              // its machine answers, and nothing serves there
	Unknown              // nothing answers: the machine is off, or cut off
)

// Presence is whether a member runs, and what says so.
type Presence struct {
	State    State
	Evidence string // "https://192.0.2.3:2380: connection refused"
}

// dialLimit is how long a machine may take to accept or refuse a connection.
const dialLimit = 3 * time.Second

// Look connects to where a member serves the others, its peer URL. Only a connection that its machine refuses says that it does not run: what does not
// answer may run, and be cut off. It blocks until the machine has answered, three seconds at most.
func Look(ctx context.Context, peer string) Presence {
	u, err := url.Parse(peer)
	if err != nil {
		return Presence{Unknown, err.Error()}
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
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
