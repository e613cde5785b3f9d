// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"time"
)

const (
	ratePayload = 1200
	// rateHeaders is the size of the Ethernet, IPv4 and UDP headers, as a switch counts.
	rateHeaders = 14 + 20 + 8
	// rateWarmUp is not measured: the burst has passed by then.
	rateWarmUp = 500 * time.Millisecond
	// rateTime is the time of the measurement.
	rateTime = 2 * time.Second
	ratePort = 5201
)

// Flood sends UDP packets to an address, at approximately the given rate in Mbit/s on the wire, until ctx ends.
func Flood(ctx context.Context, address string, mbps float64) error {
	conn, err := net.Dial("udp", net.JoinHostPort(address, strconv.Itoa(ratePort)))
	if err != nil {
		return err
	}
	defer conn.Close()
	const tick = 2 * time.Millisecond
	t := time.NewTicker(tick)
	defer t.Stop()
	payload := make([]byte, ratePayload)
	began := time.Now()
	for sent := 0.0; ; {
		due := mbps * 1e6 / 8 * time.Since(began).Seconds()
		for ; sent < due; sent += ratePayload + rateHeaders {
			if _, err := conn.Write(payload); err != nil && ctx.Err() == nil && !errors.Is(err, os.ErrDeadlineExceeded) {
				continue // no listener yet, or the port is full
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-t.C:
		}
	}
}

// Gauge prints "listening" on out, waits for the first packet of a Flood, and measures the rate of arrival, in Mbit/s on the wire. It ends
// with ctx, or when nothing arrives for a while.
func Gauge(ctx context.Context, out io.Writer) (mbps float64, err error) {
	conn, err := net.ListenPacket("udp", ":"+strconv.Itoa(ratePort))
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	fmt.Fprintln(out, "listening")
	buf := make([]byte, 2048)
	if err := conn.SetReadDeadline(time.Now().Add(startTimeout)); err != nil {
		return 0, err
	}
	if _, _, err := conn.ReadFrom(buf); err != nil {
		return 0, fmt.Errorf("wait for the first packet: %w", err)
	}
	from := time.Now().Add(rateWarmUp)
	if err := conn.SetReadDeadline(from.Add(rateTime)); err != nil {
		return 0, err
	}
	for bytes := 0; ; {
		n, _, err := conn.ReadFrom(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return float64(bytes) * 8 / 1e6 / rateTime.Seconds(), nil
		}
		if err != nil {
			return 0, err
		}
		if time.Now().After(from) {
			bytes += n + rateHeaders
		}
	}
}
