// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

func TestWhy(t *testing.T) {
	var asked string
	answer := model.Why{From: model.WhyEnd{Name: "db", Kind: "endpoint", Object: "n.t-db", Address: "10.1.1.2", Host: "h2"},
		To:       model.WhyEnd{Name: "group/web", Kind: "endpoint", Object: "n.t-web", StandsIn: true, Address: "10.1.1.1", Host: "h1"},
		Protocol: "tcp", Port: 80, Text: "rule t:p:r denies tcp 80; the switches agree.", Intent: model.WhyIntent{Verdict: "denied", Text: "rule t:p:r denies tcp 80"},
		Forward: model.WhyPath{Verdict: "denied", Hops: []model.WhyHop{{Host: "h2", Text: "sends it"}, {Host: "h1", Text: "drops it",
			Steps: []model.TraceStep{{Table: "policy_in", Priority: 7, Match: "tcp", Does: "drop", Owner: "rule/r"}}}}}, Next: "netctl history rule t:p:r",
		Changed: &model.WhyChange{Kind: "rule", Key: "t:p:r", Verb: "update", By: model.Actor{Proved: "ann", Proof: "session"}, At: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)}}
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked = q.URL.RawQuery
		if q.URL.Query().Get("from") == "absent" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_ = json.NewEncoder(w).Encode(answer)
	}))
	defer master.Close()
	const printed = "DENIED: rule t:p:r denies tcp 80; the switches agree.\n\n" +
		"from     endpoint n.t-db, 10.1.1.2, on h2\nto       endpoint n.t-web, standing in for group web, 10.1.1.1, on h1\n" +
		"traffic  tcp 80\nobjects  denied: rule t:p:r denies tcp 80\nthere    h2 sends it\n         h1 drops it\n"
	const end = "sent     no packet: objects and switches were queried\nchanged  last rule t:p:r, update by ann (session) at 2030-01-02T03:04:05Z\nnext     netctl history rule t:p:r\n"
	rows := []struct {
		line    string
		verdict model.Verdict
		code    int
		asked   string
		out     string
	}{
		{"why db group/web tcp 80", "denied", 11, "from=db&port=80&protocol=tcp&to=group%2Fweb", printed + end},
		{"why db group/web 80 --steps", "denied", 11, "from=db&port=80&to=group%2Fweb", printed + "             policy_in      7  tcp: drop  [rule/r]\n" + end},
		{"why db group/web 80 --all --probe -o jsonpath={.next}", "denied", 11, "all=true&from=db&port=80&probe=true&to=group%2Fweb", "netctl history rule t:p:r\n"},
		{"why db web -o jsonpath={.intent.verdict}", "allowed", 0, "from=db&to=web", "denied\n"},
		{"why db web udp 53 -t acme -n blue -o jsonpath={.port}", "disagree", 12, "from=db&network=blue&port=53&protocol=udp&tenant=acme&to=web", "80\n"},
		{"why db web icmp -o jsonpath={.port}", "unknown", 13, "from=db&protocol=icmp&to=web", "80\n"},
		{"why absent web -o json", "denied", 3, "from=absent&to=web", ""},
		{"why absent web", "denied", 3, "from=absent&to=web", ""},
		{"why db web 80 --at 7 --probe", "", 1, "", ""},
		{"why db web 80 --at never", "", 1, "", ""},
		{"why db", "", 1, "", ""},
		{"why db web tcp udp", "", 1, "", ""},
	}
	for _, r := range rows {
		answer.Verdict, asked = r.verdict, ""
		got := netctl(t, context.Background(), master.URL, strings.Fields(r.line)...)
		if got.code != r.code || asked != r.asked || r.out != "" && got.out != r.out {
			t.Errorf("%s: want %d, %q and\n%s\ngot %d, %q and\n%s%s", r.line, r.code, r.asked, r.out, got.code, asked, got.out, got.err)
		}
		if failed := r.code == 1 || strings.Contains(r.line, "absent"); (got.err != "") != failed {
			t.Errorf("%s: an answer, whatever it is, is no error: want errors %v, got %q", r.line, failed, got.err)
		}
	}
}

