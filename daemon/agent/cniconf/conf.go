// SPDX-License-Identifier: Apache-2.0

package cniconf

import "encoding/json"

// Name is the network's name in the configuration, and File the name of the configuration file: the runtime uses the first by name.
const (
	Name = "contiv"
	File = "10-contiv.conflist"
)

// list is a network configuration list (CNI specification 1.1.0, section 1).
type list struct {
	CNIVersion  string   `json:"cniVersion"`  // for runtimes that support only this field
	CNIVersions []string `json:"cniVersions"` // others use the newest that they support
	Name        string   `json:"name"`
	Plugins     []plugin `json:"plugins"`
}

type plugin struct {
	Type         string          `json:"type"`
	Capabilities map[string]bool `json:"capabilities"`
}

// Conf is the configuration: only this plugin, which needs no other for ports of hosts.
func Conf(program string) ([]byte, error) {
	text, err := json.MarshalIndent(&list{CNIVersion: "1.0.0", CNIVersions: []string{"1.0.0", "1.1.0"}, Name: Name, Plugins: []plugin{{Type: program,
		Capabilities: map[string]bool{"portMappings": true, "bandwidth": true, "ips": true, "mac": true}}}}, "", "  ")
	return append(text, '\n'), err
}
