// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"encoding/json"
	"fmt"
	"net/netip"
)

// Networks that pods can be on.
const (
	NetworkContiv = "contiv" // the plugin contivk8s
	NetworkBridge = "bridge" // for comparison: the plugins bridge and portmap, and routes from node to node
	NetworkNone   = "none"   // none until something is installed with kubectl
)

// Subnets are those of the pods of a node, counted from 1, when the network is NetworkBridge.
func Subnets(node int) []netip.Prefix {
	return []netip.Prefix{
		netip.MustParsePrefix(fmt.Sprintf("10.88.%d.0/24", node)),
		netip.MustParsePrefix(fmt.Sprintf("fd00:88:0:%x::/64", node)),
	}
}

// NetworkConfig is the list of plugins, of this version of CNI, with which a node's runtime connects pods to a network; nil for
// NetworkNone.
func NetworkConfig(network, version string, node int) ([]byte, error) {
	list := object{"cniVersion": version, "name": network}
	switch network {
	case NetworkContiv:
		list["plugins"] = []object{{"type": "contivk8s", "capabilities": object{"portMappings": true, "bandwidth": true, "ips": true, "mac": true}}}
	case NetworkBridge:
		var ranges [][]object
		for _, s := range Subnets(node) {
			ranges = append(ranges, []object{{"subnet": s}})
		}
		list["plugins"] = []object{
			{"type": "bridge", "bridge": "cni0", "isGateway": true, "hairpinMode": true,
				"ipam": object{"type": "host-local", "ranges": ranges, "routes": []object{{"dst": "0.0.0.0/0"}, {"dst": "::/0"}}}},
			{"type": "portmap", "capabilities": object{"portMappings": true}},
		}
	case NetworkNone:
		return nil, nil
	default:
		return nil, fmt.Errorf("network of pods %q: want %s, %s or %s", network, NetworkContiv, NetworkBridge, NetworkNone)
	}
	return json.MarshalIndent(list, "", "  ")
}
