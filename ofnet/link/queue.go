package link

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// receiveDefault is the size of a new socket's receive queue, in bytes (socket(7)); one for the whole machine.
const receiveDefault = "/proc/sys/net/core/rmem_default"

// PacketQueue is how many bytes of packets wait at most at a port of the userspace datapath, as the machine is set: Open vSwitch
// reads its devices by packet sockets and leaves their size alone (lib/netdev-linux.c, netdev_linux_rxq_construct). What
// comes when a queue is full is dropped, whoever has filled it. Ports made before a change of the setting keep theirs.
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
