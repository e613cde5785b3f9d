// SPDX-License-Identifier: Apache-2.0

package hostcheck

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

func TestIntegrity(t *testing.T) {
	now := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC)
	ago := func(d time.Duration, what string) model.Difference {
		return model.Difference{At: now.Add(-d).Format(time.RFC3339), What: what, Kind: "flow"}
	}
	address := model.Difference{At: now.Format(time.RFC3339), What: "removed: 10.1.1.1/32 of contivh0", Kind: "address"}
	for _, row := range []struct {
		name    string
		drift   *ovsdb.BridgeDrift
		changed []model.Difference
		want    string // code, severity and part of the evidence; "": nothing
	}{
		{"all is well", nil, nil, ""},
		{"no bridge", &ovsdb.BridgeDrift{Gone: true}, nil, "bridge-missing error cut off"},
		{"an open bridge", &ovsdb.BridgeDrift{Open: true, Was: []string{"fail_mode="}}, nil, "bridge-open error fail_mode="},
		{"a controller", &ovsdb.BridgeDrift{Was: []string{"controllers=1"}, Want: []string{"controllers="}}, nil, "bridge-changed warning got controllers=1, want controllers="},
		{"repaired", nil, []model.Difference{ago(time.Hour, "old"), ago(30*time.Second, "removed: nftables table inet contiv-guard"), ago(time.Second, "changed: setting net.ipv4.ip_forward")},
			"changed-by-others warning 2 times, and it has restored it; the last: changed: setting net.ipv4.ip_forward"},
		{"repaired long ago", nil, []model.Difference{ago(2*time.Minute, "old")}, ""},
		{"an address", nil, []model.Difference{ago(2*time.Minute, "old"), address}, "changed-by-others note 1 times"},
	} {
		i := &Integrity{Host: "h1", Bridge: "contiv0", Changed: func() []model.Difference { return row.changed }, Now: func() time.Time { return now },
			Drift: func() (ovsdb.BridgeDrift, bool) {
				if row.drift == nil {
					return ovsdb.BridgeDrift{}, false
				}
				return *row.drift, true
			}}
		single(t, row.name, i.Check().Look(t.Context()), row.want)
	}
}

func TestOverlap(t *testing.T) {
	subnet := netip.MustParsePrefix("172.19.0.0/16")
	for _, row := range []struct {
		name    string
		private []netip.Prefix
		list    []link.Claimed
		err     error
		want    string
	}{
		{"hosts do not meet containers", nil, []link.Claimed{{Prefix: subnet, Dev: "br-1", Within: subnet}}, nil, ""},
		{"the subnet is free", []netip.Prefix{subnet}, nil, nil, ""},
		{"Docker has it", []netip.Prefix{subnet}, []link.Claimed{{Prefix: subnet, Dev: "br-1", Within: subnet}}, nil, "private-overlap error also behind br-1 (172.19.0.0/16)"},
		{"not read", []netip.Prefix{subnet}, nil, errors.New("no netlink"), "overlap-unknown unknown no netlink"},
	} {
		o := &Overlap{Host: "h1", Private: func() []netip.Prefix { return row.private }, Find: func(...netip.Prefix) ([]link.Claimed, error) { return row.list, row.err }}
		single(t, row.name, o.Check().Look(t.Context()), row.want)
	}
}

// single compares what a check has found with the code and severity of one finding and a part of its evidence; "" is none.
func single(t *testing.T, name string, got []model.Finding, want string) {
	t.Helper()
	if want == "" {
		if len(got) > 0 {
			t.Errorf("%s: want no finding, got %+v", name, got)
		}
		return
	}
	words := strings.SplitN(want, " ", 3)
	if len(got) != 1 || got[0].Code.String() != words[0] || string(got[0].Severity) != words[1] || !strings.Contains(got[0].Evidence, words[2]) || got[0].Remedy == "" {
		t.Errorf("%s: want %s, got %+v", name, want, got)
	}
}
