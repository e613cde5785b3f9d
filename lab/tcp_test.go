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
		t.Error("nobody listens: want an error")
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
