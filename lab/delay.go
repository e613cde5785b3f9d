// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/contiv/contiv/ofnet/link"
)

const (
	delayDevice = "slow0"
	maxPacket   = 1 << 16
	maxDelayed  = 8192 // packets that wait; more are lost
)

// delayed is a packet that waits.
type delayed struct {
	packet []byte
	until  time.Time
}

// Delay has each packet of a host to another one in the management network wait for a time, until ctx ends. It calls ready once it does. The kernel
// may have no netem: a route leads the packets to a device whose packets this process sends later.
func (l *Lab) Delay(ctx context.Context, from, to string, by time.Duration, ready func()) error {
	pid, err := l.pid(from)
	if err != nil {
		return err
	}
	if _, err := l.pid(to); err != nil {
		return err
	}
	ns, err := link.OpenNamespace(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return err
	}
	defer ns.Close()
	var tun *os.File
	raw := -1
	if err := ns.Do(func() (err error) {
		if tun, err = openTunnel(); err == nil {
			raw, err = openRaw("mgmt0")
		}
		return err
	}); err != nil {
		return fmt.Errorf("delay packets of %s: %w", from, err)
	}
	defer func() { _ = unix.Close(raw) }()
	defer context.AfterFunc(ctx, func() { _ = tun.Close() })() // the route ends with the device
	number, peer := l.hostNumber(from), l.hostNumber(to)
	for _, args := range [][]string{{"sysctl", "-q", "-w", "net.ipv4.conf.all.rp_filter=0", "net.ipv4.conf.mgmt0.rp_filter=0"}, {"ip", "link", "set", delayDevice, "up"},
		{"ip", "route", "add", l.mgmt(peer) + "/32", "dev", delayDevice, "src", l.mgmt(number)}} {
		if err := l.onHost(ctx, number, args...); err != nil {
			return err
		}
	}
	waiting := make(chan delayed, maxDelayed)
	defer close(waiting)
	go send(raw, waiting)
	ready()
	for buffer := make([]byte, maxPacket); ; {
		n, err := tun.Read(buffer)
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, os.ErrClosed) {
				return nil
			}
			return err
		}
		select {
		case waiting <- delayed{append([]byte(nil), buffer[:n]...), time.Now().Add(by)}:
		default:
		}
	}
}

// send sends packets with their headers when their time has come, until the channel is closed.
func send(raw int, waiting <-chan delayed) {
	for d := range waiting {
		if len(d.packet) < 20 || d.packet[0]>>4 != 4 {
			continue
		}
		time.Sleep(time.Until(d.until))
		to := &unix.SockaddrInet4{Addr: [4]byte(d.packet[16:20])}
		_ = unix.Sendto(raw, d.packet, 0, to) // a network loses packets, too
	}
}

// openTunnel creates the device in the namespace of the calling thread.
func openTunnel() (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	request, err := unix.NewIfreq(delayDevice)
	if err == nil {
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		err = unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	}
	if err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("create %s: %w", delayDevice, err)
	}
	return os.NewFile(uintptr(fd), delayDevice), nil
}

// openRaw opens a socket that sends packets with their headers by a device, whatever the routes are.
func openRaw(device string) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.IPPROTO_RAW)
	if err == nil {
		err = unix.SetsockoptString(fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, device)
	}
	return fd, err
}
