// SPDX-License-Identifier: Apache-2.0

package bgp

import (
	"bufio"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// speakerEnv has this program be a router outside, as its value says: "ADDRESS/LENGTH AS PEER AS". The library keeps
// settings of all its servers in one place, which a server that starts writes: two must not be in one process.
const speakerEnv = "CONTIV_TEST_SPEAKER"

func TestMain(m *testing.M) {
	if text := os.Getenv(speakerEnv); text != "" {
		if err := outside(text, os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// outside is a router that announces and withdraws what in says, a line each, and says "ok" each time.
func outside(text string, in io.Reader, out io.Writer) error {
	var address, peer string
	c := Config{Peers: make([]Peer, 1)}
	if _, err := fmt.Sscan(text, &address, &c.AS, &peer, &c.Peers[0].AS); err != nil {
		return err
	}
	var err error
	if c.Address, err = netip.ParsePrefix(address); err != nil {
		return err
	}
	if c.Peers[0].Address, err = netip.ParseAddr(peer); err != nil {
		return err
	}
	s, err := Start(c, slog.New(slog.DiscardHandler), func() {})
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		verb, prefix, _ := strings.Cut(lines.Text(), " ")
		p, err := netip.ParsePrefix(prefix)
		if err != nil {
			return err
		}
		if err := map[string]func(netip.Prefix) error{"announce": s.Announce, "withdraw": s.Withdraw}[verb](p); err != nil {
			return err
		}
		fmt.Fprintln(out, "ok")
	}
	return s.Stop()
}

// outsider is such a router, a process of its own that ends with the test.
type outsider struct {
	in  io.Writer
	out *bufio.Reader
}

func startOutsider(t *testing.T, text string) *outsider {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), speakerEnv+"="+text), t.Output()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("router outside: %v", err)
		}
	})
	return &outsider{in, bufio.NewReader(out)}
}

func (o *outsider) do(t *testing.T, line string) {
	t.Helper()
	if _, err := fmt.Fprintln(o.in, line); err != nil {
		t.Fatal(err)
	}
	if answer, err := o.out.ReadString('\n'); err != nil || answer != "ok\n" {
		t.Fatalf("%s: got %q, %v", line, answer, err)
	}
}
