package node

import (
	"context"
	"fmt"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/openflow"
)

// askAbilities asks what the switch and its datapath can do, so that the flows need nothing else.
func (n *Node) askAbilities(ctx context.Context) error {
	capabilities, err := n.sw.Capabilities(ctx)
	if err != nil {
		return err
	}
	lacks, err := bridge.NewOpenFlow(ManagementSocket(n.OVSRunDir), openflow.Options{}).Lacks(ctx)
	if err != nil {
		return err
	}
	lacks |= ofnet.LackedBy(capabilities)
	if needed := lacks.Needed(); needed != 0 && needed != n.desired.Lacks().Needed() {
		n.Log.Error("datapath", "error", fmt.Errorf("datapath %s cannot do %s, so %s do not work: boot another kernel, or use --datapath netdev",
			n.sw.DatapathType(), needed, needed.Means()))
	}
	n.desired.SetLacks(lacks)
	return nil
}
