// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store/embedded"
	"github.com/contiv/contiv/daemon/store/etcd"
)

// contenderEnv makes this test binary a contender: the URL of the etcd to contend in.
const contenderEnv = "CONTIV_TEST_CONTENDER"

// runContender contends with a lock that lives a minute, and says on standard output when it leads.
func runContender(url string) error {
	db, err := etcd.Open(etcd.Config{Endpoints: []string{url}})
	if err != nil {
		return err
	}
	defer db.Close()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); fmt.Println("probed"); _, _ = io.Copy(io.Discard, c) }()
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	return NewElection(ElectionConfig{
		Store: db, Key: record.LeaderKey, ID: l.Addr().String(), TTL: time.Minute, Log: slog.New(slog.DiscardHandler),
	}).Leading(func(ctx context.Context, _ Term) error {
		fmt.Println("leads")
		<-ctx.Done()
		return nil
	}).Run(ctx)
}

// contender is a contending process and the lines that it says.
type contender struct {
	cmd   *exec.Cmd
	lines chan string
}

func startContender(tb testing.TB, url string) *contender {
	tb.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestFailover$")
	cmd.Env = append(os.Environ(), contenderEnv+"="+url)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	c := &contender{cmd, make(chan string, 100)}
	read := make(chan struct{})
	go func() {
		defer close(read)
		for s := bufio.NewScanner(out); s.Scan(); {
			c.lines <- s.Text()
		}
	}()
	tb.Cleanup(func() { _ = cmd.Process.Kill(); <-read; _ = cmd.Wait() })
	return c
}

func (c *contender) await(tb testing.TB, want string) {
	tb.Helper()
	for end := time.After(timeout); ; {
		select {
		case got := <-c.lines:
			if strings.TrimSpace(got) == want {
				return
			}
		case <-end:
			tb.Fatalf("process %d did not say %q within %s", c.cmd.Process.Pid, want, timeout)
		}
	}
}

// TestFailover kills and stops real leaders whose lock would live a minute.
func TestFailover(t *testing.T) {
	if url := os.Getenv(contenderEnv); url != "" {
		if err := runContender(url); err != nil {
			t.Fatal(err)
		}
		return
	}
	server, err := embedded.Start(t.Context(), embedded.Config{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	leader := startContender(t, server.ClientURL())
	leader.await(t, "leads")
	for _, sig := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		next := startContender(t, server.ClientURL())
		leader.await(t, "probed")
		began := time.Now()
		if err := leader.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		next.await(t, "leads")
		t.Logf("%s: a new leader after %s", sig, time.Since(began).Round(time.Millisecond))
		leader = next
	}
}
