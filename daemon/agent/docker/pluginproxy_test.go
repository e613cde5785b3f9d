// SPDX-License-Identifier: Apache-2.0

package docker

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/task"
)

// hall is a PluginProxy with its two sockets.
type hall struct {
	*PluginProxy
	t    *testing.T
	came chan struct{} // gets something for each request that the door is to pass on
}

// noted reports requests before it sends them.
type noted struct {
	http.RoundTripper
	came chan<- struct{}
}

func (n noted) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case n.came <- struct{}{}:
	default:
	}
	return n.RoundTripper.RoundTrip(r)
}

// newHall serves a proxy that waits for an agent for a limited time.
func newHall(t *testing.T, restart time.Duration) *hall {
	t.Helper()
	dir, err := os.MkdirTemp("", "door") // its name is short enough for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	h := &hall{NewPluginProxy(filepath.Join(dir, "plugins", "netplugin.sock"), filepath.Join(dir, "agent.sock"), false, slog.New(slog.DiscardHandler)), t, make(chan struct{}, 1)}
	h.missed.RoundTripper = noted{h.missed.RoundTripper, h.came}
	h.restart, h.presence.pause = restart, time.Millisecond
	h.begin(h.PluginProxy)
	return h
}

// begin runs a task until the test ends or end is called.
func (h *hall) begin(one task.Task) (end func()) {
	h.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- one.Run(ctx) }()
	end = func() {
		cancel()
		if err := <-done; err != nil {
			h.t.Errorf("%s: %v", one, err)
		}
		done <- nil
	}
	h.t.Cleanup(end)
	select {
	case <-one.Ready():
	case err := <-done:
		h.t.Fatalf("%s: %v", one, err)
	}
	return end
}

// agent returns a driver behind the proxy.
func (h *hall) agent(w *world) *Driver {
	d := w.driver("h1")
	d.Socket = h.PluginProxy.agent
	return d
}

// ask sends a request as an engine does.
func (h *hall) ask(method, body string) (status int, answer string, took time.Duration) {
	h.t.Helper()
	c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", h.socket)
	}}}
	began := time.Now()
	r, err := c.Post("http://plugin.moby.localhost/"+method, contentType, strings.NewReader(body))
	if err != nil {
		h.t.Fatalf("%s: %v", method, err)
	}
	defer func() { _ = r.Body.Close() }()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	return r.StatusCode, strings.TrimSpace(string(text)), time.Since(began)
}

// kept returns the number of deletions that the agent has missed.
func (h *hall) kept() int {
	h.missed.mu.Lock()
	defer h.missed.mu.Unlock()
	return len(h.missed.deletions)
}

// refusal returns the error text of an answer, "" if it is not a refusal.
func refusal(t *testing.T, status int, answer string) string {
	t.Helper()
	if status == http.StatusOK {
		return ""
	}
	var failed failure
	if err := json.Unmarshal([]byte(answer), &failed); err != nil || status != http.StatusInternalServerError || failed.Err == "" {
		t.Fatalf("no refusal that engines understand: %d %s", status, answer)
	}
	return failed.Err
}

// While the agent is down, an engine gets the proxy's answer immediately: the constant answers of the driver, and for other requests a
// refusal with the reason.
func TestDoorWithoutAgent(t *testing.T) {
	h := newHall(t, 0)
	d := newWorld(t).driver("h1")
	same := []string{"Plugin.Activate", "Plugin.Deactivate", "NetworkDriver.GetCapabilities", "NetworkDriver.Leave", "NetworkDriver.DiscoverNew",
		"NetworkDriver.DiscoverDelete", "IpamDriver.GetCapabilities", "IpamDriver.GetDefaultAddressSpaces", "IpamDriver.ReleasePool"}
	for _, method := range append(methods, "NetworkDriver.Leave") {
		status, answer, took := h.ask(method, `{"NetworkID":"n1","EndpointID":"e1"}`)
		if took > time.Second {
			t.Errorf("%s: took %s", method, took)
		}
		why := refusal(t, status, answer)
		if !slices.Contains(same, method) {
			if !strings.HasPrefix(why, "contiv agent is not running, since ") || !strings.Contains(why, "start netplugin on this host") {
				t.Errorf("%s: %d %s", method, status, answer)
			}
			continue
		}
		var want json.RawMessage
		if err := call(t, d, method, empty{}, &want); err != nil || string(want) != answer {
			t.Errorf("%s: the agent says %s (%v), the door %d %s", method, want, err, status, answer)
		}
	}
	if mode, err := os.Stat(h.socket); err != nil || mode.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", mode, err)
	}
}

