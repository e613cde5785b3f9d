package enginetest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/record"
)

// AgentRules lists the rules of policies that agents get, each in a line: "group/policy:rule:tag FROM > TO PROTOCOL FLAGS ACTION PRIORITY".
// An end is the number of a group, an address and a port, those of them that count.
func (w *World) AgentRules(tb testing.TB) (out []string) {
	tb.Helper()
	items, _, err := w.Store.List(context.Background(), record.PolicyRules)
	if err != nil {
		tb.Fatal(err)
	}
	for _, it := range items {
		var r record.PolicyRule
		if err := json.Unmarshal(it.Value, &r); err != nil {
			tb.Fatal(err)
		}
		if record.PolicyRules+r.ID != it.Key || r.RuleID != r.ID {
			tb.Errorf("record %s calls itself %s and %s", it.Key, r.ID, r.RuleID)
		}
		id := strings.Split(r.ID, ":") // tenant:group:tenant:policy:tenant:policy:rule:tag
		line := fmt.Sprintf("%s/%s:%s:%s %s > %s", id[1], id[3], id[6], id[7], side(r.SrcEndpointGroup, r.SrcPort, r.SrcIPAddr, r.SrcIPv6Addr),
			side(r.DstEndpointGroup, r.DstPort, r.DstIPAddr, r.DstIPv6Addr))
		if r.IPProtocol != 0 {
			line += fmt.Sprintf(" protocol %d", r.IPProtocol)
		}
		if r.TCPFlags != "" {
			line += " " + r.TCPFlags
		}
		out = append(out, fmt.Sprintf("%s %s %d", line, r.Action, r.Priority))
	}
	return out
}

// side is one side of a rule; "any" when nothing counts.
func side(group int, port uint16, addresses ...string) string {
	var parts []string
	if group != 0 {
		parts = append(parts, fmt.Sprintf("group %d", group))
	}
	for _, a := range addresses {
		if a != "" {
			parts = append(parts, a)
		}
	}
	if port != 0 {
		parts = append(parts, fmt.Sprintf("port %d", port))
	}
	if parts == nil {
		return "any"
	}
	return strings.Join(parts, " ")
}
