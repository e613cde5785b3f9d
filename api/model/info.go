// SPDX-License-Identifier: Apache-2.0

package model

// Version is the build of a program: GET /version.
type Version struct {
	GitCommit string
	Version   string
	BuildTime string
	// Incarnation is the id of the history of a netmaster's store; absent of other programs.
	Incarnation string `json:",omitempty"`
}

// Info describes a netmaster: GET /info.
type Info struct {
	LocalIP        string   `json:"local-ip"`
	LeaderIP       string   `json:"leader-ip"` // "ip:port" from the lock
	CurrentState   string   `json:"current-state"`
	NetpluginNodes []string `json:"netplugin-nodes"`
	NetmasterNodes []string `json:"netmaster-nodes"`
}
