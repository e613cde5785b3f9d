// SPDX-License-Identifier: Apache-2.0

package dockerd

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// box is a container of a fake engine.
type box struct {
	id, name string
	labels   map[string]string
	running  bool
	joined   map[string]join // by name of the network
}

type join struct {
	network, endpoint string
	aliases           []string
}

// fakeNetwork is a network of a fake engine, in the words of the API.
type fakeNetwork struct {
	Name, ID, Driver string
	Created          time.Time
	EnableIPv6       bool
	Internal         bool
	Options, Labels  map[string]string
	IPAM             json.RawMessage
}

// fake is a Docker engine behind a unix socket: it keeps its objects, refuses what an engine refuses, sends events, and can be stopped,
// started, made slow and made to fail.
type fake struct {
	t      *testing.T
	socket string
	server *httptest.Server

	mu        sync.Mutex
	id        string
	boxes     map[string]*box
	networks  map[string]*fakeNetwork // by id
	orphans   map[string]string       // endpoints that no container has, and their networks
	listeners map[chan string]struct{}
	fail      map[string]int // status to answer with, by "METHOD /path" without the version
	hang      map[string]chan struct{}
	calls     map[string]int
	last      int
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, socket: filepath.Join(t.TempDir(), "d"), id: "ID1", boxes: map[string]*box{}, networks: map[string]*fakeNetwork{},
		orphans: map[string]string{}, listeners: map[chan string]struct{}{}, fail: map[string]int{}, hang: map[string]chan struct{}{}, calls: map[string]int{}}
	t.Cleanup(f.stop)
	f.start()
	return f
}

func (f *fake) dial() (Engine, error) { return Dial(f.socket) }

func (f *fake) start() {
	ln, err := net.Listen("unix", f.socket)
	if err != nil {
		f.t.Fatal(err)
	}
	f.server = &httptest.Server{Listener: ln, Config: &http.Server{Handler: f}}
	f.server.Start()
}

func (f *fake) stop() {
	if f.server == nil {
		return
	}
	f.server.CloseClientConnections()
	f.server.Close()
	f.server = nil
}

// change changes the engine, and sends an event unless it is "".
func (f *fake) change(event string, change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	f.tell(event)
}

func (f *fake) tell(event string) {
	if event == "" {
		return
	}
	for l := range f.listeners {
		l <- event
	}
}

// run starts a container with one interface on each network.
func (f *fake) run(id, name string, labels map[string]string, networks ...string) {
	f.change(containerEvent("start", id), func() {
		b := &box{id: id, name: name, labels: labels, running: true, joined: map[string]join{}}
		for _, n := range networks {
			f.last++
			b.joined[n] = join{"id-" + n, fmt.Sprintf("%064x", f.last), []string{name + "-alias", id[:min(12, len(id))]}}
		}
		f.boxes[id] = b
	})
}

func (f *fake) end(id string) {
	f.change(containerEvent("die", id), func() {
		f.boxes[id].running = false
		for name, j := range f.boxes[id].joined {
			f.boxes[id].joined[name] = join{network: j.network}
		}
	})
}

func containerEvent(action, id string) string {
	return `{"Type":"container","Action":"` + action + `","Actor":{"ID":"` + id + `"}}`
}

func (f *fake) endpointOf(id, network string) string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.boxes[id].joined[network].endpoint
}

func (f *fake) called(what string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls[what]
}

