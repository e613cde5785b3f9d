// SPDX-License-Identifier: Apache-2.0

package trust_test

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/contiv/contiv/trust"
)

func sealOf(tb testing.TB, a *trust.Authority) *trust.Seal {
	tb.Helper()
	s, err := a.Seal()
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// A secret that one netmaster seals can be opened by another one with the same authority, and not with another authority or for
// another place.
func TestSeal(t *testing.T) {
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	certificate, key, err := a.PEM()
	if err != nil {
		t.Fatal(err)
	}
	read, err := trust.ParseAuthority(certificate, key)
	if err != nil {
		t.Fatal(err)
	}
	first, second, other := sealOf(t, a), sealOf(t, read), sealOf(t, foreign)
	sealed := first.Close("ldap", []byte("searching"))
	if bytes.Contains(sealed, []byte("searching")) || bytes.Equal(sealed, first.Close("ldap", []byte("searching"))) {
		t.Error("the secret shows")
	}
	if got, err := second.Open("ldap", sealed); err != nil || string(got) != "searching" || second.By() != first.By() {
		t.Errorf("another netmaster: got %q, %v", got, err)
	}
	if _, err := other.Open("ldap", sealed); !errors.Is(err, trust.ErrSealed) || other.By() == first.By() {
		t.Errorf("another authority: %v", err)
	}
	if _, err := second.Open("oidc", sealed); !errors.Is(err, trust.ErrSealed) {
		t.Errorf("another place: %v", err)
	}
}

// Open accepts only values that Close has sealed.
func FuzzSeal(f *testing.F) {
	a, err := trust.NewAuthority(time.Now())
	if err != nil {
		f.Fatal(err)
	}
	s := sealOf(f, a)
	right := s.Close("ldap", []byte("searching"))
	f.Add([]byte{})
	f.Add(right[:len(right)-1])
	f.Add(bytes.Clone(right))
	f.Fuzz(func(t *testing.T, sealed []byte) {
		if got, err := s.Open("ldap", sealed); err == nil && !bytes.Equal(sealed, right) {
			t.Errorf("%x opens as %q", sealed, got)
		}
	})
}
