// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// timeout bounds everything that waits for the other side.
const timeout = 10 * time.Second

// ask carries out the lines that come in, each a measurement of the server at address, and answers each with a line: a
// number, or "error" and why. It is what runs in the client's container.
//
//	bulk DURATION     bytes a second of one TCP connection
//	brief DURATION    TCP connections a second, opened, used and closed, four at once
//	small DURATION    UDP datagrams of 64 bytes a second that arrived
//	first             nanoseconds until a UDP datagram is back, by a socket of its own
func ask(in io.Reader, out io.Writer, address string) error {
	fmt.Fprintln(out, "ready")
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var what, length string
		_, _ = fmt.Sscan(lines.Text(), &what, &length) // "first" has no length
		var n float64
		var err error
		switch what {
		case "bulk":
			n, err = timed(length, func(d time.Duration) (float64, error) { return bulk(address, d) })
		case "brief":
			n, err = timed(length, func(d time.Duration) (float64, error) { return briefs(address, d) })
		case "small":
			n, err = timed(length, func(d time.Duration) (float64, error) { return small(address, d) })
		case "first":
			n, err = first(address)
		default:
			err = errors.New("unknown measurement")
		}
		if err != nil {
			fmt.Fprintf(out, "error %s: %v\n", lines.Text(), err)
			continue
		}
		fmt.Fprintln(out, n)
	}
	return nil
}

func timed(length string, do func(time.Duration) (float64, error)) (float64, error) {
	d, err := time.ParseDuration(length)
	if err != nil {
		return 0, err
	}
	return do(d)
}

func at(address string, port int) string { return net.JoinHostPort(address, strconv.Itoa(port)) }

// bulk sends for d and returns how many bytes a second arrived.
func bulk(address string, d time.Duration) (float64, error) {
	c, err := net.DialTimeout("tcp4", at(address, portSink), timeout)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	began := time.Now()
	if err := c.SetWriteDeadline(began.Add(d)); err != nil {
		return 0, err
	}
	buf := make([]byte, 1<<18)
	for {
		if _, err = c.Write(buf); err != nil {
			break
		}
	}
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		return 0, err
	}
	if err := c.(*net.TCPConn).CloseWrite(); err != nil {
		return 0, err
	}
	var total [8]byte
	if err := c.SetReadDeadline(time.Now().Add(timeout)); err != nil {
		return 0, err
	}
	if _, err := io.ReadFull(c, total[:]); err != nil {
		return 0, err
	}
	return float64(binary.BigEndian.Uint64(total[:])) / time.Since(began).Seconds(), nil
}

// briefs opens connections for d and returns how many a second were served.
func briefs(address string, d time.Duration) (float64, error) {
	const atOnce = 4
	var served atomic.Int64
	began := time.Now()
	err := pool(atOnce, func() error {
		for time.Since(began) < d {
			if err := once(address); err != nil {
				return err
			}
			served.Add(1)
		}
		return nil
	})
	return float64(served.Load()) / time.Since(began).Seconds(), err
}

// once is one connection; the server closes first, so that its side keeps the memory of it (RFC 9293 section 3.6.1) and
// ports here are free for the next.
func once(address string) error {
	c, err := net.DialTimeout("tcp4", at(address, portBrief), timeout)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return err
	}
	if _, err := c.Write([]byte{1}); err != nil {
		return err
	}
	got, err := io.ReadAll(c)
	if err == nil && len(got) != 1 {
		err = errors.New("closed without an answer")
	}
	return err
}

// first returns how long one datagram took there and back.
func first(address string) (float64, error) {
	c, err := net.DialTimeout("udp4", at(address, portEcho), timeout)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return 0, err
	}
	b := make([]byte, 64)
	began := time.Now()
	if _, err := c.Write(b); err != nil {
		return 0, err
	}
	if _, err := c.Read(b); err != nil {
		return 0, err
	}
	return float64(time.Since(began)), nil
}

// small sends datagrams for d and returns how many a second arrived.
func small(address string, d time.Duration) (float64, error) {
	if _, err := tally(address); err != nil { // what arrived before does not count
		return 0, err
	}
	c, err := net.DialTimeout("udp4", at(address, portCount), timeout)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	b := make([]byte, 64)
	began := time.Now()
	for time.Since(began) < d {
		for range 64 {
			if _, err := c.Write(b); err != nil {
				return 0, err
			}
		}
	}
	n, err := tally(address)
	return n / time.Since(began).Seconds(), err
}

// tally asks how many datagrams arrived since the last question.
func tally(address string) (float64, error) {
	c, err := net.DialTimeout("tcp4", at(address, portCount), timeout)
	if err != nil {
		return 0, err
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(timeout)); err != nil {
		return 0, err
	}
	var n uint64
	err = binary.Read(c, binary.BigEndian, &n)
	return float64(n), err
}
