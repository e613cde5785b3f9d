// SPDX-License-Identifier: Apache-2.0

//go:build consul

package consul

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/store"
	"github.com/contiv/contiv/daemon/store/storetest"
)

// program is the Consul server that "make test-consul" builds.
const program = "../../../.cache/consul"

// factory is a real Consul behind a proxy that can be cut.
type factory struct {
	proxy   *storetest.Proxy
	address string
}

func newFactory(tb testing.TB) storetest.Factory {
	tb.Helper()
	path, err := filepath.Abs(program)
	if err != nil {
		tb.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		tb.Fatalf("no Consul server: %v; make test-consul builds it, which takes some minutes once", err)
	}
	port := freePorts(tb, 3)
	cmd := exec.Command(path, "-dev", "-bind", "127.0.0.1", "-client", "127.0.0.1", "-log-level", "error", "-hcl",
		fmt.Sprintf("ports { http = %d server = %d serf_lan = %d serf_wan = -1 dns = -1 grpc = -1 grpc_tls = -1 }", port[0], port[1], port[2]))
	cmd.Dir = tb.TempDir()
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.Create(filepath.Join(cmd.Dir, "log"))
	if err != nil {
		tb.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait(); _ = log.Close() })
	f := &factory{address: "127.0.0.1:" + strconv.Itoa(port[0])}
	f.proxy = storetest.NewProxy(tb, f.address)
	s := f.Direct(tb)
	defer s.Close()
	err = storetest.Eventually(30*time.Second, func() error {
		var tx store.Tx
		tx.Put("/ready", nil)
		_, err := s.Commit(context.Background(), &tx)
		return err
	})
	if err != nil {
		text, _ := os.ReadFile(log.Name())
		tb.Fatalf("Consul does not serve: %v\n%s", err, text)
	}
	return f
}

func freePorts(tb testing.TB, n int) []int {
	tb.Helper()
	var ports []int
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			tb.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func open(tb testing.TB, address string) store.Store {
	tb.Helper()
	s, err := Open(Config{Endpoints: []string{"http://" + address}, Timeout: time.Second})
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func (f *factory) Open(tb testing.TB) store.Store   { return open(tb, f.proxy.Address()) }
func (f *factory) Direct(tb testing.TB) store.Store { return open(tb, f.address) }
func (f *factory) Away(testing.TB)                  { f.proxy.Cut() }
func (f *factory) Back(tb testing.TB)               { f.proxy.Mend(tb) }
func (f *factory) Compact(testing.TB)               {} // Consul keeps no history
func (f *factory) LeaseTTL() time.Duration          { return minTTL }

func TestConformance(t *testing.T) { storetest.Run(t, newFactory) }

// inParts makes watches read parts even of little data.
type inParts struct{ storetest.Factory }

func (f inParts) Open(tb testing.TB) store.Store {
	s := f.Factory.Open(tb)
	s.(*Store).large = 0
	return s
}

func (f inParts) Direct(tb testing.TB) store.Store {
	s := f.Factory.Direct(tb)
	s.(*Store).large = 0
	return s
}

func TestConformanceInParts(t *testing.T) {
	storetest.Run(t, func(tb testing.TB) storetest.Factory { return inParts{newFactory(tb)} })
}

// The cost of a change depends on the size of its part, not on that of all data.
func TestPartsAreSmall(t *testing.T) {
	s := newFactory(t).Direct(t).(*Store)
	defer s.Close()
	put := func(key string, value []byte) store.Revision {
		t.Helper()
		var tx store.Tx
		tx.Put(key, value)
		rev, err := s.Commit(t.Context(), &tx)
		if err != nil {
			t.Fatal(err)
		}
		return rev
	}
	for i := range 40 {
		put(fmt.Sprint("/m/state/many/", i), make([]byte, 64<<10))
		put(fmt.Sprint("/m/state/few/", i), []byte("x"))
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	changes, before := 0, int64(0)
	for u, err := range s.Watch(ctx, "/m/") {
		if err != nil {
			t.Fatal(err)
		}
		if u.Full {
			if len(u.Items) != 80 {
				t.Fatalf("want 80 items, got %d", len(u.Items))
			}
			before = s.meter.Bytes()
		} else if changes++; len(u.Items) != 1 {
			t.Errorf("want the new value, got %+v", u)
		}
		if changes == 10 {
			break
		}
		put("/m/state/few/7", []byte(strconv.Itoa(changes)))
	}
	if came := (s.meter.Bytes() - before) / 10; changes != 10 || came > 64<<10 {
		t.Errorf("%d changes: want 64 KiB for each at most, got %d bytes", changes, came)
	} else {
		t.Logf("%d bytes for a change beside 2.5 MiB", came)
	}
}
