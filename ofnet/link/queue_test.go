// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
)

// A packet socket of the default size has the queue that PacketQueue returns.
func TestPacketQueue(t *testing.T) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = unix.Close(fd) }()
	want, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := link.PacketQueue(); err != nil || got != want {
		t.Errorf("want %d, got %d, %v", want, got, err)
	}
}
