// SPDX-License-Identifier: Apache-2.0

package vswitch

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/contiv/contiv/daemon/agent/hostaccess"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/bridge"
	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
	"github.com/contiv/contiv/ofnet/pipeline"
)

// Fixed ports of the bridge, and their OpenFlow numbers.
const (
	TunnelName = "vx"
	tunnelPort = 1000
)

// FixedPorts returns the fixed ports of a bridge with these uplinks.
func FixedPorts(uplinks *UplinkSettings) ofnet.Ports {
	out := ofnet.Ports{Tunnel: tunnelPort, Host: HostPort}
	if len(uplinks.NICs) > 0 {
		out.Uplink = UplinkPort(0)
		for i := range uplinks.NICs[1:] {
			out.Backup = append(out.Backup, UplinkPort(i+1))
		}
	}
	return out
}

// Records is the part of *desired.Engine that a Preparer needs.
type Records interface {
	SetUnsupported(ofnet.Abilities)
	Unsupported() ofnet.Abilities
}

// Attachments is the part of *attach.Engine that a Preparer needs.
type Attachments interface {
	Rename(ctx context.Context) error
	Restore()
}

// PreparerOptions configure a Preparer.
type PreparerOptions struct {
	Settings
	Host    string     // label
	VTEP    netip.Addr // tunnel address
	Uplinks *Trunk
	Conn    *Connection
	Links   *link.Host
	Tables  flow.Tables // of the bridge, whose names the switch shows
	Records Records
	Attach  Attachments
	Held    <-chan struct{} // closed when this machine is admitted as the host
	Log     *slog.Logger
}

// Preparer prepares the switch. Its methods are safe for concurrent use.
type Preparer struct {
	PreparerOptions
	turn     sync.Mutex // one preparation at a time
	prepared chan struct{}
	problem  atomic.Pointer[string]
	room     atomic.Pointer[bridge.Room] // of the switch; nil: unknown
}

// NewPreparer returns a Preparer.
func NewPreparer(o PreparerOptions) *Preparer {
	return &Preparer{PreparerOptions: o, prepared: make(chan struct{})}
}

// Prepared is closed when the switch has been prepared for the first time.
func (p *Preparer) Prepared() <-chan struct{} { return p.prepared }

// Problem returns why the switch is not prepared, "" while no reason is known.
func (p *Preparer) Problem() string {
	if text := p.problem.Load(); text != nil {
		return *text
	}
	return ""
}

// prepareTimeout bounds one attempt to prepare the switch; the next attempt waits for an Open vSwitch that is away.
const prepareTimeout = 15 * time.Second

