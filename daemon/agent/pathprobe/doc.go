// SPDX-License-Identifier: Apache-2.0

// Package pathprobe measures the paths between hosts: the tunnels, and the tags of networks on the trunk. It sends probes that the switch
// of the other host returns, a few per second whatever the number of hosts, and more where packets are lost; and reports findings.
package pathprobe
