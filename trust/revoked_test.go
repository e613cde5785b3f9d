// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto/x509"
	"os"
	"testing"
	"time"
)

// A list of revoked certificates is read back. PrepareRevoked keeps a readable list, and replaces a missing or unreadable one by an
// empty list.
func TestSaveRevoked(t *testing.T) {
	dir := newStand(t).dir(Identity{Master, "m1"}, time.Now())
	read := func() (serials []string) {
		text, err := os.ReadFile(dir.RevokedFile())
		if err != nil {
			t.Fatal(err)
		}
		list, err := x509.ParseRevocationList(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range list.RevokedCertificateEntries {
			serials = append(serials, e.SerialNumber.Text(16))
		}
		return serials
	}
	prepare := func(want int) {
		t.Helper()
		if err := dir.PrepareRevoked(); err != nil {
			t.Fatal(err)
		}
		if got := read(); len(got) != want {
			t.Errorf("want %d, got %v", want, got)
		}
	}
	prepare(0)
	if err := dir.SaveRevoked([]string{"7f01", "a"}); err != nil {
		t.Fatal(err)
	}
	if got := read(); len(got) != 2 || got[0] != "7f01" || got[1] != "a" {
		t.Errorf("got %v", got)
	}
	prepare(2)
	if err := dir.SaveRevoked([]string{"no number"}); err == nil {
		t.Error("want a malformed serial refused")
	}
	if err := os.WriteFile(dir.RevokedFile(), []byte("half"), 0o644); err != nil {
		t.Fatal(err)
	}
	prepare(0)
}

// A holder reports that its own certificate is revoked, until it has another certificate.
func TestBarred(t *testing.T) {
	s := newStand(t)
	h := s.holder(Master, "m1")
	h.Revoke([]string{"1"})
	if got := h.RevokedReason(); got != "" {
		t.Errorf("got %q", got)
	}
	h.Revoke([]string{"1", Serial(h.Certificate())})
	if got := h.RevokedReason(); got == "" {
		t.Error("want the holder to know")
	}
	if err := h.Dir().SavePair(Master, s.pair(h.Identity(), time.Now())); err != nil {
		t.Fatal(err)
	}
	if err := h.Reload(); err != nil {
		t.Fatal(err)
	}
	if got := h.RevokedReason(); got != "" {
		t.Errorf("with another certificate: got %q", got)
	}
}
