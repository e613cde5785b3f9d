// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"time"
)

// Serve listens on a port over TCP and UDP, prints "listening" on out, and sends each client its name and the client's address; over TCP it
// then sends back what it receives. It ends with ctx.
func Serve(ctx context.Context, name string, port int, out io.Writer) error {
	at := ":" + strconv.Itoa(port)
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	defer l.Close()
	u, err := net.ListenPacket("udp", at)
	if err != nil {
		return err
	}
	defer u.Close()
	defer context.AfterFunc(ctx, func() { _ = l.Close(); _ = u.Close() })()
	fmt.Fprintln(out, "listening")
	go answerPackets(u, name)
	for {
		conn, err := l.Accept()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		go answerConnection(ctx, conn, name)
	}
}

// greeting is a server's message to a client.
func greeting(name string, client net.Addr) string {
	at, err := netip.ParseAddrPort(client.String())
	if err != nil {
		return name + " " + client.String() + "\n"
	}
	return name + " " + at.Addr().Unmap().String() + "\n"
}

func answerConnection(ctx context.Context, conn net.Conn, name string) {
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err := io.WriteString(conn, greeting(name, conn.RemoteAddr())); err == nil {
		_, _ = io.Copy(conn, conn) // until the client ends it, or ctx
	}
}

func answerPackets(u net.PacketConn, name string) {
	buf := make([]byte, 2048)
	for {
		_, from, err := u.ReadFrom(buf)
		if err != nil {
			return // closed
		}
		_, _ = u.WriteTo([]byte(greeting(name, from)), from) // a missing client is no error of the server
	}
}

// Ask connects to a Serve over "tcp" or "udp" and returns its line: its name and our address.
func Ask(ctx context.Context, network, address string, timeout time.Duration) (string, error) {
	dialer := net.Dialer{Timeout: timeout}
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return "", err
	}
	if network == "udp" {
		if _, err := io.WriteString(conn, "who"); err != nil {
			return "", err
		}
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	return strings.TrimSuffix(line, "\n"), err
}
