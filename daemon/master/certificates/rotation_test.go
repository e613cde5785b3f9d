// SPDX-License-Identifier: Apache-2.0

package certificates

import (
	"context"
	"errors"
	"log/slog"
	"testing"
	"time"

	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// A netmaster's host carries out each phase, also one that it has missed the phase before of, and once only.
func TestRotator(t *testing.T) {
	dir := trust.Dir(t.TempDir())
	old, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	next, err := trust.NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	text, secret, err := old.PEM()
	certificate, key, wrong := next.PEM()
	err = errors.Join(err, wrong, dir.SaveAuthority(text, secret), dir.Certify(old, trust.Identity{Role: trust.Master, Name: "h1"}, time.Now(), "127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	holder, err := trust.Open(dir, trust.Master)
	if err != nil {
		t.Fatal(err)
	}
	seal, err := dir.Seal()
	if err != nil {
		t.Fatal(err)
	}
	resealed := 0
	c := &Own{Holder: holder, Internal: "127.0.0.1:1"}
	r := &rotator{Own: c, log: slog.New(slog.DiscardHandler), reseal: func(context.Context) error { resealed++; return nil }}
	now := record.Rotation{From: old.Fingerprint(), To: next.Fingerprint(), Certificate: string(certificate), Key: seal.Close(record.RotationKey, key)}
	at := time.Now()
	signs := func() string {
		a, err := dir.Authority()
		if err != nil {
			t.Fatal(err)
		}
		return a.Fingerprint()
	}
	r.follow(t.Context(), nil, at)
	now.Phase = record.PhaseTrust
	for range 2 {
		r.follow(t.Context(), &now, at)
	}
	if len(holder.Trusted()) != 2 || signs() != now.From || r.done == "" {
		t.Errorf("want both trusted, and the previous one to sign, got %d, %s, %s", len(holder.Trusted()), signs(), r.failed)
	}
	now.Phase = record.PhaseSign
	r.follow(t.Context(), &now, at)
	if signs() != now.To || resealed != 0 {
		t.Errorf("want the next one to sign, and secrets sealed once other netmasters have it too, got %s, %d", signs(), resealed)
	}
	r.follow(t.Context(), &now, at.Add(rotationPause))
	if resealed != 1 || holder.Signer() != now.To {
		t.Errorf("want secrets sealed, and a certificate of the next authority, got %d, %s", resealed, holder.Signer())
	}
	now.Phase, now.Key = record.PhaseFinish, nil
	r.follow(t.Context(), &now, at.Add(time.Minute))
	if len(holder.Trusted()) != 1 || holder.Signer() != now.To || r.failed != "" {
		t.Errorf("want only the next one trusted, got %d, %s, %s", len(holder.Trusted()), holder.Signer(), r.failed)
	}
	now.Phase = "later"
	r.follow(t.Context(), &now, at.Add(time.Minute))
	if r.failed == "" {
		t.Error("got no failure, want an error for an unknown phase")
	}
}
