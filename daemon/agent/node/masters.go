package node

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strconv"

	"github.com/contiv/contiv/daemon/channel"
)

// masters are the URLs of netmasters, the leader first: those of which netmasters have told, and, while none of these tells this host anything, those
// that are found.
func (n *Node) masters(ctx context.Context) []string {
	if n.told.With() != "" {
		return n.toldMasters()
	}
	return n.everyMaster(ctx)
}

// toldMasters are those of which netmasters have told.
func (n *Node) toldMasters() (out []string) {
	for _, s := range n.desired.Masters() {
		out = append(out, n.scheme()+"://"+net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port)))
	}
	return out
}

// everyMaster are the URLs of netmasters of which others have told, and of those that are found.
func (n *Node) everyMaster(ctx context.Context) []string {
	out := n.toldMasters()
	if n.Find == nil {
		return out
	}
	for _, url := range n.Find(ctx) {
		if !slices.Contains(out, url) {
			out = append(out, url)
		}
	}
	return out
}

// reporter tells netmasters how a node is.
type reporter struct{ n *Node }

func (r reporter) Revision() uint64 { return r.n.forward.Revision() }

func (r reporter) Wait(ctx context.Context, rev uint64) error { return r.n.forward.Wait(ctx, rev) }

func (r reporter) Status() ([]byte, error) { return json.Marshal(r.n.Status()) }

// Held leaves out what the host holds otherwise than it was told, on purpose: that is nothing that a netmaster could put right.
func (r reporter) Held() (channel.Mark, map[channel.Shard]channel.Digest) {
	mark, all := r.n.desired.Held()
	if r.n.carried.Carries() {
		return channel.Mark{}, nil
	}
	return mark, all
}
