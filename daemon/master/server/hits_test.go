package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// Inspecting a rule or a policy asks all agents for the counters, adds them up, and names who did not answer.
func TestRuleHits(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	mustPut(t, m.Policys(), &model.Policy{TenantName: "default", PolicyName: "p"})
	mustPut(t, m.Rules(), &model.Rule{TenantName: "default", PolicyName: "p", RuleId: "r1", Direction: "in", Priority: 1, Action: "deny"})
	for host, packets := range map[string]uint64{"h1": 3, "h2": 4, "h3": 0} {
		agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
			if host == "h3" || q.URL.Path != "/inspect/rules" || !strings.HasPrefix("default:p:r1", q.URL.Query().Get("of")) {
				http.Error(w, "no", http.StatusServiceUnavailable)
				return
			}
			_ = json.NewEncoder(w).Encode([]model.RuleStatus{{Rule: "default:p:r1", Group: "web:default", Phase: "done", Packets: packets, Bytes: 100 * packets}})
		}))
		defer agent.Close()
		register(t, m, host, agent.Listener.Addr().String())
	}
	rule, err := m.Rules().Inspect(t.Context(), "default", "p", "r1")
	if err != nil {
		t.Fatal(err)
	}
	if rule.Oper.Packets != 7 || rule.Oper.Bytes != 700 {
		t.Errorf("counters: want 7 and 700, got %+v", rule.Oper)
	}
	want := []string{"h1 web:default done: 3 packets, 300 bytes", "h2 web:default done: 4 packets, 400 bytes"}
	if got := rule.Oper.Hosts; len(got) != 3 || !slices.Equal(got[:2], want) || !strings.HasPrefix(got[2], "h3 ") || !strings.Contains(got[2], "503") {
		t.Errorf("hosts: want %q and that h3 did not answer, got %q", want, got)
	}
	policy, err := m.Policys().Inspect(t.Context(), "default", "p")
	if err != nil {
		t.Fatal(err)
	}
	if got := policy.Oper.Hits; len(got) != 3 || got[1] != "r1 "+want[0] || got[2] != "r1 "+want[1] {
		t.Errorf("policy: want the lines of its rule and that h3 did not answer, got %q", got)
	}
}
