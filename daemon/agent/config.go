package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/miekg/dns"

	"github.com/contiv/contiv/cni/wire"
	"github.com/contiv/contiv/daemon/agent/inspect"
	"github.com/contiv/contiv/daemon/agent/node"
	"github.com/contiv/contiv/daemon/door"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/daemon/incarnation"
	"github.com/contiv/contiv/ofnet/link"
)

// inspectPort is where every agent's inspection is served.
const inspectPort = 9090

// options are what netplugin is told.
type options struct {
	flags.Agent
	Host        string
	Machine     string
	ClusterFile incarnation.File
	CtrlIP      string
	VTEPIP      string
	Uplinks     []string
	Bond        string
	VXLANPort   string
	Datapath    string
	OVSRunDir   string
	Socket      string
	Mesos       string
	Runtime     runtimeOptions
	Uninstall   uninstallOptions
	Docker      dockerOptions
	Kube        string
	InCluster   bool // this is a pod of Kubernetes
	DNS         string
	Domain      string
	Cluster     string
	Resolvers   []string
	Services    string
	Observe     bool
	ConnLog     string
	Limits      inspect.Limits
	HostPorts   []string
	Protected   []string
	Shut        []string
	Nodes       []string

	ctrl, vtep netip.Addr
	vxlan      int
	open       []link.Ports
	protected  []netip.Prefix
	shut       []link.Ports
	node4      netip.Addr
	node6      netip.Addr
}

func (o *options) register(s *flags.Set) {
	o.Agent.Register(s)
	s.String(&o.Host, "host", "HOST", "", "label of this host in the cluster (default: the kernel's host name)", "host-label")
	s.String((*string)(&o.ClusterFile), "cluster-file", "CLUSTER_FILE", "", "file in which this host notes which store its cluster has: netplugin follows no netmaster with another one; contiv init and contiv join name "+incarnation.DefaultPath)
	s.String(&o.Machine, "machine-id", "MACHINE_ID", "", "what tells this machine from all others, to which its host label and addresses belong (default: /etc/machine-id and the firmware's UUID)")
	s.String(&o.CtrlIP, "ctrl-ip", "CONTROL_IP", "", "address at which this agent is inspected, or a prefix in which this host has one address (default: of the first usable interface)")
	s.String(&o.VTEPIP, "vtep-ip", "VTEP_IP", "", "tunnel address, or a prefix in which this host has one address, such as 192.168.0.0/24, that all hosts may be told (default: as --ctrl-ip)")
	s.List(&o.Uplinks, "vlan-uplinks", "VLAN_UPLINKS", "NICs that carry VLANs; required with --netmode vlan", "vlan-if")
	s.String(&o.Bond, "uplink-bond", "UPLINK_BOND", node.BondBackup, "how several uplinks are used together: active-backup (one at a time) or lacp (all, as the switch beyond agrees)")
	s.String(&o.VXLANPort, "vxlan-port", "VXLAN_PORT", "4789", "UDP port of VXLAN")
	s.String(&o.Datapath, "datapath", "DATAPATH", "auto", "datapath of Open vSwitch: system (kernel), netdev (userspace) or auto")
	s.String(&o.OVSRunDir, "ovs-rundir", "OVS_RUNDIR", "/run/openvswitch", "folder of Open vSwitch's sockets")
	s.String(&o.Socket, "cni-socket", "CNI_SOCKET", wire.DefaultSocket, "unix socket at which the CNI plugin asks")
	s.String(&o.Mesos, "mesos-socket", "MESOS_SOCKET", "", "unix socket at which netcontiv, the CNI plugin of Mesos, asks, or off (default: contiv-mesos.sock beside --cni-socket)")
	o.Runtime.register(s)
	o.Uninstall.register(s)
	o.Docker.register(s)
	s.String(&o.DNS, "dns", "DNS", "on", "answer containers' questions about names of their tenant: on or off")
	s.String(&o.Domain, "dns-domain", "DNS_DOMAIN", "contiv", "domain under which these names exist, besides alone")
	s.String(&o.Cluster, "cluster-domain", "CLUSTER_DOMAIN", "cluster.local", "domain of Kubernetes, whose names are answered too")
	s.String(&o.Services, "services", "SERVICES", "on", "carry out the services of Kubernetes: on, or off where another proxy does, such as kube-proxy")
	s.List(&o.Resolvers, "dns-upstream", "DNS_UPSTREAM", "name servers to ask for other names, when a container asks its gateway (default: the host's)")
	s.List(&o.HostPorts, "host-ports", "HOST_PORTS", "ports of hosts that containers may reach, such as tcp/10250 or udp/4000-4010 (default: none, but for names)")
	s.List(&o.Protected, "protected-prefixes", "PROTECTED_PREFIXES", "further addresses that containers may not reach by way of this host, such as 10.0.0.0/24")
	s.List(&o.Shut, "closed-ports", "CLOSED_PORTS", "ports that containers may not reach at any address outside of their tenant, beside those of netmasters, the store's clients and VXLAN (default: tcp/2380,tcp/10000, of the store's members and of clients of the original)")
	s.List(&o.Nodes, "node-addresses", "NODE_ADDRESSES", "addresses of this machine by which it meets containers directly, one of IPv4, of IPv6 or each (default: those of the interface that has --ctrl-ip)")
	s.Bool(&o.Observe, "observe", "OBSERVE", "leave what others change in the switch as it is, until netctl drift --repair")
	s.String(&o.ConnLog, "connection-log", "CONNECTION_LOG", "on", "keep a log of connections that open, close and are refused, which netctl observe shows: on or off")
	s.List(&o.Limits.Hosts, door.AllowedHosts, "ALLOWED_HOSTS", "names under which this agent is inspected, besides addresses, names without a dot and the host's own")
	s.Int(&o.Limits.Connections, door.MaxConnections, "MAX_CONNECTIONS", inspect.DefaultConnections, "how many connections inspection has open at once")
	s.Int(&o.Limits.PerClient, door.MaxConnectionsPerClient, "MAX_CONNECTIONS_PER_CLIENT", inspect.DefaultPerClient, "how many of them one client has")
	s.Int(&o.Limits.Captures, "max-captures", "MAX_CAPTURES", inspect.DefaultCaptures, "how many captures run at once; one client has a quarter")
	s.Int(&o.Limits.Traces, "max-traces", "MAX_TRACES", inspect.DefaultTraces, "how many traces and looks at the switch run at once; one client has a quarter")
	s.String(&o.Kube, "kubeconfig", "KUBECONFIG", "", "without effect, accepted for old scripts: netmaster reads Kubernetes")
}

