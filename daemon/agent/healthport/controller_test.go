// SPDX-License-Identifier: Apache-2.0

package healthport

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/agent/kubeservice"
	"github.com/contiv/contiv/identity"
)

// world is what a Keeper hears of.
type world struct {
	mu      sync.Mutex
	list    []kubeservice.Health
	broken  bool
	changed chan struct{}
}

func (w *world) say(list ...kubeservice.Health) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = list
	close(w.changed)
	w.changed = make(chan struct{})
}

func (w *world) healths() []kubeservice.Health {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.list
}

func (w *world) next() <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.changed
}

func (w *world) healthy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.broken
}

// answers waits until a port says something; "" is for a closed one.
func answers(t *testing.T, port uint16, want string) {
	t.Helper()
	got := ""
	for late := time.Now().Add(10 * time.Second); time.Now().Before(late); time.Sleep(5 * time.Millisecond) {
		got = ""
		if r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/healthz", port)); err == nil {
			text, _ := io.ReadAll(r.Body)
			_ = r.Body.Close()
			got = fmt.Sprintf("%d %s %s", r.StatusCode, r.Header.Get("X-Load-Balancing-Endpoint-Weight"), strings.TrimSpace(string(text)))
		}
		if got == want {
			return
		}
	}
	t.Fatalf("port %d: want %q, got %q", port, want, got)
}

// free is a port that is not in use, and its listener, which has it until it is closed.
func free(t *testing.T) (uint16, net.Listener) {
	l, err := net.Listen("tcp", ":0")
	if err != nil {
		t.Fatal(err)
	}
	return uint16(l.Addr().(*net.TCPAddr).Port), l
}

func TestKeeper(t *testing.T) {
	w := &world{changed: make(chan struct{})}
	k := &Controller{Healths: w.healths, Changed: w.next, Healthy: w.healthy, Log: slog.New(slog.DiscardHandler)}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- k.Run(ctx) }()
	first, l := free(t)
	second, taken := free(t)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	shop := kubeservice.Health{Service: identity.KubernetesService{Namespace: "ns", Name: "shop"}, Port: first, Local: 2}
	says := func(code, local int, healthy bool) string {
		return fmt.Sprintf(`%d %d {"service":{"namespace":"ns","name":"shop"},"localEndpoints":%d,"serviceProxyHealthy":%v}`, code, local, local, healthy)
	}
	w.say(shop)
	answers(t, first, says(200, 2, true))
	shop.Local = 0
	w.say(shop)
	answers(t, first, says(503, 0, true))
	shop.Local, w.broken = 1, true
	w.say(shop)
	answers(t, first, says(503, 1, false))
	other := kubeservice.Health{Service: identity.KubernetesService{Namespace: "ns", Name: "shop"}, Port: second, Local: 1}
	w.mu.Lock()
	w.broken = false
	w.mu.Unlock()
	w.say(other) // somebody has its port
	answers(t, first, "")
	if err := taken.Close(); err != nil {
		t.Fatal(err)
	}
	answers(t, second, says(200, 1, true))
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
	answers(t, second, "")
}