// The proxy passes requests of an engine to the agent unchanged, and any answer back. A request waits for an agent that has just stopped, but
// not for one that has been down for longer.
func TestDoorWithAgent(t *testing.T) {
	h := newHall(t, 20*time.Second)
	w := newWorld(t, dual)
	q := `{"NetworkID":"n1","EndpointID":"e1","Interface":{}}`
	if _, err := created(t, w.driver("h1"), "n1", map[string]string{"network": "blue"}, false); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan string)
	go func() {
		_, answer, _ := h.ask("NetworkDriver.CreateEndpoint", q)
		waiting <- answer
	}()
	<-h.came
	end := h.begin(h.agent(w))
	if got := <-waiting; !strings.Contains(got, `"Address":"10.1.1.1/24"`) {
		t.Errorf("asked before the agent was there: %s", got)
	}
	status, answer, _ := h.ask("NetworkDriver.CreateEndpoint", `{"NetworkID":"n1"}`)
	if got := refusal(t, status, answer); !strings.HasPrefix(got, "EndpointID: ") {
		t.Errorf("a refusal of the agent: %s", got)
	}
	if status, _, _ := h.ask("NetworkDriver.None", ""); status != http.StatusNotFound {
		t.Errorf("no method of the agent's: status %d", status)
	}
	began := time.Now()
	end()
	if took := time.Since(began); took > 3*time.Second {
		t.Errorf("the agent ended after %s: what the door holds open has kept it", took)
	}
	for h.presence.away() == 0 {
		time.Sleep(time.Millisecond)
	}
	h.begin(h.agent(w))
	for h.presence.away() != 0 {
		time.Sleep(time.Millisecond)
	}
	if status, answer, _ := h.ask("NetworkDriver.DeleteEndpoint", q); refusal(t, status, answer) != "" || len(w.attached) != 0 {
		t.Errorf("asked of the next agent: %d %s, attached %v", status, answer, w.attached)
	}
}

// A returning agent first gets the deletions that it missed, since the next container may have the same address.
func TestDoorKeepsDeletions(t *testing.T) {
	h := newHall(t, 0)
	w := newWorld(t, dual)
	first, _ := w.withContainer(t)
	if err := call(t, first, "NetworkDriver.CreateEndpoint", endpointRequest{NetworkID: "n1", EndpointID: "e2", Interface: &endpointInterface{}}, &empty{}); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"e1", "e2", "e1"} {
		status, answer, _ := h.ask("NetworkDriver.DeleteEndpoint", `{"NetworkID":"n1","EndpointID":"`+id+`"}`)
		if refusal(t, status, answer) == "" {
			t.Errorf("a deletion without an agent is reported as done: %s", answer)
		}
	}
	if status, answer, _ := h.ask("NetworkDriver.DeleteEndpoint", `"`+strings.Repeat("x", maxDeletion)+`"`); refusal(t, status, answer) == "" {
		t.Error("a deletion that is too long is reported as done")
	}
	if n := h.kept(); n != 3 || len(w.attached) != 2 {
		t.Errorf("kept are %d deletions, attached %v", n, w.attached)
	}
	h.begin(h.agent(w))
	status, answer, _ := h.ask("NetworkDriver.CreateEndpoint", `{"NetworkID":"n1","EndpointID":"e3","Interface":{"Address":"10.1.1.1/24"}}`)
	if got := refusal(t, status, answer); got != "" || len(w.attached) != 1 || h.kept() != 0 {
		t.Errorf("the next container: %s, attached %v, kept %d", got, w.attached, h.kept())
	}
}

// An agent that ends with a request in progress leaves an answer.
func TestDoorToAgentThatDies(t *testing.T) {
	h := newHall(t, 0)
	l, err := net.Listen("unix", h.PluginProxy.agent)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			_ = nc.Close()
		}
	}()
	status, answer, _ := h.ask("NetworkDriver.Join", "{}")
	if got := refusal(t, status, answer); !strings.Contains(got, "ended before it answered") {
		t.Errorf("a request that is lost: %s", got)
	}
	_ = l.Close()
}
