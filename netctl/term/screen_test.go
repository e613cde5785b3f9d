// SPDX-License-Identifier: Apache-2.0

package term

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/clipperhouse/displaywidth"

	"github.com/contiv/contiv/api/model"
)

// A table fits to the terminal: columns of low rank are cut first, texts are wrapped, and -o wide is as wide as its cells.
func TestTable_Fits(t *testing.T) {
	columns := []model.Column{{Header: "Tenant", Rank: model.RankLow}, {Header: "Name", Rank: model.RankHigh}, {Header: "Reason", Style: "text"}, {Header: "Ready", Style: "yesno"}}
	row := []string{"a-tenant-with-a-long-name", "network-0123456789", "the agent waits for the switch of its host", "no"}
	for _, r := range []struct {
		width int
		want  string
	}{
		{0, "Tenant                     Name                Reason                                      Ready\n------                     ----                ------                                      -----\na-tenant-with-a-long-name  network-0123456789  the agent waits for the switch of its host  no\n"},
		{70, "Tenant               Name                Reason                Ready\n------               ----                ------                -----\na-tenant-with-a-lo…  network-0123456789  the agent waits for…  no\n"},
	} {
		table := Table{Columns: columns, Screen: Screen{Width: r.width}}
		table.Add(append([]string{}, row...))
		var b strings.Builder
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		if r.width == 0 {
			if b.String() != r.want {
				t.Errorf("want\n%sgot\n%s", r.want, b.String())
			}
			continue
		}
		for line := range strings.Lines(b.String()) {
			if n := displaywidth.String(strings.TrimSuffix(line, "\n")); n > r.width {
				t.Errorf("width %d: a line has %d cells: %q", r.width, n, line)
			}
		}
		flat := strings.Join(strings.Fields(b.String()), " ")
		if !strings.Contains(flat, "network-0123456789") || !strings.Contains(flat, "a-ten") || !strings.Contains(b.String(), "  no\n") {
			t.Errorf("want the name and the state whole, got\n%s", b.String())
		}
		for _, word := range strings.Fields(row[2]) {
			if !strings.Contains(b.String(), word) {
				t.Errorf("the text lacks %q:\n%s", word, b.String())
			}
		}
	}
	for width := 1; width < 60; width++ { // no width ends the program
		table := Table{Columns: columns, Screen: Screen{Width: width, Colour: true}}
		table.Add([]string{"東京東京東京", "a\nb", strings.Repeat("x", 90) + " 東京", "no"})
		if err := table.Write(&strings.Builder{}); err != nil {
			t.Fatal(err)
		}
	}
}

// A column of a low rank is hidden before a cell of a high rank is cut, and a note below the table names it; texts are wrapped instead.
func TestTable_HidesLowRanks(t *testing.T) {
	columns := []model.Column{{Header: "Tenant"}, {Header: "Network", Rank: model.RankHigh}, {Header: "Kind", Rank: model.RankLow}, {Header: "Tag", Rank: model.RankLow},
		{Header: "Subnet", Rank: model.RankHigh}, {Header: "Why", Style: "text"}}
	for width, want := range map[int]string{
		70: "Tenant   Network   Kind  Tag    Subnet           Why\n------   -------   ----  ---    ------           ---\ndefault  frontend  data  12345  10.100.200.0/24  a reason\n",
		50: "Tenant   Network   Kind  Subnet           Why\n------   -------   ----  ------           ---\ndefault  frontend  data  10.100.200.0/24  a reason\n(-o wide also shows: Tag)\n",
		42: "Tenant   Network   Subnet           Why\n------   -------   ------           ---\ndefault  frontend  10.100.200.0/24  a\n" +
			strings.Repeat(" ", 36) + "reason\n(-o wide also shows: Kind, Tag)\n",
	} {
		table := Table{Columns: columns, Screen: Screen{Width: width}}
		table.Add([]string{"default", "frontend", "data", "12345", "10.100.200.0/24", "a reason"})
		var b strings.Builder
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("width %d: want\n%s\ngot\n%s", width, want, b.String())
		}
	}
}

// States have colours on a terminal, and cells cannot control it.
func TestTable_Colours(t *testing.T) {
	table := Table{Headless: true, Columns: []model.Column{{Header: "Ready", Style: "yesno"}, {Header: "Name"}, {Header: "Verdict", Style: "state"}}, Screen: Screen{Colour: true}}
	table.Add([]string{"no", "\x1b[2Jno", "denied"})
	table.Add([]string{"yes", "b", "odd"})
	var b strings.Builder
	if err := table.Write(&b); err != nil {
		t.Fatal(err)
	}
	if want := "\x1b[31mno\x1b[0m   \uFFFD[2Jno  \x1b[31mdenied\x1b[0m\n\x1b[32myes\x1b[0m  b       odd\n"; b.String() != want {
		t.Errorf("want %q, got %q", want, b.String())
	}
	text := "ERROR    drift  host/h1\nDENIED: it is \x1b[2J refused\nOKAY no\n"
	if got, want := (Screen{Colour: true}).Text(text), "\x1b[31mERROR\x1b[0m    drift  host/h1\n\x1b[31mDENIED\x1b[0m: it is \uFFFD[2J refused\nOKAY no\n"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
	if got := (Screen{}).Text(text); strings.Contains(got, "\x1b") || !strings.HasPrefix(got, "ERROR    drift") {
		t.Errorf("without colours: got %q", got)
	}
}

// Times are in the zone of a terminal, and RFC 3339 elsewhere.
func TestTable_Times(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct {
		zone *time.Location
		want string
	}{{nil, "2030-01-02T03:04:05Z  a\nnever                 b\n"}, {berlin, "2030-01-02 04:04:05 CET  a\nnever                    b\n"}} {
		for _, cell := range []string{"2030-01-02 03:04:05", "2030-01-02T03:04:05Z"} {
			table := Table{Headless: true, Columns: []model.Column{{Header: "Time", Style: "time"}, {Header: "Name"}}, Screen: Screen{Zone: r.zone}}
			table.Add([]string{cell, "a"})
			table.Add([]string{"never", "b"})
			var b strings.Builder
			if err := table.Write(&b); err != nil || b.String() != r.want {
				t.Errorf("%s in %v: want %q, got %q, %v", cell, r.zone, r.want, b.String(), err)
			}
		}
	}
}

// locked is a buffer for two goroutines.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// The progress is on the terminal after a second, and gone before the output.
func TestProgress(t *testing.T) {
	var to locked
	ticks := make(chan time.Time)
	now := time.Unix(0, 0)
	p := StartProgress(&to, "waiting", func() time.Time { return now }, func(time.Duration) <-chan time.Time { return ticks })
	ticks <- time.Time{}
	p.Describe("waiting for h2")
	ticks <- time.Time{}
	ticks <- time.Time{} // the one before has been drawn
	p.Ending(&to).Write([]byte("done\n"))
	if got := to.String(); !strings.HasPrefix(got, "\r\x1b[Kwaiting (0 s)\r\x1b[Kwaiting for h2 (0 s)") || !strings.HasSuffix(got, "\r\x1b[Kdone\n") {
		t.Errorf("got %q", got)
	}
	p.End()
	var quick locked
	p = StartProgress(&quick, "waiting", func() time.Time { return now }, func(time.Duration) <-chan time.Time { return nil })
	p.End()
	if got := quick.String(); got != "" {
		t.Errorf("a quick command: want nothing, got %q", got)
	}
}