func (f *fake) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	if rest, ok := strings.CutPrefix(path, "/v1."); ok {
		path = rest[strings.Index(rest, "/"):]
	}
	what := r.Method + " " + path
	f.mu.Lock()
	status, hang := f.fail[what], f.hang[what]
	f.calls[what]++
	f.mu.Unlock()
	if hang != nil {
		select {
		case <-hang:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("Api-Version", "1.41")
	w.Header().Set("Content-Type", "application/json")
	if status != 0 {
		w.WriteHeader(status)
		fmt.Fprint(w, `{"message":"it is broken"}`)
		return
	}
	if path == "/events" {
		f.stream(w, r)
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	status, answer := f.answer(r, path)
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(answer)
}

func (f *fake) stream(w http.ResponseWriter, r *http.Request) {
	l := make(chan string, 1000)
	f.mu.Lock()
	f.listeners[l] = struct{}{}
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		delete(f.listeners, l)
		f.mu.Unlock()
	}()
	_ = http.NewResponseController(w).Flush()
	for {
		select {
		case e := <-l:
			_, _ = io.WriteString(w, e+"\n")
			_ = http.NewResponseController(w).Flush()
		case <-r.Context().Done():
			return
		}
	}
}

type object = map[string]any

func (f *fake) answer(r *http.Request, path string) (int, any) {
	id := path[strings.LastIndex(path, "/")+1:]
	switch {
	case path == "/_ping":
		return http.StatusOK, "OK"
	case path == "/info":
		return http.StatusOK, object{"ID": f.id, "ServerVersion": "20.10.24"}
	case path == "/containers/json":
		out := []object{}
		for _, b := range f.boxes {
			if b.running || r.URL.Query().Get("all") == "1" {
				out = append(out, object{"Id": b.id, "NetworkSettings": object{"Networks": b.settings()}})
			}
		}
		return http.StatusOK, out
	case strings.HasPrefix(path, "/containers/"):
		b := f.boxes[strings.Split(path, "/")[2]]
		if b == nil {
			return http.StatusNotFound, object{"message": "no such container"}
		}
		pid := 0
		if b.running {
			pid = 7
		}
		return http.StatusOK, object{"Id": b.id, "Name": "/" + b.name, "State": object{"Running": b.running, "Pid": pid},
			"Config": object{"Labels": b.labels}, "NetworkSettings": object{"Networks": b.settings()}}
	case path == "/networks":
		out := []*fakeNetwork{}
		for _, n := range f.networks {
			out = append(out, n)
		}
		return http.StatusOK, out
	case path == "/networks/create":
		n := &fakeNetwork{}
		if err := json.NewDecoder(r.Body).Decode(n); err != nil {
			return http.StatusBadRequest, object{"message": err.Error()}
		}
		f.last++
		n.ID, n.Created = fmt.Sprintf("net-%d", f.last), time.Unix(int64(f.last), 0)
		f.networks[n.ID] = n
		f.tell(`{"Type":"network","Action":"create","Actor":{"ID":"` + n.ID + `"}}`)
		return http.StatusCreated, object{"Id": n.ID}
	case f.networks[id] == nil:
		return http.StatusNotFound, object{"message": "no such network"}
	case r.Method == http.MethodDelete:
		if len(f.on(id)) > 0 {
			return http.StatusForbidden, object{"message": "network " + f.networks[id].Name + " has active endpoints"}
		}
		delete(f.networks, id)
		f.tell(`{"Type":"network","Action":"destroy","Actor":{"ID":"` + id + `"}}`)
		return http.StatusNoContent, nil
	default:
		return http.StatusOK, object{"Name": f.networks[id].Name, "Id": id, "Driver": f.networks[id].Driver, "Containers": f.on(id)}
	}
}

// on returns the endpoints on a network.
func (f *fake) on(network string) object {
	out := object{}
	for _, b := range f.boxes {
		for name, j := range b.joined {
			if f.networks[network].Name == name && j.endpoint != "" {
				out[b.id] = object{"EndpointID": j.endpoint}
			}
		}
	}
	for e, n := range f.orphans {
		if n == network {
			out["ep-"+e] = object{"EndpointID": e}
		}
	}
	return out
}

func (b *box) settings() object {
	out := object{}
	for name, j := range b.joined {
		out[name] = object{"NetworkID": j.network, "EndpointID": j.endpoint, "Aliases": j.aliases, "IPAddress": "", "MacAddress": ""}
	}
	return out
}

// quick returns a watcher's intervals for tests.
func quick() pace {
	return pace{answer: 300 * time.Millisecond, work: 300 * time.Millisecond, debounce: time.Millisecond, retry: 10 * time.Millisecond,
		pulse: 50 * time.Millisecond, first: 5 * time.Millisecond, maxWait: 20 * time.Millisecond}
}

// watch starts a watcher of the engine, which ends with the test, before the engine does.
func (f *fake) watch() *Watcher {
	w := NewWatcher(f.dial, slog.New(slog.DiscardHandler))
	w.pace = quick()
	f.background(w.Run)
	return w
}

// background runs a part until the test ends.
func (f *fake) background(run func(context.Context) error) {
	ctx, end := context.WithCancel(context.Background())
	var done sync.WaitGroup
	done.Go(func() {
		if err := run(ctx); err != nil {
			f.t.Error(err)
		}
	})
	f.t.Cleanup(func() { end(); done.Wait() })
}

// until waits until a condition is true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("want %s", what)
		}
	}
}
