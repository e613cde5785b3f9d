// SPDX-License-Identifier: Apache-2.0

package app

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
	"github.com/contiv/contiv/console/widget"
)

// The first line always names the leader and the state of the stream, however long the crumbs and the leader's name are.
func TestHeaderKeepsTheLeader(t *testing.T) {
	long := strings.Repeat("a-long-name.", 12)
	for _, leader := range []string{"192.0.2.1", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff", long} {
		for _, width := range []int{80, 100, 200} {
			m, _ := still(t, mono(t, false), page.Overview(), width, 30)
			m.snapshot.Nodes[0].Name = leader
			m.open(page.Text(long, "netctl version", ""))
			m.open(page.Text(long, "netctl version", ""))
			head, _, _ := strings.Cut(Plain(m.Frame()), "\n")
			if w := widget.Width(head); w > width || !strings.Contains(head, "leader "+leader[:9]) || !strings.HasSuffix(head, "● live") || !strings.Contains(head, "▸ a-long") {
				t.Errorf("%d cells, leader %s: got %q", width, leader, head)
			}
		}
	}
}

// Until everything has been received, nothing is marked live, and no state is reported as "no leader".
func TestHeaderBeforeEverythingIsKnown(t *testing.T) {
	m, _ := still(t, mono(t, false), page.Overview(), 100, 30)
	m.Update(&feed.Snapshot{Watching: true, Received: m.now, Revision: 7})
	frame := Plain(m.Frame())
	head, _, _ := strings.Cut(frame, "\n")
	if !strings.Contains(frame, "CONNECTING") || strings.Contains(frame, "live") || !strings.Contains(head, "leader ?  rev ?") || !strings.Contains(head, "connecting") {
		t.Errorf("want it to be connecting, got %s", frame)
	}
}

// Packets through a switch are counted at their entry, not in every table.
func TestPipelineCountsPacketsOnce(t *testing.T) {
	m, _ := still(t, mono(t, false), page.FlowTables("h1"), 100, 30)
	q := feed.Question{Topic: feed.Flows, Host: "h1"}
	rate := func(n float64) *model.FlowRate { return &model.FlowRate{Packets: n} }
	m.snapshot.Answers[q] = feed.Answer{At: m.now, Value: []model.Flow{{TableID: "0", Packets: 5, Rate: rate(100)}, {TableID: "2", Packets: 5, Rate: rate(100)}, {TableID: "30", Packets: 5, Rate: rate(100), Drop: true}}}
	if frame := Plain(m.Frame()); !strings.Contains(frame, "100 pkt/s") || !strings.Contains(frame, "drops 100/s") || strings.Contains(frame, "300 pkt/s") {
		t.Errorf("want 100 packets a second, got:\n%s", frame)
	}
}

// Without a terminal on both sides the console prints its own remedy.
func TestNeedsATerminal(t *testing.T) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	c := NewCommand(null, &bytes.Buffer{}, func(string) string { return "" }, func() string { return "" })
	c.SetArgs([]string{"--netmaster", "http://127.0.0.1:1", "--screen", "networks"})
	c.SilenceErrors, c.SilenceUsage = true, true
	if err := c.Execute(); err == nil || err.Error() != "contiv console requires a terminal; use netctl network ls --all, or print one frame with contiv console --once" {
		t.Errorf("want an error about the terminal, got %v", err)
	}
}
