// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"
)

// tcpBytes is the number of bytes that a TCP check sends each way: more than any buffer on the path.
const tcpBytes = 1 << 20

// EchoOnce listens on a port, prints "listening" on out, and sends one connection's bytes back. It ends with ctx.
func EchoOnce(ctx context.Context, port int, out io.Writer) error {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = l.Close() })()
	defer l.Close()
	fmt.Fprintln(out, "listening")
	conn, err := l.Accept()
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if _, err = io.Copy(conn, conn); ctx.Err() != nil {
		return nil
	}
	return err
}

// EchoDial connects to an EchoOnce, sends tcpBytes, and checks that as many come back before timeout.
func EchoDial(ctx context.Context, address string, timeout time.Duration) error {
	dialer := net.Dialer{Timeout: timeout}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := conn.Write(make([]byte, tcpBytes))
		if err == nil {
			err = conn.(*net.TCPConn).CloseWrite()
		}
		sent <- err
	}()
	n, err := io.Copy(io.Discard, conn)
	if err != nil {
		return fmt.Errorf("%s: %d of %d bytes came back: %w", address, n, tcpBytes, err)
	}
	if err := <-sent; err != nil {
		return err
	}
	if n != tcpBytes {
		return fmt.Errorf("%s: %d of %d bytes came back", address, n, tcpBytes)
	}
	return nil
}

// talkInterval is the pause between two bytes of EchoTalk.
const talkInterval = 10 * time.Millisecond

// EchoTalk connects to an EchoOnce before timeout, then sends a byte, waits until it comes back, prints a line, and repeats this until ctx
// ends or the connection does.
func EchoTalk(ctx context.Context, address string, timeout time.Duration, out io.Writer) error {
	dialer := net.Dialer{Timeout: timeout}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	tick := time.NewTicker(talkInterval)
	defer tick.Stop()
	for n := 1; ctx.Err() == nil; n++ {
		b := []byte{byte(n)}
		if _, err := conn.Write(b); err != nil {
			return err
		}
		if _, err := io.ReadFull(conn, b); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(out, n); err != nil {
			return err
		}
		<-tick.C
	}
	return nil
}
