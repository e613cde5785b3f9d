// SPDX-License-Identifier: Apache-2.0

package lab

import (
	"bufio"
	"context"
	"io"
	"net"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestEcho(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
	if err := EchoDial(t.Context(), address, 10*time.Second); err == nil {
		t.Error("no listener: want an error")
	}
	r, w := io.Pipe()
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { served <- EchoOnce(ctx, port, w) }()
	if line, err := bufio.NewReader(r).ReadString('\n'); err != nil || line != "listening\n" {
		t.Fatalf("want listening, got %q (%v)", line, err)
	}
	if err := EchoDial(t.Context(), address, 30*time.Second); err != nil {
		t.Error(err)
	}
	if err := <-served; err != nil {
		t.Error(err)
	}
}

func TestEchoTalk(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := make(chan error, 1)
	go func() {
		conn, err := l.Accept()
		if err == nil {
			_, err = io.CopyN(conn, conn, 3)
			_ = conn.Close()
		}
		served <- err
	}()
	var out strings.Builder
	if err := EchoTalk(t.Context(), l.Addr().String(), 10*time.Second, &out); err == nil {
		t.Error("the other end hangs up: want an error, got none")
	}
	if err := <-served; err != nil || out.String() != "1\n2\n3\n" {
		t.Errorf("three bytes: want a line each, got %q, %v", out.String(), err)
	}
}

func TestServeAndAsk(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(ctx, "web", port, w) }()
	if line, err := bufio.NewReader(r).ReadString('\n'); err != nil || line != "listening\n" {
		t.Fatalf("want listening, got %q (%v)", line, err)
	}
	for _, network := range []string{"tcp", "udp", "tcp"} {
		said, err := Ask(t.Context(), network, net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), 30*time.Second)
		if err != nil || said != "web 127.0.0.1" {
			t.Errorf("%s: want the server's name and our address, got %q, %v", network, said, err)
		}
	}
	cancel()
	if err := <-served; err != nil {
		t.Errorf("ended: want no error, got %v", err)
	}
}
