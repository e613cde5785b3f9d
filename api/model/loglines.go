// SPDX-License-Identifier: Apache-2.0

package model

// The parts of a host that have a log.
const (
	LogNetplugin = "netplugin"
	LogNetmaster = "netmaster"
	LogVSwitchd  = "ovs-vswitchd"
	LogOVSDB     = "ovsdb-server"
)

// LogParts returns the parts of a host that have a log.
func LogParts() []string { return []string{LogNetplugin, LogNetmaster, LogVSwitchd, LogOVSDB} }

// LogLines are the last lines of the log of a part of a host: GET /api/v1/logs/{host}.
type LogLines struct {
	Part  string   `json:"part"`
	From  string   `json:"from"`            // where the lines are from: the daemon itself, or a file
	Ended bool     `json:"ended,omitempty"` // the daemon did not answer: they are what it has left
	Lines []string `json:"lines"`           // the oldest first, without secrets
	Next  string   `json:"next"`            // the request with after=Next continues after these
}
