// SPDX-License-Identifier: Apache-2.0

package channel

import (
	"fmt"
	"strconv"

	"github.com/contiv/contiv/daemon/skew"
)

// ProtocolHeader is the header of a netmaster's answer to a Hello: the version of this protocol that it speaks with the agent. Without it,
// that is version 1.
const ProtocolHeader = "X-Contiv-Protocol"

// Agree returns the version that a netmaster speaks with an agent, or an error with the remedy.
func Agree(h *Hello) (version int, err error) {
	if v := skew.Protocol.Common(h.Protocol); v != 0 {
		return v, nil
	}
	remedy := "upgrade this netmaster"
	if h.Protocol.Older(skew.Protocol) {
		remedy = "upgrade netplugin on host " + h.Host
	}
	return 0, fmt.Errorf("protocol of agents: this netmaster speaks version %s, the agent speaks %s: %s", skew.Protocol, h.Protocol, remedy)
}

// agreed returns an error unless the agent speaks the version that a netmaster's answer names.
func agreed(header string) error {
	version := 1
	if header != "" {
		v, err := strconv.Atoi(header)
		if err != nil {
			return fmt.Errorf("header %s: got %.20q, want a version", ProtocolHeader, header)
		}
		version = v
	}
	if skew.Protocol.Includes(version) {
		return nil
	}
	return fmt.Errorf("it speaks version %d of the protocol of agents, this agent speaks %s: upgrade the netmasters first", version, skew.Protocol)
}
