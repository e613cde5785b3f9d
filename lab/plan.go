// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"errors"
	"fmt"
	"net/netip"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/contiv/contiv/lab/hostinit"
	"github.com/contiv/contiv/lab/kube"
)

// Parts of a host, in the order in which they start.
const (
	PartOVSDB       = "ovsdb"
	PartOVS         = "ovs"
	PartStore       = "store"
	PartMaster      = "master"
	PartPluginProxy = "door" // of the agent for the host's Docker engine
	PartAgent       = "agent"
)

// Kinds of store.
const (
	StoreEmbedded = "embedded"
	StoreEtcd     = "etcd"
	StoreConsul   = "consul"
)

// Plan describes a lab. It is kept in the lab's directory.
type Plan struct {
	Name     string   `json:"name"`
	Dir      string   `json:"dir"`            // the lab's directory
	Disk     string   `json:"disk,omitempty"` // directory of the hosts' stores; empty: they are in the hosts' directories
	Hosts    int      `json:"hosts"`          // h1, h2, ...
	Masters  int      `json:"masters"`        // on the first of the hosts
	Store    string   `json:"store"`
	Bare     bool     `json:"bare"`               // only hosts and switches
	Insecure bool     `json:"insecure,omitempty"` // plain HTTP, to everyone
	Joined   bool     `json:"joined,omitempty"`   // by contiv init and contiv join; the store is embedded
	Bin      string   `json:"bin"`                // directory of netmaster, netplugin, contivk8s
	Number   int      `json:"number"`
	Uplinks  int      `json:"uplinks,omitempty"`  // NICs of a host in the VLAN trunk; 0: one
	LACP     bool     `json:"lacp,omitempty"`     // a host's uplinks lead to a switch of its own that speaks LACP
	Datapath string   `json:"datapath,omitempty"` // of all switches: system or netdev
	Debug    bool     `json:"debug"`
	Master   []string `json:"masterFlags,omitempty"` // additional flags
	Agent    []string `json:"agentFlags,omitempty"`

	Docker      bool     `json:"docker,omitempty"`      // every host has a Docker engine
	DockerBin   string   `json:"dockerBin,omitempty"`   // directory of another engine than the machine's, with its containerd, runc and docker
	DockerScore bool     `json:"dockerScore,omitempty"` // the engine would lower its out-of-memory score
	DockerFlags []string `json:"dockerFlags,omitempty"`

	Kubernetes *Kubernetes `json:"kubernetes,omitempty"`
}

// hasEngines reports whether hosts run containers that have control groups.
func (p *Plan) hasEngines() bool { return p.Docker || p.Kubernetes != nil }

// maxUplinks is the maximum number of a host's NICs in the trunk.
const maxUplinks = 4

// uplinks are the names of a host's NICs in the trunk: eth1, eth2, ...
func (p *Plan) uplinks() []string {
	var out []string
	for i := range max(1, p.Uplinks) {
		out = append(out, fmt.Sprintf("eth%d", i+1))
	}
	return out
}

// maxHosts is what fits in the lab's subnets beside the machine's own address.
const maxHosts = 200

