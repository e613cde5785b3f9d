// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// receiveDefault is the size of a new socket's receive queue, in bytes (socket(7)); one for the whole machine.
const receiveDefault = "/proc/sys/net/core/rmem_default"

// PacketQueue returns the maximum number of bytes of packets that wait at a port of the userspace datapath, as the machine is configured:
// Open vSwitch reads its devices by packet sockets and does not change their size (lib/netdev-linux.c, netdev_linux_rxq_construct). The
// kernel drops packets of all senders that arrive at a full queue. Ports created before a change of the setting keep their size.
func PacketQueue() (bytes int, err error) {
	text, err := os.ReadFile(receiveDefault)
	if err == nil {
		bytes, err = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	if err != nil {
		return 0, fmt.Errorf("receive queues of packet sockets: %w", err)
	}
	return bytes, nil
}
