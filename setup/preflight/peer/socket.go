// SPDX-License-Identifier: Apache-2.0

package peer

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// raw is a Socket. A raw socket receives copies of UDP packets after the packet filter has accepted them, even while the kernel's tunnels
// use the port (raw(7)).
type raw struct {
	in   *net.IPConn
	out  *net.UDPConn
	six  bool
	room []byte
}

// Open opens the socket of a tunnel address. It needs root.
func Open(own netip.Addr) (Socket, error) {
	r := &raw{six: own.Is6(), room: make([]byte, 65536)}
	network := "ip4:udp"
	if r.six {
		network = "ip6:udp"
	}
	var err error
	if r.in, err = net.ListenIP(network, &net.IPAddr{IP: own.AsSlice()}); err != nil {
		return nil, fmt.Errorf("receive packets of tunnels at %s: %w", own, err)
	}
	if r.out, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.AddrPortFrom(own, 0))); err != nil {
		return nil, errors.Join(fmt.Errorf("send packets of tunnels from %s: %w", own, err), r.in.Close())
	}
	if err := errors.Join(r.whole(), r.only()); err != nil {
		return nil, errors.Join(err, r.Close())
	}
	return r, nil
}

// whole forbids fragments: a packet that is larger than an MTU on its path is lost.
func (r *raw) whole() error {
	c, err := r.out.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		if r.six {
			failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IPV6_PMTUDISC_PROBE)
			return
		}
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
	})
	return errors.Join(err, failed)
}

// only lets the socket receive only packets of this package: UDP to the tunnels' port whose VXLAN header has no flag. Traffic of tunnels does
// not fill its queue then.
func (r *raw) only() error {
	const udp = 8 // length of its header
	start := unix.SockFilter{Code: unix.BPF_LDX | unix.BPF_B | unix.BPF_MSH}
	if r.six { // the packet begins with the header of UDP
		start = unix.SockFilter{Code: unix.BPF_LDX | unix.BPF_IMM}
	}
	program := []unix.SockFilter{start,
		{Code: unix.BPF_LD | unix.BPF_H | unix.BPF_IND, K: 2},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: Port, Jf: 3},
		{Code: unix.BPF_LD | unix.BPF_B | unix.BPF_IND, K: udp},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 0, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 16},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	c, err := r.in.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = c.Control(func(fd uintptr) {
		failed = unix.SetsockoptSockFprog(int(fd), unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]})
	})
	return errors.Join(err, failed)
}

// Send sends a packet.
func (r *raw) Send(to netip.Addr, payload []byte) error {
	_, err := r.out.WriteToUDPAddrPort(payload, netip.AddrPortFrom(to, Port))
	switch {
	case errors.Is(err, syscall.EPERM):
		return fmt.Errorf("the packet filter of this machine refuses it: %w", err)
	case errors.Is(err, syscall.EMSGSIZE):
		return fmt.Errorf("it is larger than the MTU of the interface: %w", err)
	}
	return err
}

// Receive receives a packet of the tunnels' port.
func (r *raw) Receive() (netip.Addr, []byte, error) {
	for {
		n, from, err := r.in.ReadFromIP(r.room)
		if err != nil {
			return netip.Addr{}, nil, err
		}
		const header = 8 // of UDP
		if n < header || int(r.room[2])<<8|int(r.room[3]) != Port {
			continue
		}
		at, ok := netip.AddrFromSlice(from.IP)
		if !ok {
			continue
		}
		return at.Unmap(), append([]byte(nil), r.room[header:n]...), nil
	}
}

// Close closes both sockets.
func (r *raw) Close() error { return errors.Join(r.in.Close(), r.out.Close()) }

// smallSegments limits the segments of the connection between both ends, so that it works if a network between has a smaller MTU than the
// interfaces: to find that is a purpose of the session.
func smallSegments(_, _ string, c syscall.RawConn) error {
	const segment = 500 // bytes
	var failed error
	err := c.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_MAXSEG, segment) })
	return errors.Join(err, failed)
}
