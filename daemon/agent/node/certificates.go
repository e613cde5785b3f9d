package node

import (
	"context"
	"crypto/tls"

	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// scheme is that of the URLs of netmasters.
func (n *Node) scheme() string {
	if n.Trust == nil {
		return "http"
	}
	return "https"
}

// secure is how netmasters are spoken to; nil: in plain.
func (c *Config) secure() *tls.Config {
	if c.Trust == nil {
		return nil
	}
	return c.Trust.Client(trust.Master, "")
}

// certificates keep what proves the agent as it is in its folder.
func (n *Node) certificates() []task.Task {
	if n.Trust == nil {
		return nil
	}
	return []task.Task{task.Func("certificates", func(ctx context.Context, ready func()) error {
		ready()
		n.Trust.Watch(ctx, n.Log)
		return nil
	})}
}
