// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// ticking is a clock that only the test moves.
type ticking struct{ seconds atomic.Int64 }

func (c *ticking) now() time.Time {
	return time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(c.seconds.Load()) * time.Second)
}

// One session about the past: testdata/history.txt has its output, line by line.
func TestHistorySession(t *testing.T) {
	clock := &ticking{}
	m := mastertest.Start(t, mastertest.Options{Now: clock.now})
	agent := channel.Master{Client: &client.Client{Base: m.URL, Actor: func() string { return "h1" }, Program: "netplugin/1.0"}}
	container := func(name string) func() {
		return func() {
			if _, _, err := agent.CreateEndpoint(context.Background(), model.CreateEndpointRequest{TenantName: "default", NetworkName: "blue",
				ConfigEP: model.EndpointConfigRequest{Container: name, Host: "h1"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	gone := func(name string) func() {
		return func() {
			if err := agent.DeleteEndpoint(context.Background(), model.DeleteEndpointRequest{TenantName: "default", NetworkName: "blue", EndpointID: name}); err != nil {
				t.Fatal(err)
			}
		}
	}
	var printed strings.Builder
	for _, step := range []any{
		"network create blue -s 10.1.1.0/29 -g 10.1.1.6 -s6 2001:db8::/64 -e vlan",
		"group create blue web -r 10.1.1.4-10.1.1.5",
		container("c1"),
		"global set --arp-mode flood",
		"ip quarantine 10.1.1.2 --network blue --for 1h --reason printer",
		container("c2"),
		"ip quarantine 10.1.1.1 --network blue",
		"ip release 10.1.1.1 -n blue",
		gone("c1"),
		"ip quarantine 10.1.1.9 -n blue",
		"ip quarantine 10.1.1.1",
		"ip show blue",
		"ip show 10.1.1.1",
		"ip show 10.1.1.5 -q",
		"ip show 10.1.1.5 -j",
		"ip show nowhere",
		"ip history 10.1.1.1",
		"ip history 2001:db8::1 --limit 1",
		"ip who 10.1.1.1",
		"ip who 10.1.1.1 --at 2030-01-02T03:04:10Z",
		"ip who 10.1.1.2",
		"ip who 10.1.1.2 --at 2030-01-02T03:04:07Z",
		"ip who 10.1.1.2 --at 2030-01-02T03:04:05Z",
		"ip who 10.1.1.4",
		"ip who 10.1.1.6",
		"ip who 10.1.1.7",
		"ip who 10.7.7.7",
		"ip who nonsense",
		"ip release 10.1.1.2 -n blue",
		"ip release 10.1.1.2 -n blue",
		"ip release 10.1.1.2",
		"history",
		"history network blue",
		"history net -o name",
		"history endpoint c1",
		"history global --limit 1 -o yaml",
		"history --by h1 --since 2030-01-02T03:04:11Z",
		"history address -o wide",
		"history global global --at 2030-01-02T03:04:06Z",
		"group rm web",
		"history group web --at 2030-01-02T03:04:12Z",
		"history group web --at 2030-01-02T03:04:05Z",
		"history endpoint blue.default-c1 --at 2030-01-02T03:04:12Z",
		"history group web --at yesterday",
		"history --at 5",
		"history nothing",
	} {
		clock.seconds.Add(1)
		line, typed := step.(string)
		if !typed {
			step.(func())()
			continue
		}
		got := netctl(t, context.Background(), m.URL, strings.Fields(line)...)
		out, _, _ := strings.Cut(got.out, "Incorrect Usage.")
		printed.WriteString("$ netctl " + line + "\n" + out)
		if got.code != 0 {
			_, message, _ := strings.Cut(got.err, "error: ")
			printed.WriteString("exit " + string(rune('0'+got.code)) + ": " + message)
		}
	}
	const golden = "testdata/history.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(printed.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	wanted, got := strings.Split(string(want), "\n"), strings.Split(printed.String(), "\n")
	for i := range max(len(wanted), len(got)) {
		if i >= len(wanted) || i >= len(got) || wanted[i] != got[i] {
			t.Fatalf("%s:%d is not what is printed:\n%s", golden, i+1, strings.Join(got[max(0, min(i, len(got))-2):], "\n"))
		}
	}
}
