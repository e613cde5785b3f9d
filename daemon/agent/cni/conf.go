// SPDX-License-Identifier: Apache-2.0

package cni

import (
	"encoding/json"
	"fmt"

	"github.com/containernetworking/cni/pkg/types"
)

// Conf is the part of a network configuration that concerns contiv, in addition to the fields of every CNI configuration.
//
// Master is the URL of the netmaster that the agent calls first; if it does not answer, the agent calls the registered ones. It must belong
// to the agent's own cluster: the flows come from that cluster's store.
type Conf struct {
	types.PluginConf
	Tenant  string            `json:"tenant,omitempty"`
	Network string            `json:"network,omitempty"`
	Group   string            `json:"group,omitempty"`
	Master  string            `json:"master,omitempty"` // "http://host:port", or ""
	Socket  string            `json:"socket,omitempty"` // of the agent, which the plugin reads
	Labels  map[string]string `json:"labels,omitempty"` // as on a pod: io.contiv.tenant, ..., and those by which services select
	Args    confArgs          `json:"args,omitempty"`
	Runtime runtimeConfig     `json:"runtimeConfig,omitzero"`
}

// confArgs are the arguments that runtimes add to a network configuration.
type confArgs struct {
	Mesos *mesosArgs `json:"org.apache.mesos,omitempty"`
}

// parseConf parses a network configuration.
func parseConf(data []byte) (*Conf, error) {
	c := new(Conf)
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("read network configuration: %w", err)
	}
	return c, nil
}
