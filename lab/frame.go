// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

// SendFrame sends an Ethernet frame unchanged by an interface. It needs CAP_NET_RAW.
func SendFrame(ifname string, frame []byte) error {
	at, err := net.InterfaceByName(ifname)
	if err != nil {
		return fmt.Errorf("look up interface %s: %w", ifname, err)
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("open a packet socket: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	if err := unix.Sendto(fd, frame, 0, &unix.SockaddrLinklayer{Ifindex: at.Index}); err != nil {
		return fmt.Errorf("send %d bytes by %s: %w", len(frame), ifname, err)
	}
	return nil
}