var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,31}$`)

// check validates a plan.
func (p *Plan) check() error {
	switch {
	case !namePattern.MatchString(p.Name):
		return fmt.Errorf("lab name: got %q, want at most 32 lowercase letters, digits and dashes", p.Name)
	case p.Hosts < 1 || p.Hosts > maxHosts:
		return fmt.Errorf("hosts: got %d, want 1 to %d", p.Hosts, maxHosts)
	case p.Masters < 1 || p.Masters > p.Hosts:
		return fmt.Errorf("masters: got %d, want 1 to the number of hosts, %d", p.Masters, p.Hosts)
	case p.Store != StoreEmbedded && p.Store != StoreEtcd && p.Store != StoreConsul:
		return fmt.Errorf("store: got %q, want %s, %s or %s", p.Store, StoreEmbedded, StoreEtcd, StoreConsul)
	case p.Uplinks < 0 || p.Uplinks > maxUplinks:
		return fmt.Errorf("uplinks: got %d, want 1 to %d", p.Uplinks, maxUplinks)
	case p.Joined && (p.Store != StoreEmbedded || p.Insecure || p.Bare):
		return errors.New("hosts join a secured cluster with an embedded store")
	case p.LACP && p.Uplinks < 2:
		return fmt.Errorf("LACP of %d uplinks: it takes 2 or more", max(1, p.Uplinks))
	case len(p.Dir)+len("/h200/"+hostinit.Socket) > 100:
		return fmt.Errorf("directory %s: the path is too long for the sockets in it", p.Dir)
	}
	return nil
}

// hostName is the name of host number i, counted from 1.
func hostName(i int) string { return fmt.Sprintf("h%d", i) }

// hostNames are all hosts.
func (p *Plan) hostNames() []string {
	var names []string
	for i := range p.Hosts {
		names = append(names, hostName(i+1))
	}
	return names
}

// hostNumber is the number of a host, 0 if there is none of that name.
func (p *Plan) hostNumber(name string) int {
	for i := range p.Hosts {
		if hostName(i+1) == name {
			return i + 1
		}
	}
	return 0
}

// mgmt is the address of a host on the management network, which the machine reaches too; vtep the one on the underlay.
func (p *Plan) mgmt(host int) string { return fmt.Sprintf("10.254.%d.%d", p.Number, host) }
func (p *Plan) vtep(host int) string { return fmt.Sprintf("192.168.251.%d", host) }

// machine is the machine's own address on the management network, and link the interface that has it.
func (p *Plan) machine() string { return p.mgmt(254) }
func (p *Plan) link() string    { return fmt.Sprintf("contivlab%d", p.Number) }

// switches is the network namespace of the switches.
func (p *Plan) switches() string { return fmt.Sprintf("contiv-%s-%d", p.Name, p.Number) }

func (p *Plan) hostDir(host string) string { return filepath.Join(p.Dir, host) }

// MasterURL is the API of the netmaster on a host.
func (p *Plan) masterURL(host int) string { return p.scheme() + "://" + p.mgmt(host) + ":9999" }

// storeURL is the URL of the store on a host.
func (p *Plan) storeURL(host int) string {
	if p.Store == StoreConsul {
		return "http://" + p.mgmt(host) + ":8500"
	}
	if p.Store == StoreEmbedded {
		return p.scheme() + "://" + p.mgmt(host) + ":2379"
	}
	return "http://" + p.mgmt(host) + ":2379"
}

// embeddedOn reports whether the netmaster on a host runs a member of the embedded store: of three masters each does, of fewer or more only
// the first, because a cluster of two tolerates no failure.
func (p *Plan) embeddedOn(host int) bool {
	return p.Store == StoreEmbedded && (host == 1 || p.Masters == 3 && host <= 3)
}

// finderFlags point agents to netmasters: directly for an embedded store, which only serves netmasters.
func (p *Plan) finderFlags() []string {
	if p.Insecure || p.Store != StoreEmbedded {
		return p.storeFlags()
	}
	var urls []string
	for i := range p.Masters {
		urls = append(urls, p.masterURL(i+1))
	}
	return []string{"--netmasters", strings.Join(urls, ",")}
}

// storeFlags point parts that do not run the store to it.
func (p *Plan) storeFlags() []string {
	if p.Store == StoreConsul {
		return []string{"--consul-endpoints", p.storeURL(1)}
	}
	urls := []string{p.storeURL(1)}
	for i := 2; p.embeddedOn(i); i++ {
		urls = append(urls, p.storeURL(i))
	}
	return []string{"--etcd-endpoints", strings.Join(urls, ",")}
}

// ovsNice is the niceness that ovs-ctl(8) gives Open vSwitch: without it the switch loses packets for a second when pods use all
// processors.
const ovsNice = "-10"

// args is the command line of a part on a host, nil if the host has no such part.
func (p *Plan) args(host int, part string) []string {
	switch {
	case part == PartOVSDB:
		return []string{"nice", "-n", ovsNice, "ovsdb-server", hostinit.Inside + "/conf.db", "--remote=punix:/run/openvswitch/db.sock", "--pidfile",
			"-vsyslog:off", "-vconsole:info"}
	case part == PartOVS:
		args := []string{"nice", "-n", ovsNice, "ovs-vswitchd", "unix:/run/openvswitch/db.sock", "--pidfile", "-vsyslog:off", "-vconsole:info"}
		if p.datapath() == DatapathNetdev {
			args = append(args, "--disable-system")
		}
		return args
	case part == PartContainerd && p.hasContainerd():
		return p.containerdArgs()
	case part == PartDocker && p.Docker:
		return p.dockerArgs(host)
	case kube.Health(part, netip.Addr{}) != "":
		return p.kubernetesArgs(host, part)
	case p.Bare:
		return nil
	case part == PartStore && host == 1 && p.Store == StoreEtcd:
		return []string{"etcd", "--data-dir", hostinit.Inside + "/etcd", "--name", hostName(host),
			"--listen-client-urls", p.storeURL(host), "--advertise-client-urls", p.storeURL(host),
			"--listen-peer-urls", "http://127.0.0.1:2380"}
	case part == PartStore && host == 1 && p.Store == StoreConsul:
		return []string{"consul", "-server", "-bootstrap", "-data-dir", hostinit.Inside + "/consul", "-bind", p.mgmt(host),
			"-client", p.mgmt(host), "-node", hostName(host), "-log-level", "warn",
			"-hcl", "performance { raft_multiplier = 1 }"}
	case part == PartMaster && host <= p.Masters:
		return p.masterArgs(host)
	case part == PartAgent:
		return p.agentArgs(host)
	case part == PartPluginProxy && p.Docker:
		return p.logged([]string{filepath.Join(p.Bin, "netplugin"), "--docker-door", "--mode", "docker", "--docker-agent-socket", agentSocket})
	}
	return nil
}

// clusterFlags make a host's daemons record which store the cluster has, in a file that outlives the store's directory, and read the files of their host.
var clusterFlags = []string{"--cluster-file", hostinit.Inside + "/cluster", "--config-dir", hostinit.Inside + "/etc/contiv", "--log-dir", hostinit.Inside + "/last"}

func (p *Plan) masterArgs(host int) []string {
	if p.Joined { // the rest is in its environment
		return append(p.logged(p.reads([]string{filepath.Join(p.Bin, "netmaster"), "--external-address", p.mgmt(host) + ":9999"})), p.Master...)
	}
	address := p.mgmt(host) + ":9999"
	args := []string{filepath.Join(p.Bin, "netmaster"), "--mode", "kubernetes", "--netmode", "vlan", "--fwdmode", "bridge",
		"--external-address", address, "--internal-address", address}
	args = append(args, p.trustFlags()...)
	args = append(args, clusterFlags...)
	if p.embeddedOn(host) {
		peer := func(i int) string { return p.scheme() + "://" + p.mgmt(i) + ":2380" }
		args = append(args, "--embedded-store", hostinit.Inside+"/etcd", "--embedded-name", hostName(host),
			"--embedded-client-url", p.storeURL(host), "--embedded-peer-url", peer(host))
		var members []string
		for i := 1; i <= p.Hosts && p.embeddedOn(i); i++ {
			members = append(members, hostName(i)+"="+peer(i))
		}
		if len(members) > 1 {
			args = append(args, "--embedded-cluster", strings.Join(members, ","))
		}
	} else {
		args = append(args, p.storeFlags()...)
	}
	return append(p.logged(p.reads(args)), p.Master...)
}

// reads makes a netmaster read the lab's Kubernetes, if Contiv is its network.
func (p *Plan) reads(args []string) []string {
	if k := p.Kubernetes; k != nil && k.Network == kube.NetworkContiv {
		return append(args, "--kubeconfig", filepath.Join(kube.Dir, kube.NetmasterConf))
	}
	return args
}

func (p *Plan) agentArgs(host int) []string {
	mode := "kubernetes"
	if p.Docker {
		mode = "docker"
	}
	own := []string{"--machine-id", p.Name + "/" + hostName(host), "--datapath", p.datapath()}
	args := append([]string{filepath.Join(p.Bin, "netplugin"), "--mode", mode}, own...)
	if !p.Joined { // otherwise this is in its environment
		args = append(args, "--netmode", "vlan", "--fwdmode", "bridge",
			"--host", hostName(host), "--ctrl-ip", p.mgmt(host), "--vtep-ip", p.vtep(host), "--vlan-uplinks", strings.Join(p.uplinks(), ","))
		args = slices.Concat(args, p.finderFlags(), p.trustFlags(), clusterFlags)
	}
	if p.LACP {
		args = append(args, "--uplink-bond", "lacp")
	}
	if p.Docker {
		args = append(args, "--docker-agent-socket", agentSocket, "--docker-networks-file", hostinit.Inside+"/docker-networks")
	}
	return append(p.logged(args), p.Agent...)
}

func (p *Plan) logged(args []string) []string {
	if p.Debug {
		return append(args, "--log-level", "DEBUG")
	}
	return args
}

// ready is the URL of a part's readiness, "" if it has none.
func (p *Plan) ready(host int, part string) string {
	switch part {
	case PartMaster:
		return p.masterURL(host) + "/readyz"
	case PartAgent:
		return p.scheme() + "://" + p.mgmt(host) + ":9090/readyz"
	case PartDocker:
		return "http://docker/_ping"
	case PartStore:
		if p.Store == StoreConsul {
			return p.storeURL(host) + "/v1/catalog/nodes" // an error without a leader
		}
		return p.storeURL(host) + "/health"
	}
	return kube.Health(part, netip.MustParseAddr(p.mgmt(host)))
}

// PartNames are all parts that a host can have, in the order in which they start.
var PartNames = []string{PartOVSDB, PartOVS, PartStore, PartMaster, PartPluginProxy, PartAgent, PartContainerd, PartDocker,
	kube.Etcd, kube.APIServer, kube.Controllers, kube.Scheduler, kube.Kubelet, kube.Proxy}

// HostInfo is a host and its addresses: on the management network, and of its tunnels.
type HostInfo struct{ Name, IP, VTEP string }

// HostList is all hosts.
func (p *Plan) HostList() []HostInfo {
	var list []HostInfo
	for i := range p.Hosts {
		list = append(list, HostInfo{hostName(i + 1), p.mgmt(i + 1), p.vtep(i + 1)})
	}
	return list
}
