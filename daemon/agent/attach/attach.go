// SPDX-License-Identifier: Apache-2.0

// Package attach creates and removes the interfaces of containers: the one path for every runtime interface of the agent (CNI, Docker). An
// attachment is an endpoint at the master, a veth pair, a port of the switch and its flows.
//
// Everything that must outlive the agent is in the external ids of the port, and what the store does not know is also in the alias of the
// interface. Each operation may be repeated, so a crash at any step is repaired by the runtime's retry or by Sweep.
package attach

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/agent/registration"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/tracing"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Master creates and deletes endpoints. Creating an existing endpoint returns it; deleting an absent one succeeds.
type Master interface {
	// CreateEndpoint returns the endpoint and a store revision that includes it.
	CreateEndpoint(ctx context.Context, r model.CreateEndpointRequest) (record.Endpoint, uint64, error)
	DeleteEndpoint(ctx context.Context, r model.DeleteEndpointRequest) error
}

// Flows is the agent's knowledge of the store, and the progress of the switch.
type Flows interface {
	// SetPort sets the OpenFlow port of the endpoint with this identity; 0: not attached.
	SetPort(endpoint string, port uint32)
	// Wait returns when the switch has all flows of the endpoint as of store revision rev.
	Wait(ctx context.Context, endpoint string, rev uint64) error
	Network(ctx context.Context, id identity.Network) (record.Network, error)
	// Endpoint returns an endpoint by the text of its identity, as last received.
	Endpoint(id string) (record.Endpoint, bool)
	// Local returns the endpoints whose homing host is this one.
	Local() []record.Endpoint
}

// Switch is the part of *ovsdb.Switch that attaching needs.
type Switch interface {
	AddPort(ctx context.Context, spec ovsdb.PortSpec) error
	WaitPort(ctx context.Context, name string) (ovsdb.Port, error)
	RemovePort(ctx context.Context, name string) error
	Relabel(ctx context.Context, endpoints map[string]string) error
	Port(name string) (ovsdb.Port, bool)
	Ports(key, value string) []ovsdb.Port
	// Wants reports whether a port of that name should exist, even if it does not exist yet.
	Wants(name string) bool
}

// Links is the part of *link.Host that attaching needs.
type Links interface {
	Create(p link.Pair) error
	Configure(c link.Config) error
	Check(c link.Config) error
	ScheduleDelete(names ...string)
	Exists(name string) (bool, error)
	Names() ([]string, error)
	// Alias returns the alias of a live host end; exists is false if there is none.
	Alias(name string) (alias string, exists bool, err error)
	// Taken reports whether there is a live host end of that name whose other end is in another network namespace.
	Taken(name string) (bool, error)
	// Occupied reports whether Taken is true and a process visible to this one runs in that namespace.
	Occupied(name string) (bool, error)
	SetMTU(name string, mtu int) error
	SetContainerMTU(netns, ifname string, mtu int) error
}

// Options are what an Engine needs.
type Options struct {
	Host    string // label of this host
	Machine string // identity of this machine
	// Registration returns whether this machine is the host of that label. nil: it is.
	Registration func() registration.State
	Master       Master
	Flows        Flows
	Switch       Switch
	Links        Links
	SoftSum      func() bool      // whether the datapath runs in userspace, so that containers compute checksums themselves
	Room         func() link.Room // for packets between hosts
	// Default returns the gateway of networks that have none of their own; invalid: no default route. nil: there is none.
	Default func(ipv6 bool) netip.Addr
	// Tunnels reports whether packets that leave on a VLAN may end in a tunnel, because networks are routed to each other or hosts
	// access endpoints directly. nil: they may not.
	Tunnels func() bool
	// Vital returns a context that ends when the switch does not answer, with the reason as its cause, and a function that releases it.
	// nil: Attach waits as long as ctx lives.
	Vital func(ctx context.Context) (context.Context, func())
	// Traces begin with an attachment, unless its context already belongs to one; nil: nothing is traced.
	Traces *tracing.Recorder
	Log    *slog.Logger
}

// Engine attaches and detaches. Its methods are safe for concurrent use; operations on the same endpoint are serialized.
type Engine struct {
	Options
	locks    *locks
	numbers  *numbers
	recent   *recent // recently removed endpoints
	failures *failures
	duration *prometheus.HistogramVec
}

// New returns an Engine. Restore must be called once Open vSwitch has been listed, before the first Attach.
func New(o Options) *Engine {
	return &Engine{Options: o, locks: newLocks(), numbers: newNumbers(), recent: newRecent(), failures: newFailures(), duration: newDuration()}
}

