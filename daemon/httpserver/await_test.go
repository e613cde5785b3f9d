// SPDX-License-Identifier: Apache-2.0

package httpserver_test

import (
	"bytes"
	"context"
	"log/slog"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/httpserver"
)

// ip runs a command of iproute2.
func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// written closes first when something is logged.
type written struct {
	bytes.Buffer
	first chan struct{}
}

func (w *written) Write(p []byte) (int, error) {
	if w.Len() == 0 {
		defer close(w.first)
	}
	return w.Buffer.Write(p)
}

// Await waits for an address that appears later, and logs that once; it refuses a port in use at once.
func TestAwait(t *testing.T) {
	const address = "192.0.2.77"
	out := &written{first: make(chan struct{})}
	log := slog.New(slog.NewTextHandler(out, nil))
	got := make(chan error, 1)
	go func() {
		l, err := httpserver.Await(t.Context(), address+":0", log)
		if err == nil {
			err = l.Close()
		}
		got <- err
	}()
	<-out.first
	ip(t, "address", "add", address+"/32", "dev", "lo")
	t.Cleanup(func() { ip(t, "address", "delete", address+"/32", "dev", "lo") })
	if err := <-got; err != nil {
		t.Error(err)
	}
	if n := strings.Count(out.String(), "address="+address); n != 1 {
		t.Errorf("want one report, got %q", out.String())
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	if _, err := httpserver.Await(t.Context(), taken.Addr().String(), log); err == nil {
		t.Error("want a port in use refused")
	}
	ctx, end := context.WithTimeout(t.Context(), time.Millisecond)
	defer end()
	if _, err := httpserver.Await(ctx, "192.0.2.78:0", slog.New(slog.DiscardHandler)); err == nil {
		t.Error("want an error when the context ends")
	}
}