// Run prepares the bridge and its fixed ports, and again after each reconnection to Open vSwitch's database, which may have been replaced,
// until ctx ends.
func (p *Preparer) Run(ctx context.Context, ready func()) error {
	select {
	case <-p.Held:
	case <-ctx.Done():
	}
	done := 0 // number of the database listing for which the switch is prepared
	for ctx.Err() == nil {
		changed := p.Conn.DB.Changed()
		if lists := p.Conn.DB.Lists(); lists != done && p.Conn.DB.Connected() {
			err := p.Prepare(ctx)
			if err == nil {
				p.problem.Store(nil)
				if done == 0 {
					p.warnSmallQueues()
					p.Conn.Switch.Adopt(ovsdb.IDContainer)
					p.adoptEnds()
					p.Uplinks.Recall(ctx)
					close(p.prepared)
					ready()
				}
				done = lists
				continue
			}
			text := err.Error()
			if old := p.problem.Swap(&text); old == nil || *old != text {
				p.Log.Warn("preparing the switch failed; retrying", "error", err)
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

func (p *Preparer) prepareOnce(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, prepareTimeout)
	defer cancel()
	if err := p.Conn.Switch.EnsureRoot(ctx); err != nil {
		return err
	}
	datapath, err := p.datapath(ctx)
	if err != nil {
		return err
	}
	if err := p.Links.CloseEnds(p.Uplinks.NICs...); err != nil { // host access retries; host ends are also closed by their own settings
		p.Log.Warn("host ends of containers are closed without nftables", "error", err)
	}
	sum := sha256.Sum256([]byte("contiv " + p.Host))
	id := binary.BigEndian.Uint64(append([]byte{0, 0}, LocalMAC(sum[:5])...))
	err = p.Conn.Switch.Ensure(ctx, ovsdb.BridgeSpec{DatapathType: datapath, DatapathID: id, MAC: LocalMAC(sum[:5]),
		Protocols: []string{"OpenFlow13"}, ExternalIDs: map[string]string{"contiv-host": p.Host}})
	if err != nil {
		return err
	}
	if err := p.probe(ctx); err != nil {
		return err
	}
	names := map[uint8]string{}
	for _, t := range p.Tables {
		names[uint8(t.ID)] = t.Name
	}
	if err := p.Conn.Switch.SetFlowTables(ctx, names); err != nil {
		return err
	}
	specs := []ovsdb.PortSpec{
		ovsdb.TunnelSpec(TunnelName, tunnelPort, p.VXLANPort, p.VTEP),
		ovsdb.InternalSpec(hostaccess.PortName, HostPort, pipeline.HostMAC[:]),
	}
	for _, nic := range p.Uplinks.NICs {
		if err := p.Links.SetUp(nic); err != nil {
			return err
		}
	}
	specs = append(specs, p.Uplinks.Specs()...)
	if err := p.dropUplinks(ctx, specs); err != nil {
		return err
	}
	for _, spec := range specs {
		if err := p.ensurePort(ctx, spec); err != nil {
			return err
		}
	}
	return nil
}

// ensurePort creates a fixed port with the requested OpenFlow numbers.
func (p *Preparer) ensurePort(ctx context.Context, spec ovsdb.PortSpec) error {
	if err := p.Conn.Switch.AddPort(ctx, spec); err != nil {
		return err
	}
	for _, i := range spec.Interfaces() {
		port, err := p.Conn.Switch.WaitPort(ctx, i.Name)
		if err != nil {
			return err
		}
		if port.OFPort != i.OFPort {
			return fmt.Errorf("port %s has OpenFlow number %d, want %d: is another port of bridge %s in the way?",
				i.Name, port.OFPort, i.OFPort, Bridge)
		}
	}
	return nil
}

// dropUplinks removes NICs from the bridge that are no longer uplinks, and splits former bonds. NICs that become members of a bond stay
// until the bond is created.
func (p *Preparer) dropUplinks(ctx context.Context, wanted []ovsdb.PortSpec) error {
	ports, interfaces := map[string]bool{}, map[string]bool{}
	for _, s := range wanted {
		ports[s.Name] = true
		for _, i := range s.Interfaces() {
			interfaces[i.Name] = true
		}
	}
	bonds := p.Conn.Switch.Bonds()
	for _, port := range p.Conn.Switch.Ports(ovsdb.IDEndpoint, ovsdb.FixedPort) {
		bond, bonded := bonds[port.Name]
		switch {
		case port.Type != "" || bonded && ports[bond] || !bonded && interfaces[port.Name]:
			continue
		case bonded:
			p.Log.Info("uplinks are no longer bonded", "port", bond, "interface", port.Name)
			if err := p.Conn.Switch.RemovePort(ctx, bond); err != nil {
				return err
			}
		default:
			p.Log.Info("a NIC is no longer an uplink", "interface", port.Name)
			if err := p.Conn.Switch.RemovePort(ctx, port.Name); err != nil {
				return err
			}
		}
	}
	return nil
}

// enoughQueue is the packet queue, in bytes, with which bulk TCP through the userspace datapath lost nothing in measurements.
const enoughQueue = 4 << 20

// warnSmallQueues warns of queues in which one container's bulk traffic displaces the packets of others.
func (p *Preparer) warnSmallQueues() {
	if !p.Conn.Userspace() {
		return
	}
	size, err := link.PacketQueue()
	switch {
	case err != nil:
		p.Log.Warn("length of packet queues unknown", "error", err)
	case size < enoughQueue:
		p.Log.Warn("ports of the userspace datapath have short queues: bulk traffic makes other packets drop; "+
			"set net.core.rmem_default (sysctl) before ovs-vswitchd starts", "bytes", size, "enough", enoughQueue)
	}
}

// LocalMAC returns a locally administered unicast address from five bytes.
func LocalMAC(b []byte) net.HardwareAddr { return append(net.HardwareAddr{2}, b...) }

// datapath returns the datapath type. "auto" selects the kernel's if the kernel has one: Open vSwitch lists its type on every Linux.
func (p *Preparer) datapath(ctx context.Context) (string, error) {
	if p.Datapath != "" && p.Datapath != "auto" {
		return p.Datapath, nil
	}
	switch err := link.KernelDatapath(); {
	case errors.Is(err, link.ErrNoKernelDatapath):
		p.Log.Info("datapath in user space", "reason", err)
		return "netdev", nil
	case err != nil:
		return "", err // unknown is not absent: another type would disconnect the containers of an existing bridge
	}
	var types []string
	err := p.Conn.DB.Await(ctx, func(t *ovsdb.Tables) (bool, error) {
		root, ok := t.Root()
		types = root.DatapathTypes
		return ok && len(types) > 0, nil
	})
	if err != nil {
		return "", fmt.Errorf("wait until ovs-vswitchd lists its datapath types (is it running?): %w", err)
	}
	if slices.Contains(types, "system") {
		p.Log.Info("datapath of the kernel")
		return "system", nil
	}
	p.Log.Info("datapath in user space", "reason", "ovs-vswitchd was started without the kernel's (--disable-system)")
	return "netdev", nil
}
