// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"net/netip"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/identity"
)

// Running endpoints that contradict the store are listed with both names, and decided once.
func TestAdopt(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{})
	run := func(line string) (out, errs string, code int) {
		got := netctl(t, context.Background(), m.URL, strings.Fields(line)...)
		return got.out, got.err, got.code
	}
	if out, errs, code := run("network create n1 -s 10.1.1.0/24"); code != 0 {
		t.Fatal(out, errs)
	}
	m.Endpoint(t, "default", "n1", "", "holder", "")
	runs := record.Endpoint{ID: identity.Endpoint{Network: identity.Network{Tenant: "default", Name: "n1"}, Endpoint: "late"}, IP: netip.MustParseAddr("10.1.1.1"), Host: "h2"}
	offer := func() channel.Offered {
		out, err := m.Offer(t.Context(), channel.Offer{Host: "h2", Endpoints: []record.Endpoint{runs}})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	offer()
	if out, _, code := run("adopt ls"); code != 0 || !strings.Contains(out, "default:n1:late  h2    10.1.1.1  default:n1:holder") || !strings.Contains(out, "the store has address 10.1.1.1") {
		t.Errorf("want both names, got\n%s", out)
	}
	if out, _, _ := run("status"); !strings.Contains(out, "adoption-conflict") || !strings.Contains(out, "netctl adopt accept default:n1:late") {
		t.Errorf("want the finding with what decides it, got\n%s", out)
	}
	if out, _, code := run("adopt drop default:n1:late"); code != 0 || !strings.Contains(out, "endpoint default:n1:late on host h2 loses its network") {
		t.Errorf("drop: got %q", out)
	}
	if got := offer(); len(got.Dropped) != 1 {
		t.Errorf("want its host informed, got %+v", got)
	}
	if _, errs, code := run("adopt accept default:n1:late"); code == 0 || !strings.Contains(errs, "netctl adopt ls") {
		t.Errorf("decided already: want the remedy, got %q", errs)
	}
	runs.ID.Endpoint = "later"
	offer()
	if out, _, code := run("adopt accept default:n1:later"); code != 0 || !strings.Contains(out, "keeps its network; endpoint default:n1:holder was deleted") {
		t.Errorf("accept: got %q", out)
	}
	if out, _, _ := run("endpoint ls --network n1"); !strings.Contains(out, "later") || strings.Contains(out, "holder") {
		t.Errorf("want it in place of the other, got\n%s", out)
	}
}
