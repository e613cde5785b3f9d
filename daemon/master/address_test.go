package main

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store/embedded"
)

// said is what a netmaster that has no server yet answers.
func said(f *front) string {
	w := httptest.NewRecorder()
	f.api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/readyz", nil))
	return strings.TrimSpace(w.Body.String())
}

// The embedded store waits for each of its addresses, which netmaster names meanwhile.
func TestAwaitStore(t *testing.T) {
	ip := func(args ...string) {
		t.Helper()
		if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	const client, peer = "192.0.2.81", "192.0.2.82"
	c := config{Embedded: embedded.Config{ClientURL: "https://" + client + ":2379", PeerURL: "https://" + peer + ":2380"}}
	c.Store.Embedded = true
	f, log := newFront(), slog.New(slog.DiscardHandler)
	f.waits("nothing")
	got := make(chan error, 1)
	go func() { got <- c.awaitStore(t.Context(), f, log) }()
	for _, address := range []string{client + ":2379", peer + ":2380"} {
		want := "netmaster waits for the address " + address + " of the embedded store, which no interface of this machine has"
		until(t, want, func() bool { return said(f) == want })
		select {
		case err := <-got:
			t.Fatalf("the wait for %s ends without the address: %v", address, err)
		default:
		}
		host, _, _ := strings.Cut(address, ":")
		ip("address", "add", host+"/32", "dev", "lo")
		t.Cleanup(func() { ip("address", "delete", host+"/32", "dev", "lo") })
	}
	if err := <-got; err != nil || said(f) != "netmaster waits for the store" {
		t.Errorf("with both addresses: got %v, and %q", err, said(f))
	}
	c.Embedded.PeerURL = "https://192.0.2.83:2380"
	ctx, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if err := c.awaitStore(ctx, f, log); err == nil || !strings.Contains(err.Error(), "192.0.2.83:2380") {
		t.Errorf("want the end of the context, with the address, got %v", err)
	}
	c.Store.Embedded = false
	if err := c.awaitStore(t.Context(), f, log); err != nil {
		t.Errorf("a store elsewhere has addresses of its own: %v", err)
	}
}
