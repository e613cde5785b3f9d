package node

import "github.com/contiv/contiv/daemon/agent/examine"

// checks are what the agent looks at on its host, each by itself.
func (n *Node) checks() []examine.Check {
	return n.outlook.checks()
}
