// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/master/mastertest"
)

// An acknowledged finding is listed in short with the reason, in full with --all, and counts as before; the acknowledgement can be ended.
func TestAck(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(args ...string) string {
		got := netctl(t, context.Background(), m.URL, args...)
		return strings.TrimSpace(got.out + got.err)
	}
	const object = "service/default:shop"
	run("network", "create", "vip", "-s", "10.1.1.0/24")
	run("service", "create", "shop", "--network", "vip", "--selector", "tier=front", "--port", "80:8080:TCP")
	for _, row := range []struct {
		args      string
		want, not string
	}{
		{"status", "do: start containers with these labels", "acknowledged"},
		{"ack ls", "", "shop"},
		{"ack service-empty " + object + " --reason why", "--for: expected a time such as 2h", "is acknowledged"},
		{"ack service-empty " + object + " --for 2h", "reason: got 0 bytes", "is acknowledged"},
		{"ack service-empty " + object + " --for 721h --reason why", "seconds: got 2595600, want at most 2592000", "is acknowledged"},
		{"ack service-gone " + object + " --for 2h --reason why", "code: got", "is acknowledged"},
		{"ack service-empty shop --for 2h --reason why", "object: got", "is acknowledged"},
		{"ack rm service-empty " + object, "is not acknowledged", "any more"},
		{"ack service-empty " + object + " --for 2h --reason ticket-4711", "service-empty " + object + " is acknowledged until 20", ""},
		{"ack ls", "service-empty  " + object, ""},
		{"status", ": ticket-4711 (--all)", "do: start containers"},
		{"status --all", "do: start containers with these labels", "(--all)"},
		{"status -o json", `"reason": "ticket-4711"`, ""},
		{"ack rm service-empty " + object, "service-empty " + object + " is not acknowledged any more", ""},
		{"status", "do: start containers with these labels", "ticket-4711"},
	} {
		got := run(strings.Fields(row.args)...)
		if !strings.Contains(got, row.want) || row.not != "" && strings.Contains(got, row.not) {
			t.Errorf("%s: want %q and not %q, got\n%s", row.args, row.want, row.not, got)
		}
	}
	if got := netctl(t, context.Background(), m.URL, "status"); got.code != 1 {
		t.Errorf("a warning: want exit code 1, got %d", got.code)
	}
}
