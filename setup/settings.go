// SPDX-License-Identifier: Apache-2.0

package setup

import (
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
)

// Ports of a host.
const (
	MasterPort  = "9999"
	ProxyPort   = "10000"
	InspectPort = "9090"
	clientPort  = "2379" // of the embedded store
	peerPort    = "2380"
)

// Wish is the operator's description of a host.
type Wish struct {
	Label    string   // of the host in the cluster
	Address  string   // at which netmasters and agents reach it
	VTEP     string   // end of its tunnels; "": Address
	Uplinks  []string // NICs that carry VLANs
	Settings model.ClusterSettings
	Access   StoreAccess // to a store beside the netmasters
}

// peerURL returns the URL at which the other members reach the host's member of the embedded store.
func (w *Wish) peerURL() string { return "https://" + net.JoinHostPort(w.Address, peerPort) }

// master returns the address of the host's netmaster.
func (w *Wish) master() string { return net.JoinHostPort(w.Address, MasterPort) }

// masterEnv returns the settings of the host's netmaster.
func (h *Host) masterEnv(w *Wish, store model.StoreSettings) Env {
	out := Env{
		"CONTIV_NETMASTER_MODE": w.Settings.Mode, "CONTIV_NETMASTER_NET_MODE": w.Settings.NetMode, "CONTIV_NETMASTER_FORWARD_MODE": w.Settings.FwdMode,
		"CONTIV_NETMASTER_TRUST": string(h.Trust()), "CONTIV_NETMASTER_INTERNAL_ADDRESS": w.master(),
		"CONTIV_NETMASTER_CLUSTER_FILE": string(h.ClusterFile()), "CONTIV_NETMASTER_CONFIG_DIR": h.otherDir(),
	}
	if store.Kind == "etcd" || store.Kind == "consul" { // an embedded store has them in its own directory
		out["CONTIV_NETMASTER_SNAPSHOT_DIR"] = h.SnapshotDir()
	}
	switch store.Kind {
	case "etcd":
		out["CONTIV_NETMASTER_ETCD_ENDPOINTS"] = strings.Join(store.URLs, ",")
		w.Access.env(out)
	case "consul":
		out["CONTIV_NETMASTER_CONSUL_ENDPOINTS"] = strings.Join(store.URLs, ",")
		w.Access.env(out)
	default:
		out["CONTIV_NETMASTER_EMBEDDED_STORE"], out["CONTIV_NETMASTER_EMBEDDED_NAME"] = h.StoreDir(), w.Label
		out["CONTIV_NETMASTER_EMBEDDED_CLIENT_URL"] = "https://" + net.JoinHostPort(w.Address, clientPort)
		out["CONTIV_NETMASTER_EMBEDDED_PEER_URL"] = w.peerURL()
		if len(store.Members) > 1 {
			var members []string
			for _, name := range slices.Sorted(maps.Keys(store.Members)) {
				members = append(members, name+"="+store.Members[name])
			}
			out["CONTIV_NETMASTER_EMBEDDED_CLUSTER"], out["CONTIV_NETMASTER_EMBEDDED_JOIN"] = strings.Join(members, ","), "true"
		}
	}
	return out
}

// agentEnv returns the settings of the host's agent.
func (h *Host) agentEnv(w *Wish, netmasters []string) Env {
	return Env{
		"CONTIV_NETPLUGIN_MODE": w.Settings.Mode, "CONTIV_NETPLUGIN_NET_MODE": w.Settings.NetMode, "CONTIV_NETPLUGIN_FORWARD_MODE": w.Settings.FwdMode,
		"CONTIV_NETPLUGIN_TRUST": string(h.Trust()), "CONTIV_NETPLUGIN_HOST": w.Label, "CONTIV_NETPLUGIN_CONTROL_IP": w.Address, "CONTIV_NETPLUGIN_VTEP_IP": w.vtep(),
		"CONTIV_NETPLUGIN_CLUSTER_FILE": string(h.ClusterFile()), "CONTIV_NETPLUGIN_CONFIG_DIR": h.otherDir(), "CONTIV_NETPLUGIN_DOCKER_NETWORKS_FILE": h.at("/var/lib/contiv/docker-networks"),
		"CONTIV_NETPLUGIN_VLAN_UPLINKS": strings.Join(w.Uplinks, ","), "CONTIV_NETPLUGIN_NETMASTERS": strings.Join(netmasters, ","),
	}
}

// Addresses returns the address and the tunnel endpoint address with which the host joined a cluster before; "" for those that no file has.
func (h *Host) Addresses() (address, vtep string) {
	agent, master := h.Settings(Netplugin), h.Settings(Netmaster)
	address, vtep = agent["CONTIV_NETPLUGIN_CONTROL_IP"], agent["CONTIV_NETPLUGIN_VTEP_IP"]
	if address == "" {
		address, _, _ = net.SplitHostPort(master["CONTIV_NETMASTER_INTERNAL_ADDRESS"])
	}
	return address, vtep
}

func (w *Wish) vtep() string {
	if w.VTEP == "" {
		return w.Address
	}
	return w.VTEP
}

// hosts returns the names and addresses at which the host's daemons are reached.
func (w *Wish) hosts(hostname string) []string {
	out := []string{w.Label, hostname, w.Address, "localhost", "127.0.0.1"}
	slices.Sort(out)
	return slices.Compact(out)
}