func TestDrift(t *testing.T) {
	now := []model.Difference{{At: "T2", Kind: "flow", Table: "bridge", Owner: "endpoint/e", What: "removed: any packet", Want: "f"}}
	found := []model.Difference{{At: "T1", Kind: "group", What: "added", Was: "g"}}
	master := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.URL.Path == "/api/v1/nodes":
			_ = json.NewEncoder(w).Encode([]model.Node{{Name: "m", Role: model.RoleLeader}, {Name: "h1", Role: model.RoleAgent}})
		case q.URL.Path == "/api/v1/agents/h1/drift" && q.Method == http.MethodPost:
			_ = json.NewEncoder(w).Encode(model.Drift{Host: "h1", Found: found})
		case q.URL.Path == "/api/v1/agents/h1/drift":
			_ = json.NewEncoder(w).Encode(model.Drift{Host: "h1", Now: now, Found: found})
		default:
			http.NotFound(w, q)
		}
	}))
	defer master.Close()
	const both = "Host  When   At  Kind         Owner       What\n----  ----   --  ----         -----       ----\n" +
		"h1    found  T1  group        none        added\nh1    now    T2  flow bridge  endpoint/e  removed: any packet\n"
	rows := []struct {
		line string
		code int
		out  string
	}{
		{"drift", 10, both}, {"drift h1", 10, both},
		{"drift h1 --repair", 0, "Host  When   At  Kind   Owner  What\n----  ----   --  ----   -----  ----\nh1    found  T1  group  none   added\n"},
		{"drift -o jsonpath={[0].now[0].want}", 10, "f\n"}, {"drift h2", 3, ""}, {"drift h1 h2", 1, ""},
	}
	for _, r := range rows {
		got := netctl(t, context.Background(), master.URL, strings.Fields(r.line)...)
		if got.code != r.code || r.out != "" && got.out != r.out {
			t.Errorf("%s: want %d and\n%s\ngot %d and\n%s%s", r.line, r.code, r.out, got.code, got.out, got.err)
		}
	}
}

// The verdict about an earlier moment is that of its objects, with its exit code, and the answer names the moment.
func TestWhyAt(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	m.Must(t, "network n1 encap=vxlan subnet=10.1.1.0/24", "policy p", "rule p:1 direction=in protocol=tcp port=5432 action=deny priority=1", "group db networkName=n1 policies=p",
		"attach n1 web1", "attach n1 db1 group=db")
	then := strconv.FormatUint(uint64(m.Catalog.Revision()), 10)
	m.Must(t, "rm rule p:1", "detach n1 web1", "detach n1 db1")
	for _, row := range []struct {
		line string
		code int
		want []string
	}{
		{"why web1 db 5432 --at " + then, 11, []string{"DENIED: By the objects of ", "rule default:p:1 denies tcp 5432. The switches of that moment cannot be asked.", "standing in for group db",
			"sent     no packet: only the objects of ", "next     netctl history rule default:p:1"}},
		{"why web1 db1 80 --at " + then, 0, []string{"ALLOWED: By the objects of "}},
		{"why web1 web1 80 --at " + then, 13, []string{"UNKNOWN: "}},
		{"why web1 db1 5432 --at " + then + " -o jsonpath={.verdict},{.intentOnly},{.intent.in}", 11, []string{"denied,true,default:p:1"}},
		{"why web1 db1 5432", 3, nil},
	} {
		got := netctl(t, t.Context(), m.URL, strings.Fields(row.line)...)
		if got.code != row.code {
			t.Errorf("%s: want exit %d, got %+v", row.line, row.code, got)
		}
		for _, want := range row.want {
			if !strings.Contains(got.out, want) {
				t.Errorf("%s: want %q, got %s", row.line, want, got.out)
			}
		}
	}
}
