// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/trust"
)

// leads is a leader that lists certificates, or does not answer.
type leads struct {
	listed   []model.CertificateInfo
	recorded []string
	err      error
}

func (l *leads) Certificates(context.Context) ([]model.CertificateInfo, error) {
	return l.listed, l.err
}

func (l *leads) RecordCertificates(_ context.Context, q model.RecordRequest) error {
	l.recorded = append(l.recorded, q.Certificates)
	return l.err
}

// The user's certificate on a netmaster's host is renewed when half of its time is over, after its end too, and not when it is revoked or the leader is silent.
func TestRenewUser(t *testing.T) {
	issued := time.Now().Add(-trust.Lifetime - time.Hour)
	a, err := trust.NewAuthority(issued)
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	admin := trust.Identity{Role: trust.User, Name: "admin"}
	for name, row := range map[string]struct {
		at   time.Time
		do   func(*leads, string)
		want string // of the error, or "renewed"; "": nothing is done
	}{
		"not due":       {at: issued.Add(trust.Lifetime / 4)},
		"due":           {at: issued.Add(trust.Lifetime / 2), want: "renewed"},
		"ended":         {at: issued.Add(2 * trust.Lifetime), want: "renewed"},
		"revoked":       {at: issued.Add(trust.Lifetime), do: func(l *leads, serial string) { l.listed = []model.CertificateInfo{{Serial: serial, Revoked: issued}} }, want: "is revoked"},
		"silent leader": {at: issued.Add(trust.Lifetime), do: func(l *leads, _ string) { l.err = errors.New("no leader answers") }, want: "no leader answers"},
	} {
		t.Run(name, func(t *testing.T) {
			dir, l := trust.Dir(t.TempDir()), &leads{}
			if err := errors.Join(dir.SaveAuthority(certificate, key), dir.Certify(a, admin, issued)); err != nil {
				t.Fatal(err)
			}
			held, err := trust.Open(dir, trust.User)
			if err != nil {
				t.Fatal(err)
			}
			serial := trust.Serial(held.Certificate())
			if row.do != nil {
				row.do(l, serial)
			}
			until, err := renewUser(t.Context(), dir, l, row.at)
			if rerr := held.Reload(); rerr != nil {
				t.Fatal(rerr)
			}
			renewed := trust.Serial(held.Certificate()) != serial
			switch {
			case row.want == "renewed":
				if err != nil || !renewed || len(l.recorded) != 1 || !until.Equal(held.Certificate().NotAfter) || !until.After(row.at) {
					t.Errorf("want it renewed and listed, got %v, renewed %t, listed %d, until %s", err, renewed, len(l.recorded), until)
				}
			case renewed || len(l.recorded) > 0 || !until.IsZero() || (err != nil) != (row.want != "") || err != nil && !strings.Contains(err.Error(), row.want):
				t.Errorf("want the certificate as it was and an error with %q, got %v, renewed %t", row.want, err, renewed)
			}
		})
	}
	if until, err := renewUser(t.Context(), trust.Dir(t.TempDir()), &leads{}, time.Now()); err != nil || !until.IsZero() {
		t.Errorf("no certificate of a user: want nothing done, got %s, %v", until, err)
	}
}