// Request asks for an interface, which ContainerID and IfName identify.
type Request struct {
	ContainerID string
	IfName      string // in the container
	Netns       string // path of the container's network namespace; "" if Handed
	// Handed reports that the runtime moves the container's end from the host, where it is created, and configures it.
	Handed     bool
	Tenant     string
	Network    string
	Group      string // or ""
	Name       string // common name: the pod's or container's
	Labels     map[string]string
	IPv4, IPv6 string   // requested addresses, or ""
	MAC        string   // requested, or ""
	Tokens     []string // that hold the addresses
	Owner      string   // the requester: "cni/NAME", "docker/NETWORK"
	// Pod is the pod of the container: the master chooses Tenant, Network and Group where they are empty. nil: no pod.
	Pod *model.PodRequest
	// Bandwidth limits this container only; nil: no limit.
	Bandwidth *model.BandwidthRequest
	// DockerNetwork is the id of the Docker network, "" if the request is not from Docker.
	DockerNetwork string
}

// EndpointID returns the identity of an interface on its network: the container id, and the interface's name unless that is the default.
func EndpointID(container, ifname string) string {
	if ifname == "" || ifname == "eth0" {
		return container
	}
	return container + "-" + ifname
}

func (r *Request) identity() identity.Endpoint {
	return identity.Endpoint{Network: identity.Network{Tenant: r.Tenant, Name: r.Network}, Endpoint: EndpointID(r.ContainerID, r.IfName)}
}

func (r *Request) validate() error {
	for _, f := range []struct{ name, value string }{{"container id", r.ContainerID}, {"interface name", r.IfName},
		{"network namespace", r.Netns}, {"tenant", r.Tenant}, {"network", r.Network}} {
		if f.value == "" && !(r.Handed && f.name == "network namespace") && !(r.Pod != nil && (f.name == "tenant" || f.name == "network")) {
			return fmt.Errorf("%w: %s is missing", ErrInvalid, f.name)
		}
	}
	if len(r.IfName) > link.NameLimit || strings.ContainsAny(r.IfName, "/: \t\n") {
		return fmt.Errorf("%w: %q is not the name of an interface", ErrInvalid, r.IfName)
	}
	return nil
}

// Errors on which callers decide.
var (
	// ErrInvalid reports that a request can never succeed.
	ErrInvalid = errors.New("invalid request")
	// ErrUnknown reports that there is no such attachment.
	ErrUnknown = errors.New("container is not attached")
)

// Result is a finished attachment.
type Result struct {
	Endpoint record.Endpoint
	Network  record.Network
	HostName string // of the host end
	FarName  string // of the container's end while it is on the host; "" if it is created in the container
	Owner    string // the requester, as in Request
	IfName   string
	Netns    string
	MAC      net.HardwareAddr
	MTU      int
	Addrs    []netip.Prefix
	Gateways []netip.Addr
	OFPort   uint32
}

// undoTimeout bounds the cleanup after a failed Attach.
const undoTimeout = 10 * time.Second

// portTimeout bounds the wait for the port's removal from the database, which happens in any case.
const portTimeout = 3 * time.Second

// Attach creates the interface and returns when its flows are in the switch. It completes and returns an existing attachment. If it fails,
// it leaves nothing that it created, or leaves a port by which Sweep finds the rest.
func (e *Engine) Attach(ctx context.Context, r Request) (Result, error) {
	begun := time.Now()
	ctx, end := e.Traces.Begin(ctx, "attach", begun, "contiv.container", r.ContainerID, "contiv.tenant", r.Tenant, "contiv.network", r.Network,
		"contiv.group", r.Group, "contiv.name", r.Name, "contiv.owner", r.Owner)
	res, err := e.attach(ctx, r)
	end(err)
	e.failures.record(&r, err, time.Now())
	e.observe(time.Since(begun), err)
	return res, err
}

func (e *Engine) attach(ctx context.Context, r Request) (Result, error) {
	if err := r.validate(); err != nil {
		return Result{}, err
	}
	what := EndpointID(r.ContainerID, r.IfName)
	if e.Vital != nil {
		vital, release := e.Vital(ctx)
		defer release()
		if ctx = vital; ctx.Err() != nil {
			return Result{}, fmt.Errorf("attach %s: %w", what, context.Cause(ctx))
		}
	}
	unlock, err := e.locks.lock(ctx, what)
	if err != nil {
		return Result{}, fmt.Errorf("attach %s: %w", what, because(ctx, err))
	}
	defer unlock()
	known, err := e.resolvePod(ctx, &r)
	if err != nil {
		return Result{}, fmt.Errorf("attach %s: %w", what, because(ctx, err))
	}
	id := r.identity().String()
	name, have, err := e.portName(&r, id)
	if err != nil {
		return Result{}, err
	}
	defer e.locks.work(name)()
	number, err := e.number(id, name, have)
	if err != nil {
		return Result{}, err
	}
	// A port may be missing while its container runs, if someone has deleted the bridge. The interface shows that, and LostPorts
	// restores the port.
	if !have {
		was, _, err := e.interfaceOf(r.identity())
		if err != nil {
			return Result{}, fmt.Errorf("attach %s: %w", id, err)
		}
		have = was != ""
	}
	e.Flows.SetPort(id, number)
	res, err := e.make(ctx, r, known, name, number)
	if err != nil {
		err = fmt.Errorf("attach %s: %w", id, because(ctx, err))
		if !have {
			err = errors.Join(err, e.undo(ctx, r, id, name))
		}
		return Result{}, err
	}
	return res, nil
}

