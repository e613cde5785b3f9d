// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"net"
	"net/http"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// Connections to other daemons end when what is sent on them is not acknowledged, so that packets that are lost one way hold up no request.
func TestUnacknowledged(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	w := NewTransport(nil, nil)
	for name, client := range map[string]*http.Client{"netmasters": w.HTTP, "agents": w.Agents} {
		nc, err := client.Transport.(*http.Transport).DialContext(t.Context(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		raw, err := nc.(syscall.Conn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		if err := raw.Control(func(fd uintptr) { got, err = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT) }); err != nil {
			t.Fatal(err)
		}
		if got != int(silenceTimeout.Milliseconds()) {
			t.Errorf("connections to %s: want %v, got %d ms", name, silenceTimeout, got)
		}
		_ = nc.Close()
	}
}