// parse reads and checks the command line and the environment. Errors name the flag and the remedy.
func parse(args []string, getenv func(string) string, out io.Writer) (*options, error) {
	o := &options{}
	s := flags.New("netplugin", "CONTIV_NETPLUGIN_", out)
	o.register(s)
	if err := s.Parse(args, getenv); err != nil {
		return nil, err
	}
	o.InCluster = getenv("KUBERNETES_SERVICE_HOST") != "" // which the kubelet gives every container
	switch {
	case o.Version:
		return o, nil
	case o.Uninstall.Wanted():
		return o, errors.Join(o.Uninstall.check(), o.Runtime.check(), o.Docker.check(o.Mode), o.Log.Check())
	case o.Docker.Door:
		return o, o.checkDoor()
	}
	return o, o.check()
}

func (o *options) check() error {
	if err := o.Agent.Check(); err != nil {
		return err
	}
	if err := flags.OneOf("datapath", o.Datapath, "auto", "netdev", "system"); err != nil {
		return err
	}
	if err := o.Docker.check(o.Mode); err != nil {
		return err
	}
	if err := flags.OneOf("uplink-bond", o.Bond, node.BondBackup, node.BondLACP); err != nil {
		return err
	}
	if o.Bond == node.BondLACP && len(o.Uplinks) < 2 {
		return fmt.Errorf("--uplink-bond lacp is for several NICs: name two or more with --vlan-uplinks")
	}
	if err := flags.OneOf("dns", o.DNS, "on", "off"); err != nil {
		return err
	}
	if err := o.Runtime.check(); err != nil {
		return err
	}
	if err := flags.OneOf("services", o.Services, "on", "off"); err != nil {
		return err
	}
	if err := flags.OneOf("connection-log", o.ConnLog, "on", "off"); err != nil {
		return err
	}
	if _, ok := dns.IsDomainName(o.Cluster); !ok || o.Cluster == "" {
		return fmt.Errorf("--cluster-domain %s: it is a name such as cluster.local", o.Cluster)
	}
	if o.mesosSocket() == o.Socket {
		return fmt.Errorf("--mesos-socket %s: --cni-socket is there already; name another path", o.Mesos)
	}
	if _, ok := dns.IsDomainName(o.Domain); !ok || o.Domain == "" {
		return fmt.Errorf("--dns-domain %s: it is a name such as contiv or cluster.example", o.Domain)
	}
	for flag, n := range map[string]int{door.MaxConnections: o.Limits.Connections, door.MaxConnectionsPerClient: o.Limits.PerClient,
		"max-captures": o.Limits.Captures, "max-traces": o.Limits.Traces} {
		if n < 1 || n > door.Most {
			return fmt.Errorf("--%s %d: it is a number from 1 to %d", flag, n, door.Most)
		}
	}
	if err := errors.Join(o.checkClosed(), o.checkNodes()); err != nil {
		return err
	}
	var err error
	if o.Host == "" {
		if o.Host, err = os.Hostname(); err != nil || o.Host == "" {
			return fmt.Errorf("--host is required: the kernel has no host name (%v)", err)
		}
	}
	if o.NetMode == "vlan" && len(o.Uplinks) == 0 {
		return fmt.Errorf("--vlan-uplinks is required with --netmode vlan: name the NICs that carry VLANs")
	}
	for i, nic := range o.Uplinks {
		if slices.Contains(o.Uplinks[:i], nic) {
			return fmt.Errorf("--vlan-uplinks names %s twice", nic)
		}
		if _, err := net.InterfaceByName(nic); err != nil {
			return fmt.Errorf("--vlan-uplinks %s: %w; `ip link` lists those that are", nic, flags.ErrAbsent)
		}
	}
	if o.vxlan, err = strconv.Atoi(o.VXLANPort); err != nil || o.vxlan < 1 || o.vxlan > 65535 {
		return fmt.Errorf("--vxlan-port %s: it is a number from 1 to 65535", o.VXLANPort)
	}
	if o.ctrl, err = o.address("ctrl-ip", o.CtrlIP, netip.Addr{}); err != nil {
		return err
	}
	o.vtep, err = o.address("vtep-ip", o.VTEPIP, o.ctrl)
	return err
}

