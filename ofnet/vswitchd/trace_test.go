// SPDX-License-Identifier: Apache-2.0

package vswitchd_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/ofnet/flow"
	"github.com/contiv/contiv/ofnet/vswitchd"
)

func readTrace(tb testing.TB, name string) string {
	tb.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".txt"))
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// Each text is what Open vSwitch printed.
func TestParseTrace(t *testing.T) {
	rows := []struct {
		name   string
		tables []flow.TableID
		ports  []uint32
		end    map[string]string
		last   vswitchd.Step
	}{
		{"tunnel", []flow.TableID{0, 4, 8, 12, 14, 16, 18, 20, 22, 24, 26, 28, 32, 40, 42, 44, 46, 50}, []uint32{1000},
			map[string]string{"tun_dst": "192.168.251.1", "nw_dst": "10.1.1.1", "tp_dst": "8080"},
			vswitchd.Step{Table: 50, Cookie: 0xc018d398cd92c69, Actions: []string{"output:NXM_NX_REG5[]"}}},
		{"allow", []flow.TableID{0, 2, 8, 16, 18, 20, 22, 24, 26, 28, 32, 40, 42, 44, 46, 50}, []uint32{1}, map[string]string{"reg7": "0xc502a93f"},
			vswitchd.Step{Table: 50, Cookie: 0xc01ec6fd44474a6, Actions: []string{"output:NXM_NX_REG5[]"}}},
		{"deny", []flow.TableID{0, 2, 8, 16, 18, 20, 22, 24, 26, 28, 32, 40, 42, 44, 48}, nil, map[string]string{"ct_state": "new|trk"},
			vswitchd.Step{Table: 48, Cookie: 0x601ec6fd44474a6, Actions: []string{"drop"}}},
		{"router", []flow.TableID{0, 4, 8, 12, 14}, []uint32{1}, map[string]string{"nw_dst": "10.1.1.1", "icmp_type": "0"},
			vswitchd.Step{Table: 14, Priority: 100, Cookie: 0x5019debaceba8fe, Match: "icmp,reg0=0x1/0x1,reg1=0x10001,nw_dst=10.1.1.254,icmp_type=8",
				Actions: []string{"move:NXM_OF_ETH_SRC[]->NXM_OF_ETH_DST[]", "set_field:00:00:11:11:11:11->eth_src", "move:NXM_OF_IP_DST[]->NXM_NX_REG7[]",
					"move:NXM_OF_IP_SRC[]->NXM_OF_IP_DST[]", "move:NXM_NX_REG7[]->NXM_OF_IP_SRC[]", "set_field:0->icmp_type", "mod_nw_ttl:64", "IN_PORT"}}},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got, err := vswitchd.ParseTrace(readTrace(t, r.name), "contiv0")
			if err != nil {
				t.Fatal(err)
			}
			var tables []flow.TableID
			for i := range got.Steps {
				tables = append(tables, got.Steps[i].Table)
			}
			if !slices.Equal(tables, r.tables) {
				t.Errorf("tables: want %v, got %v", r.tables, tables)
			}
			if !slices.Equal(got.Ports, r.ports) {
				t.Errorf("ports: want %v, got %v", r.ports, got.Ports)
			}
			for field, want := range r.end {
				if got.End[field] != want {
					t.Errorf("%s at the end: want %q, got %q", field, want, got.End[field])
				}
			}
			last := got.Steps[len(got.Steps)-1]
			if last.Table != r.last.Table || last.Cookie != r.last.Cookie || last.Match != r.last.Match || last.Priority != r.last.Priority ||
				!slices.Equal(last.Actions, r.last.Actions) {
				t.Errorf("last step: want %+v, got %+v", r.last, last)
			}
		})
	}
}

func TestParseTraceRefuses(t *testing.T) {
	for _, text := range []string{"", "no such bridge", "Flow: tcp,in_port=1\n\nbridge(\"other\")\n---\n 0. priority 0\n    drop\n",
		"Flow: tcp\nbridge(\"contiv0\")\n999. priority 0\n", "Flow: tcp\nbridge(\"contiv0\")\n 0. priority 99999\n"} {
		if got, err := vswitchd.ParseTrace(text, "contiv0"); err == nil {
			t.Errorf("%q: want an error, got %+v", text, got)
		}
	}
}

func TestParseTraceMissesAndCopies(t *testing.T) {
	got, err := vswitchd.ParseTrace("Flow: tcp,in_port=3\n\nbridge(\"contiv0\")\n---\n 0. in_port=3, priority 5, cookie 0x1\n    output:2\n    output:3\n"+
		"     >> skipping output to input port\n    output:4\n    resubmit(,9)\n 9. No match.\n    drop\n\nFinal flow: unchanged\nDatapath actions: 2,4\n", "contiv0")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.Ports, []uint32{2, 4}) || len(got.Steps) != 2 || !got.Steps[1].Missing || got.Steps[1].Table != 9 || got.End["in_port"] != "3" {
		t.Errorf("want ports 2 and 4 and a miss in table 9, got %+v", got)
	}
}

func FuzzParseTrace(f *testing.F) {
	for _, name := range []string{"tunnel", "allow", "deny", "router"} {
		f.Add(readTrace(f, name))
	}
	f.Add("Flow: tcp,,=x,in_port=\nbridge(\"contiv0\")\n 0. priority 1, cookie 0x\nIN_PORT\n")
	f.Fuzz(func(t *testing.T, text string) {
		got, err := vswitchd.ParseTrace(text, "contiv0")
		if err == nil && (len(got.Steps) == 0 || got.Start == nil || len(got.Ports) > strings.Count(text, "\n")+1) {
			t.Errorf("want steps, a packet and as many ports as lines at most, got %+v", got)
		}
	})
}