// because returns the cause of ctx's end if err results from that; else err.
func because(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != cause {
		return cause
	}
	return err
}

// nameTries is the number of names tried for a host end, if other endpoints have the first ones.
const nameTries = 4

// portName returns the port of an endpoint, or a free name for a new one. An interface's name is appended to its container's, so the result
// may equal the name of another container: that is an error.
func (e *Engine) portName(r *Request, id string) (name string, have bool, err error) {
	if ports := e.Switch.Ports(ovsdb.IDEndpoint, id); len(ports) > 0 {
		if a := attachmentOf(ports[0]); a.ContainerID != r.ContainerID || a.IfName != r.IfName {
			return "", false, fmt.Errorf("%w: interface %s of container %s would be endpoint %s, which is interface %s of container %s: "+
				"give the container another name", ErrInvalid, r.IfName, r.ContainerID, id, a.IfName, a.ContainerID)
		}
		return ports[0].Name, true, nil
	}
	for _, name := range hostNames(r.identity()) {
		if p, ok := e.Switch.Port(name); !ok || p.ExternalIDs[ovsdb.IDEndpoint] == id {
			return name, ok, nil
		}
	}
	return "", false, fmt.Errorf("attach %s: no free interface name", id)
}

func (e *Engine) number(id, name string, have bool) (uint32, error) {
	if p, ok := e.Switch.Port(name); have && ok {
		if p.OFPort != 0 {
			return p.OFPort, nil
		}
		if p.Requested != 0 {
			return p.Requested, nil
		}
	}
	return e.numbers.allocate(id)
}

// make asks the master, then creates interface and port, and configures the interface while the switch works. The interface waits for the
// master's answer because it is created with its MAC and MTU: each later change of it would cost ovs-vswitchd more than that wait.
func (e *Engine) make(ctx context.Context, r Request, known *answer, name string, number uint32) (Result, error) {
	id := r.identity().String()
	if known == nil {
		var err error
		if known, err = e.ask(ctx, &r); err != nil {
			return Result{}, err
		}
	}
	ep, rev := known.endpoint, known.revision
	network, err := e.Flows.Network(ctx, ep.ID.Network)
	if err != nil {
		return Result{}, err
	}
	res, err := e.result(r.IfName, r.Netns, name, ep, network)
	if err != nil {
		return Result{}, err
	}
	res.Owner = r.Owner
	group, groupCtx := errgroup.WithContext(ctx)
	group.Go(func() error {
		ctx, end := tracing.Step(groupCtx, "program flows", "contiv.endpoint", id, "contiv.revision", strconv.FormatUint(rev, 10))
		err := e.Flows.Wait(ctx, id, rev)
		end(err)
		return err
	})
	group.Go(func() (err error) {
		portCtx, end := tracing.Step(groupCtx, "add port", "contiv.port", name)
		defer func() { end(err) }()
		err = e.Switch.AddPort(portCtx, ovsdb.PortSpec{Name: name, OFPort: number, ExternalIDs: e.externalIDs(r, &ep, name),
			Device: func() error { return e.Links.Create(e.pair(&res)) }})
		if err != nil {
			return err
		}
		if !r.Handed {
			group.Go(func() error {
				_, end := tracing.Step(groupCtx, "configure interface")
				err := e.Links.Configure(e.config(&res))
				end(err)
				return err
			})
		}
		p, err := e.Switch.WaitPort(portCtx, name)
		res.OFPort = p.OFPort
		return err
	})
	if err := group.Wait(); err != nil || res.OFPort == number {
		return res, err
	}
	// The number was used in the meantime: the flows belong to another port.
	e.Flows.SetPort(id, res.OFPort)
	e.numbers.use(res.OFPort, id)
	return res, e.Flows.Wait(ctx, id, rev)
}

func externalIDs(r Request, ep *record.Endpoint) map[string]string {
	ids := map[string]string{ovsdb.IDEndpoint: ep.ID.String(), ovsdb.IDTenant: r.Tenant, ovsdb.IDNetwork: r.Network,
		ovsdb.IDContainer: r.ContainerID, ovsdb.IDIfName: r.IfName, ovsdb.IDNetns: r.Netns, ovsdb.IDOwner: r.Owner}
	if r.Group != "" {
		ids[ovsdb.IDGroup] = r.Group
	}
	if text := addressesText(ep); text != "" {
		ids[ovsdb.IDAddresses] = text
	}
	if ep.MAC != (record.MAC{}) {
		ids[ovsdb.IDMAC] = net.HardwareAddr(ep.MAC[:]).String()
	}
	if r.Netns == "" { // nothing on the host shows how long the container lives
		ids[ovsdb.IDSince] = time.Now().UTC().Format(time.RFC3339)
	}
	return ids
}

