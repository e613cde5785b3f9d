// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
)

// Ports of the server.
const (
	portSink  = 7001 // TCP: takes all and answers with how many bytes came
	portBrief = 7002 // TCP: a byte there, a byte back, closed
	portEcho  = 7003 // UDP: sends back
	portCount = 7004 // UDP: counts; TCP: answers with the number of datagrams since the last answer
)

// serve answers until standard input ends, and says "ready" on out first. It is what runs in the server's container.
func serve(in io.Reader, out io.Writer) error {
	var listeners []io.Closer
	var arrived atomic.Uint64
	answer := func(c net.Conn) {
		defer c.Close()
		_ = binary.Write(c, binary.BigEndian, arrived.Swap(0)) // who does not get it measures nothing
	}
	for _, l := range []struct {
		port int
		each func(net.Conn)
	}{{portSink, sink}, {portBrief, brief}, {portCount, answer}} {
		tcp, err := net.Listen("tcp4", fmt.Sprintf(":%d", l.port))
		if err != nil {
			return err
		}
		listeners = append(listeners, tcp)
		go func() {
			for {
				c, err := tcp.Accept()
				if err != nil {
					return // closed
				}
				go l.each(c)
			}
		}()
	}
	udp, err := net.ListenPacket("udp4", fmt.Sprintf(":%d", portEcho))
	if err != nil {
		return err
	}
	go echo(udp)
	counted, err := net.ListenPacket("udp4", fmt.Sprintf(":%d", portCount))
	if err != nil {
		return err
	}
	go count(counted, &arrived)
	fmt.Fprintln(out, "ready")
	_, err = io.Copy(io.Discard, in)
	for _, l := range append(listeners, udp, counted) {
		_ = l.Close() // the process ends
	}
	return err
}

func sink(c net.Conn) {
	defer c.Close()
	buf := make([]byte, 1<<18)
	var total uint64
	for {
		n, err := c.Read(buf)
		total += uint64(n)
		if err != nil {
			break
		}
	}
	_, _ = c.Write(binary.BigEndian.AppendUint64(nil, total)) // who does not get it measures nothing
}

func brief(c net.Conn) {
	defer c.Close()
	b := make([]byte, 1)
	if _, err := io.ReadFull(c, b); err == nil {
		_, _ = c.Write(b)
	}
}

func count(udp net.PacketConn, arrived *atomic.Uint64) {
	buf := make([]byte, 2048)
	for {
		if _, _, err := udp.ReadFrom(buf); err != nil {
			return
		}
		arrived.Add(1)
	}
}

func echo(udp net.PacketConn) {
	buf := make([]byte, 2048)
	for {
		n, from, err := udp.ReadFrom(buf)
		if err != nil {
			return
		}
		_, _ = udp.WriteTo(buf[:n], from)
	}
}

// pool runs do n times at once until each returns.
func pool(n int, do func() error) error {
	var group sync.WaitGroup
	errs := make(chan error, n)
	for range n {
		group.Go(func() { errs <- do() })
	}
	group.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
