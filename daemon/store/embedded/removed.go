// SPDX-License-Identifier: Apache-2.0

package embedded

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/contiv/contiv/daemon/store/member"
)

// errStopped reports that etcd has stopped by itself. Its log has the reason.
var errStopped = errors.New("etcd has stopped; the log of etcd above has the reason")

// solitary returns an error if the member is to continue without the others and one of them answers: two stores would continue from the
// same data, and the members of either would end those of the other.
func (c *Config) solitary(ctx context.Context) error {
	if !c.Alone {
		return nil
	}
	if len(c.known) > 0 && !slices.ContainsFunc(c.known, c.is) {
		return fmt.Errorf("%w: the others have removed %s, and %s records it: it cannot continue without them; %s; or restore a snapshot with contiv snapshot restore", ErrLost, c.Name, c.Dir, c.returns())
	}
	standing, answered, _ := c.ask(ctx, c.others())
	switch {
	case answered == "":
		return nil
	case standing == absent:
		return fmt.Errorf("%w: the member at %s answers, and its store continues without %s: --embedded-alone would make a second store; %s; to continue with the data of %s instead, "+
			"stop the netmaster at %s first", ErrLost, answered, c.Name, c.returns(), c.Dir, answered)
	}
	return fmt.Errorf("%w: the member at %s answers, and --embedded-alone is for a member whose others are lost: start without it; or stop the netmaster at %s, which will be lost, first",
		ErrLost, answered, answered)
}

// is reports whether a peer is this member. A member that has not started yet has no name.
func (c *Config) is(p member.Peer) bool {
	return p.Name == c.Name || slices.Contains(p.URLs, c.PeerURL)
}

// ended explains why a member has stopped by itself, or does not start: etcd stops when the others have removed it. It asks each of them,
// at most askTimeout long.
func (c *Config) ended(ctx context.Context, err error) error {
	standing, answered, _ := c.ask(ctx, c.others())
	if answered == "" || standing != absent {
		return err
	}
	return fmt.Errorf("%w: the member at %s reports that %s is not a member of the store any more, because it was replaced, or because that member continued without it (--embedded-alone); "+
		"%s keeps the data that it had; %s", ErrLost, answered, c.Name, c.Dir, c.returns())
}

// returns is how a host becomes a member of its store again.
func (c *Config) returns() string {
	return fmt.Sprintf("to make this host a member of that store, run contiv replace %s on a host of it, and on this one the command that it prints", c.Name)
}
