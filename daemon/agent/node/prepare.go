package node

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Fixed ports of the bridge, and their OpenFlow numbers. Further uplinks follow from 1003.
const (
	tunnelName = "vx"

	portTunnel = 1000
	portUplink = 1001
	portHost   = 1002
)

// prepareLimit bounds one attempt to prepare the switch; an Open vSwitch that is away is waited for by the next one.
const prepareLimit = 15 * time.Second

// prepare makes the bridge and its fixed ports, and does it again whenever Open vSwitch's database comes back, which
// may have been replaced, until ctx ends.
func (n *Node) prepare(ctx context.Context, ready func()) error {
	select {
	case <-n.claim.Held():
	case <-ctx.Done():
	}
	done := 0 // the listing of the database for which the switch is prepared
	for ctx.Err() == nil {
		changed := n.db.Changed()
		if lists := n.db.Lists(); lists != done && n.db.Connected() {
			err := n.prepareBridge(ctx)
			if err == nil {
				n.problem.Store(nil)
				if done == 0 {
					n.tellSmallQueues()
					n.sw.Adopt(ovsdb.IDContainer)
					n.adoptEnds()
					n.recallUplinks(ctx)
					close(n.prepared)
					ready()
				}
				done = lists
				continue
			}
			text := err.Error()
			if old := n.problem.Swap(&text); old == nil || *old != text {
				n.Log.Warn("preparation of the switch, trying again", "error", err)
			}
			t := time.NewTimer(500 * time.Millisecond)
			select {
			case <-t.C:
			case <-ctx.Done():
			}
			t.Stop()
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
	return nil
}

func (n *Node) prepareOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, prepareLimit)
	defer cancel()
	if err := n.sw.EnsureRoot(ctx); err != nil {
		return err
	}
	datapath, err := n.datapath(ctx)
	if err != nil {
		return err
	}
	if err := n.links.CloseEnds(n.Uplinks...); err != nil { // host access tries again; host ends are closed by their own settings too
		n.Log.Warn("host ends of containers are closed without nftables", "error", err)
	}
	sum := sha256.Sum256([]byte("contiv " + n.Host))
	id := binary.BigEndian.Uint64(append([]byte{0, 0}, localMAC(sum[:5])...))
	err = n.sw.Ensure(ctx, ovsdb.BridgeSpec{DatapathType: datapath, DatapathID: id, MAC: localMAC(sum[:5]),
		Protocols: []string{"OpenFlow13"}, ExternalIDs: map[string]string{"contiv-host": n.Host}})
	if err != nil {
		return err
	}
	if err := n.askAbilities(ctx); err != nil {
		return err
	}
	names := map[uint8]string{}
	for _, t := range n.flows.Tables() {
		names[uint8(t.ID)] = t.Name
	}
	if err := n.sw.SetFlowTables(ctx, names); err != nil {
		return err
	}
	specs := []ovsdb.PortSpec{
		ovsdb.TunnelSpec(tunnelName, portTunnel, n.VXLANPort, n.VTEP),
		ovsdb.InternalSpec(hostaccess.PortName, portHost, pipeline.HostMAC[:]),
	}
	for _, nic := range n.Uplinks {
		if err := n.links.SetUp(nic); err != nil {
			return err
		}
	}
	specs = append(specs, uplinkSpecs(n.Uplinks, n.UplinkBond)...)
	if err := n.dropUplinks(ctx, specs); err != nil {
		return err
	}
	for _, spec := range specs {
		if err := n.ensurePort(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// ensurePort makes a fixed port exist, with the OpenFlow numbers that it asks for.
func (n *Node) ensurePort(ctx context.Context, spec ovsdb.PortSpec) error {
	if err := n.sw.AddPort(ctx, spec); err != nil {
		return err
	}
	for _, i := range spec.Interfaces() {
		p, err := n.sw.WaitPort(ctx, i.Name)
		if err != nil {
			return err
		}
		if p.OFPort != i.OFPort {
			return fmt.Errorf("port %s has OpenFlow number %d, want %d: is another port of bridge %s in the way?",
				i.Name, p.OFPort, i.OFPort, BridgeName)
		}
	}
	return nil
}

// dropUplinks takes NICs out of the bridge that were uplinks of an agent before and are not now, and takes NICs apart that were
// used together. Those that become members of one port stay until that is made.
func (n *Node) dropUplinks(ctx context.Context, wanted []ovsdb.PortSpec) error {
	ports, interfaces := map[string]bool{}, map[string]bool{}
	for _, s := range wanted {
		ports[s.Name] = true
		for _, i := range s.Interfaces() {
			interfaces[i.Name] = true
		}
	}
	bonds := n.sw.Bonds()
	for _, p := range n.sw.Ports(ovsdb.IDEndpoint, ovsdb.FixedPort) {
		bond, bonded := bonds[p.Name]
		switch {
		case p.Type != "" || bonded && ports[bond] || !bonded && interfaces[p.Name]:
			continue
		case bonded:
			n.Log.Info("uplinks are no longer bonded", "port", bond, "interface", p.Name)
			if err := n.sw.RemovePort(ctx, bond); err != nil {
				return err
			}
		default:
			n.Log.Info("a NIC is no longer an uplink", "interface", p.Name)
			if err := n.sw.RemovePort(ctx, p.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// enoughQueue is the packet queue with which bulk TCP through the userspace datapath was seen to lose nothing, in bytes.
const enoughQueue = 4 << 20

// tellSmallQueues warns of queues in which one container's bulk traffic pushes out the packets of others.
func (n *Node) tellSmallQueues() {
	if n.sw.DatapathType() != "netdev" {
		return
	}
	size, err := link.PacketQueue()
	switch {
	case err != nil:
		n.Log.Warn("length of packet queues is not known", "error", err)
	case size < enoughQueue:
		n.Log.Warn("ports of the userspace datapath have short queues: bulk traffic makes other packets drop; "+
			"set net.core.rmem_default (sysctl) before ovs-vswitchd starts", "bytes", size, "enough", enoughQueue)
	}
}

// localMAC makes a locally administered unicast address of five bytes.
func localMAC(b []byte) net.HardwareAddr { return append(net.HardwareAddr{2}, b...) }

// datapath decides on the datapath type. "auto" takes the kernel's where the kernel has one: Open vSwitch lists its type on every Linux.
func (n *Node) datapath(ctx context.Context) (string, error) {
	if n.Datapath != "" && n.Datapath != "auto" {
		return n.Datapath, nil
	}
	switch err := link.KernelDatapath(); {
	case errors.Is(err, link.ErrNoKernelDatapath):
		n.Log.Info("datapath in user space", "reason", err)
		return "netdev", nil
	case err != nil:
		return "", err // unknown is not absent: the other type would cut the containers of a bridge that has this one
	}
	var types []string
	err := n.db.Await(ctx, func(t *ovsdb.Tables) (bool, error) {
		root, ok := t.Root()
		types = root.DatapathTypes
		return ok && len(types) > 0, nil
	})
	if err != nil {
		return "", fmt.Errorf("wait until ovs-vswitchd lists its datapath types (is it running?): %w", err)
	}
	if slices.Contains(types, "system") {
		n.Log.Info("datapath of the kernel")
		return "system", nil
	}
	n.Log.Info("datapath in user space", "reason", "ovs-vswitchd was started without the kernel's (--disable-system)")
	return "netdev", nil
}
