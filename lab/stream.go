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

// StreamOnce listens on a port over UDP, prints "listening" on out, waits for one packet, and sends its sender a packet every talkInterval,
// until ctx ends.
func StreamOnce(ctx context.Context, port int, out io.Writer) error {
	conn, err := net.ListenPacket("udp", ":"+strconv.Itoa(port))
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	fmt.Fprintln(out, "listening")
	_, to, err := conn.ReadFrom(make([]byte, 16))
	tick := time.NewTicker(talkInterval)
	defer tick.Stop()
	for err == nil {
		_, err = conn.WriteTo([]byte{1}, to)
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// Listen requests the packets of a StreamOnce, once, and prints a line for each until ctx ends. It fails if the first does not come before
// timeout.
func Listen(ctx context.Context, address string, timeout time.Duration, out io.Writer) error {
	conn, err := net.Dial("udp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := conn.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	_, err = conn.Write([]byte{1})
	for n, b := 1, make([]byte, 16); err == nil; n++ {
		if _, err = conn.Read(b); err != nil {
			break
		}
		if n == 1 {
			err = conn.SetReadDeadline(time.Time{})
		}
		if err == nil {
			_, err = fmt.Fprintln(out, n)
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return err
}
