// SPDX-License-Identifier: Apache-2.0

package storage

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/store/embedded"
)

// ip runs the command of that name.
func ip(t *testing.T, args ...string) {
	t.Helper()
	if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ip", args...).CombinedOutput(); err != nil {
		t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

// The embedded store waits for each of its addresses, which netmaster reports meanwhile.
func TestAwaitAddresses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const client, peer = "192.0.2.81", "192.0.2.82"
		w := opener(embedded.Config{ClientURL: "https://" + client + ":2379", PeerURL: "https://" + peer + ":2380"}, "")
		done := make(chan error, 1)
		go func() { done <- w.awaitAddresses(t.Context()) }()
		for _, address := range []string{client + ":2379", peer + ":2380"} {
			time.Sleep(time.Second) // two checks for the previous address
			synctest.Wait()
			if got, want := w.what(), "the address "+address+" of the embedded store, which no interface of this machine has"; got != want {
				t.Errorf("want %q, got %q", want, got)
			}
			select {
			case err := <-done:
				t.Fatalf("the wait for %s ends without the address: %v", address, err)
			default:
			}
			host, _, _ := strings.Cut(address, ":")
			ip(t, "address", "add", host+"/32", "dev", "lo")
			t.Cleanup(func() { ip(t, "address", "delete", host+"/32", "dev", "lo") })
		}
		if err := <-done; err != nil || w.what() != "the store" {
			t.Errorf("with both addresses: got %v, and %q", err, w.what())
		}
		w.Embedded.PeerURL = "https://192.0.2.83:2380"
		ctx, end := context.WithTimeout(t.Context(), time.Second)
		defer end()
		if err := w.awaitAddresses(ctx); err == nil || !strings.Contains(err.Error(), "192.0.2.83:2380") {
			t.Errorf("want the end of the context, with the address, got %v", err)
		}
	})
}