// mesosSocket is where netcontiv asks, "" when it is not served.
func (o *options) mesosSocket() string {
	switch o.Mesos {
	case "off":
		return ""
	case "":
		return filepath.Join(filepath.Dir(o.Socket), filepath.Base(wire.MesosSocket))
	}
	return o.Mesos
}

// checkClosed reads what is closed to containers, and what is not.
func (o *options) checkClosed() error {
	for _, text := range o.HostPorts {
		p, err := link.ParsePorts(text)
		if err != nil {
			return fmt.Errorf("--host-ports: %w", err)
		}
		o.open = append(o.open, p)
	}
	if o.Shut == nil {
		o.Shut = []string{"tcp/2380", "tcp/10000"}
	}
	for _, text := range o.Shut {
		p, err := link.ParsePorts(text)
		if err != nil {
			return fmt.Errorf("--closed-ports: %w", err)
		}
		o.shut = append(o.shut, p)
	}
	for _, text := range o.Protected {
		p, err := netip.ParsePrefix(text)
		if a, failed := netip.ParseAddr(text); failed == nil && a.Zone() == "" {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil || p.Addr().Is4In6() {
			return fmt.Errorf("--protected-prefixes: %q is not like 10.0.0.0/24, fd00::/64 or 10.0.0.1", text)
		}
		o.protected = append(o.protected, p.Masked())
	}
	return nil
}

// checkNodes reads the machine's own addresses.
func (o *options) checkNodes() error {
	for _, text := range o.Nodes {
		a, err := netip.ParseAddr(text)
		if a = a.Unmap(); err != nil || a.Zone() != "" || !a.IsGlobalUnicast() {
			return fmt.Errorf("--node-addresses %s: it is an IP address of this host", text)
		}
		own := &o.node4
		if a.Is6() {
			own = &o.node6
		}
		if own.IsValid() {
			return fmt.Errorf("--node-addresses %s: %s is of the same family; name one of each", text, *own)
		}
		*own = a
	}
	return nil
}