// externalIDs returns the external ids of a port, which may already exist.
func (e *Engine) externalIDs(r Request, ep *record.Endpoint, name string) map[string]string {
	ids := externalIDs(r, ep)
	if p, _ := e.Switch.Port(name); p.ExternalIDs[ovsdb.IDSince] != "" {
		ids[ovsdb.IDSince] = p.ExternalIDs[ovsdb.IDSince]
	}
	return ids
}

// result returns the configuration of the interface from its records.
func (e *Engine) result(ifname, netns, name string, ep record.Endpoint, n record.Network) (Result, error) {
	res := Result{Endpoint: ep, Network: n, HostName: name, IfName: ifname, Netns: netns, MTU: e.mtu(&n), MAC: ep.MAC[:]}
	if netns == "" {
		res.FarName = link.FarName(name)
	}
	if ep.MAC == (record.MAC{}) {
		return res, fmt.Errorf("endpoint %s has no MAC address", ep.ID)
	}
	for _, f := range []struct {
		addr    netip.Addr
		subnet  netip.Prefix
		gateway netip.Addr
	}{{ep.IP, n.Subnet, n.Gateway}, {ep.IP6, n.Subnet6, n.Gateway6}} {
		if !f.addr.IsValid() {
			continue
		}
		prefix := netip.PrefixFrom(f.addr, f.subnet.Bits())
		if !prefix.IsValid() {
			return res, fmt.Errorf("endpoint %s: address %s does not go with subnet %s of network %s", ep.ID, f.addr, f.subnet, n.ID)
		}
		res.Addrs = append(res.Addrs, prefix)
		if !f.gateway.IsValid() && e.Default != nil {
			f.gateway = e.Default(f.addr.Is6())
		}
		if f.gateway.IsValid() {
			res.Gateways = append(res.Gateways, f.gateway)
		}
	}
	return res, nil
}

// mtu returns the MTU of a container in a network.
func (e *Engine) mtu(n *record.Network) int {
	routed := e.Tunnels != nil && e.Tunnels()
	if n.Encap == record.VXLAN {
		return e.Room().InTunnel(routed)
	}
	return e.Room().OnTrunk(routed)
}

// outerMTU returns the MTU of a host end, which must fit the container's and everything that the switch sends there.
func (e *Engine) outerMTU(inner int) int { return max(inner, e.Room().Tunnel) }

func (e *Engine) pair(r *Result) link.Pair {
	return link.Pair{Host: r.HostName, Netns: r.Netns, Stays: r.FarName != "", IfName: cmp.Or(r.FarName, r.IfName), MTU: e.outerMTU(r.MTU), ContainerMTU: r.MTU, MAC: r.MAC,
		SoftSum: e.SoftSum(), Alias: tag{r.Netns, r.Owner}.String()}
}

func (e *Engine) config(r *Result) link.Config {
	return link.Config{Netns: r.Netns, IfName: r.IfName, Host: r.HostName, MAC: r.MAC, MTU: r.MTU, Addrs: r.Addrs,
		Gateways: r.Gateways, SoftSum: e.SoftSum()}
}

// undo rolls back a failed first attempt, never that of a container that was attached before. It removes the port last, after the endpoint,
// because Sweep finds leftovers by their port, as LostPorts finds an endpoint that the master may have created. It releases at once what no
// port represents. It also works when the caller has given up.
func (e *Engine) undo(ctx context.Context, r Request, id, name string) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), undoTimeout)
	defer cancel()
	err := e.Master.DeleteEndpoint(ctx, model.DeleteEndpointRequest{TenantName: r.Tenant, NetworkName: r.Network,
		ServiceName: r.Group, EndpointID: EndpointID(r.ContainerID, r.IfName), Host: e.Host, ContainerID: r.ContainerID, Reason: whyUndone})
	if err != nil {
		if !e.stands(name) {
			e.Flows.SetPort(id, 0)
			e.numbers.release(id)
		}
		return fmt.Errorf("take back: %w", err)
	}
	ctx, cancelPort := context.WithTimeout(ctx, portTimeout)
	defer cancelPort()
	return e.forget(ctx, id, name)
}

// stands reports whether a port of that name exists or should exist.
func (e *Engine) stands(name string) bool {
	_, ok := e.Switch.Port(name)
	return ok || e.Switch.Wants(name)
}
