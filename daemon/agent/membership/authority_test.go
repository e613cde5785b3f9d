// SPDX-License-Identifier: Apache-2.0

package membership

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// An agent trusts what netmasters trust, asks for a certificate of the authority that signs, and keeps what its own certificate needs.
func TestObey(t *testing.T) {
	dir := trust.Dir(t.TempDir())
	var all [2]*trust.Authority
	var text [2][]byte
	for i := range all {
		var err error
		if all[i], err = trust.NewAuthority(time.Now()); err != nil {
			t.Fatal(err)
		}
		if text[i], _, err = all[i].PEM(); err != nil {
			t.Fatal(err)
		}
	}
	old, next := all[0].Fingerprint(), all[1].Fingerprint()
	if err := errors.Join(dir.SaveAuthority(text[0], nil), dir.Certify(all[0], trust.Identity{Role: trust.Agent, Name: "h1"}, time.Now())); err != nil {
		t.Fatal(err)
	}
	h, err := trust.Open(dir, trust.Agent)
	if err != nil {
		t.Fatal(err)
	}
	m := &Membership{Options: Options{Trust: h, Log: slog.New(slog.DiscardHandler)}}
	both := string(text[0]) + string(text[1])
	for _, row := range []struct {
		what    string
		sent    model.Authorities
		due     bool
		refused string
		trusts  int
	}{
		{"as before", model.Authorities{Certificates: string(text[0]), Signs: old}, false, "", 1},
		{"only another", model.Authorities{Certificates: string(text[1]), Signs: next}, false, "renew its certificate first", 1},
		{"none", model.Authorities{Signs: next}, false, "no certificate", 1},
		{"one that signs and is not named", model.Authorities{Certificates: string(text[0]), Signs: next}, false, "", 1},
		{"both, and the previous one signs", model.Authorities{Certificates: both, Signs: old}, false, "", 2},
		{"both, and the next one signs", model.Authorities{Certificates: both, Signs: next}, true, "", 2},
		{"a netmaster that is behind", model.Authorities{Certificates: string(text[0]), Signs: old}, false, "", 1},
	} {
		due, err := m.obey(&row.sent)
		if due != row.due || (err == nil) != (row.refused == "") || err != nil && !strings.Contains(err.Error(), row.refused) {
			t.Errorf("%s: got %t, %v", row.what, due, err)
		}
		if has, signer := m.Proves(); len(has) != row.trusts || signer != old {
			t.Errorf("%s: got %v, %s", row.what, has, signer)
		}
	}
}
