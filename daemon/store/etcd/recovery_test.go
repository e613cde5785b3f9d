// SPDX-License-Identifier: Apache-2.0

package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/etcd"
	"github.com/contiv/contiv/daemon/store/storetest"
)

// serverEnv makes this program act as an etcd instead of a test: "DIR CLIENT-URL PEER-URL".
const serverEnv = "CONTIV_TEST_ETCD"

func TestMain(m *testing.M) {
	if args := strings.Fields(os.Getenv(serverEnv)); len(args) == 3 {
		_, err := embedded.Start(context.Background(), embedded.Config{Dir: args[0], ClientURL: args[1], PeerURL: args[2]})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		select {} // until it is killed
	}
	os.Exit(m.Run())
}

// process is an etcd in its own process, which can be killed.
type process struct {
	dir, url, peer string
	cmd            *exec.Cmd
}

func newProcess(tb testing.TB) *process {
	p := &process{dir: tb.TempDir(), url: freeURL(tb), peer: freeURL(tb)}
	tb.Cleanup(p.kill)
	p.start(tb)
	return p
}

func (p *process) start(tb testing.TB) {
	tb.Helper()
	p.cmd = exec.Command(os.Args[0], "-test.run=^$")
	p.cmd.Env = append(os.Environ(), serverEnv+"="+strings.Join([]string{p.dir, p.url, p.peer}, " "))
	p.cmd.Stderr = os.Stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.cmd.Start(); err != nil {
		tb.Fatal(err)
	}
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// streams returns the number of lists requested from the server since it started.
func (p *process) streams(tb testing.TB) string {
	tb.Helper()
	resp, err := http.Get(p.url + "/metrics")
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "grpc_server_started_total{") && strings.Contains(line, `"RangeStream"`) {
			return strings.TrimSpace(line[strings.LastIndexByte(line, ' '):])
		}
	}
	return "0"
}

func freeURL(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

// observer is a client with one watch, like an agent; it does not keep the items.
type observer struct {
	db    store.Store
	mu    sync.Mutex
	fulls int
	outs  int
	knows store.Revision
	back  time.Time // time of the last update after an outage
}

func (o *observer) run(ctx context.Context, ready func()) {
	away := true // the first list counts as a return
	for u, err := range o.db.Watch(ctx, record.State) {
		o.mu.Lock()
		if err != nil {
			away = true
			o.outs++
			o.mu.Unlock()
			continue
		}
		if u.Full {
			o.fulls++
		}
		if o.knows = u.Revision; away {
			away, o.back = false, time.Now()
		}
		o.mu.Unlock()
		if ready != nil {
			ready()
			ready = nil
		}
	}
}

func (o *observer) is(ok func(o *observer) bool) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return ok(o)
}

// After etcd was killed and restarted under many watchers of many endpoints, all of them continue soon after its first answer,
// without requesting lists, which would overload it.
func TestRecovery(t *testing.T) {
	const (
		patience = 2 * time.Minute
		limit    = 5 * time.Second // from the first answer until the last watcher is back
	)
	server := newProcess(t)
	db := open(t, server.url)
	defer db.Close()
	last := fill(t, db, endpoints)

	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	crowd := make([]*observer, watchers)
	turn := make(chan struct{}, 4)
	for i := range crowd {
		s, err := etcd.Open(etcd.Config{Endpoints: []string{server.url}})
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		crowd[i] = &observer{db: s}
		turn <- struct{}{} // start in turns, to limit the load of the machine
		running.Go(func() { crowd[i].run(ctx, func() { <-turn }) })
	}
	all := func(what string, ok func(o *observer) bool) {
		t.Helper()
		err := storetest.Eventually(patience, func() error {
			for i, o := range crowd {
				if !o.is(ok) {
					return fmt.Errorf("watcher %d of %d does not know %s", i, watchers, what)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	all("everything", func(o *observer) bool { return o.knows >= last })

	if lists := server.streams(t); lists != fmt.Sprint(watchers) {
		t.Errorf("the server received %s requests for lists at first, want %d", lists, watchers)
	}
	server.kill()
	all("that the store is away", func(o *observer) bool { return o.outs > 0 })
	killed := time.Now()
	server.start(t)
	err := storetest.Eventually(patience, func() error {
		ctx, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		defer cancel()
		if _, err := db.Read(ctx, record.GlobalKey); !errors.Is(err, store.ErrNotFound) {
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	answered := time.Now()
	all("that the store is back", func(o *observer) bool { return o.back.After(killed) })
	took := time.Since(answered)
	for i, o := range crowd {
		if !o.is(func(o *observer) bool { return o.fulls == 1 }) {
			t.Errorf("watcher %d received everything %d times, want once", i, o.fulls)
		}
	}
	if lists := server.streams(t); lists != "0" {
		t.Errorf("the server received %s requests for lists, want none", lists)
	}
	t.Logf("all %d watchers are back %s after the first answer", watchers, took.Round(time.Millisecond))
	if took > limit {
		t.Errorf("all are back %s after the first answer, want at most %s", took, limit)
	}
	rev := put(t, db, record.Endpoints+"one more")
	all("a change since", func(o *observer) bool { return o.knows >= rev })
}

// All watches of a client report an outage together, after one timeout, not one after the other.
func TestOutageReachesAllWatches(t *testing.T) {
	const many = 20
	server := serve(t, embedded.Config{Dir: t.TempDir()})
	proxy := storetest.NewProxy(t, strings.TrimPrefix(server.ClientURL(), "http://"))
	client := open(t, "http://"+proxy.Address()) // with a timeout of 1 s
	put(t, server, record.State+"a")
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	crowd := make([]*observer, many)
	for i := range crowd {
		crowd[i] = &observer{db: client}
		running.Go(func() { crowd[i].run(ctx, nil) })
	}
	defer func() { cancel(); running.Wait(); _ = client.Close() }()
	all := func(ok func(o *observer) bool) func() error {
		return func() error {
			for i, o := range crowd {
				if !o.is(ok) {
					return fmt.Errorf("watch %d does not know", i)
				}
			}
			return nil
		}
	}
	if err := storetest.Eventually(time.Minute, all(func(o *observer) bool { return o.fulls == 1 })); err != nil {
		t.Fatal(err)
	}
	proxy.Cut()
	cut := time.Now()
	if err := storetest.Eventually(time.Minute, all(func(o *observer) bool { return o.outs == 1 })); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(cut); took > many/2*time.Second {
		t.Errorf("all watches know of the outage after %s, want a timeout or two", took)
	}
	proxy.Mend(t)
	if err := storetest.Eventually(time.Minute, all(func(o *observer) bool { return o.back.After(cut) })); err != nil {
		t.Fatal(err)
	}
}

// fill puts n endpoints and returns the revision of the last.
func fill(tb testing.TB, db store.Store, n int) (last store.Revision) {
	tb.Helper()
	for i := 0; i < n; {
		var tx store.Tx
		for range min(n-i, db.Limits().Ops) {
			tx.Put(fmt.Sprintf("%snet%d.default-%064d", record.Endpoints, i%20, i), fmt.Appendf(nil,
				`{"id":"net%d.default-%064d","netID":"net%d.default","endpointID":"%064d","ipAddress":"10.%d.%d.%d","homingHost":"h%d"}`,
				i%20, i, i%20, i, i%20, i/250%250, i%250, i%32))
			i++
		}
		rev, err := db.Commit(tb.Context(), &tx)
		if err != nil {
			tb.Fatal(err)
		}
		last = rev
	}
	return last
}
