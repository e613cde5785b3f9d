// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bufio"
	"context"
	"io"
	"net"
	"strconv"
	"testing"
	"time"
)

// One question over UDP, and answers until someone ends it.
func TestStream(t *testing.T) {
	p, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := p.LocalAddr().(*net.UDPAddr).Port
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said, says := io.Pipe()
	ended := make(chan error, 2)
	go func() { ended <- StreamOnce(ctx, port, says) }()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "listening\n" {
		t.Fatalf("want listening, got %q (%v)", line, err)
	}
	heard, hears := io.Pipe()
	go func() { ended <- Listen(ctx, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 30*time.Second, hears) }()
	lines := bufio.NewReader(heard)
	for _, want := range []string{"1\n", "2\n", "3\n"} {
		if line, err := lines.ReadString('\n'); err != nil || line != want {
			t.Fatalf("want a line for each packet, %q, got %q (%v)", want, line, err)
		}
	}
	cancel()
	go func() { _, _ = io.Copy(io.Discard, heard) }()
	for range 2 {
		if err := <-ended; err != nil {
			t.Errorf("ended: want no error, got %v", err)
		}
	}
	if err := Listen(t.Context(), net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 10*time.Millisecond, io.Discard); err == nil {
		t.Error("no answer: want an error, got none")
	}
}
