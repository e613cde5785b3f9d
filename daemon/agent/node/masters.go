package node

import (
	"context"
	"encoding/json"
	"net"
	"slices"
	"strconv"
)

// masters are the URLs of netmasters, the leader first: those of which netmasters have told, and, while none of these tells this host anything, those
// that are found.
func (n *Node) masters(ctx context.Context) (out []string) {
	for _, s := range n.desired.Masters() {
		out = append(out, n.scheme()+"://"+net.JoinHostPort(s.HostAddr, strconv.Itoa(s.Port)))
	}
	if n.told.With() != "" || n.Find == nil {
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
