// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"crypto/tls"
	"errors"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// replacing returns a directory of a netmaster's host, its authority, and the authority that is to replace it.
func replacing(t *testing.T) (dir Dir, old, next *Authority, certificate, key []byte) {
	t.Helper()
	dir = Dir(t.TempDir())
	var err error
	if old, err = NewAuthority(time.Now()); err != nil {
		t.Fatal(err)
	}
	if next, err = NewAuthority(time.Now()); err != nil {
		t.Fatal(err)
	}
	text, secret, err := old.PEM()
	if err == nil {
		err = errors.Join(dir.SaveAuthority(text, secret), dir.Certify(old, Identity{Master, "h1"}, time.Now(), "127.0.0.1"))
	}
	if err == nil {
		certificate, key, err = next.PEM()
	}
	if err != nil {
		t.Fatal(err)
	}
	return dir, old, next, certificate, key
}

// hello connects a client to a server, and returns the reason if one of them refuses the other.
func hello(client, server *Holder) error {
	a, b := net.Pipe()
	said := make(chan error, 1)
	go func() {
		s := tls.Server(a, server.Server(Agent))
		err := s.Handshake()
		if err == nil {
			_, err = s.Write([]byte("x")) // under TLS 1.3 the client completes its handshake first
		}
		_ = a.Close()
		said <- err
	}()
	c := tls.Client(b, client.Client(Master, ""))
	err := c.Handshake()
	if err == nil {
		_, err = c.Read(make([]byte, 1))
	}
	_ = b.Close()
	return errors.Join(err, <-said)
}

// member creates the directory of an agent that trusts the authorities of a netmaster's directory.
func member(t *testing.T, of Dir, a *Authority) *Holder {
	t.Helper()
	dir := Dir(t.TempDir())
	text, err := of.Trusted()
	if err == nil {
		err = errors.Join(dir.SaveAuthority(text, nil), dir.Certify(a, Identity{Agent, "h2"}, time.Now(), "127.0.0.1"))
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := Open(dir, Agent)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// During a replacement both sides accept certificates of both authorities; before and after it, only those of one. Each step can be
// repeated.
func TestTwoAuthorities(t *testing.T) {
	dir, old, next, certificate, key := replacing(t)
	agent := member(t, dir, old)
	newcomer := member(t, dir, old)
	if err := newcomer.Dir().Certify(next, Identity{Agent, "h3"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := newcomer.Reload(); err != nil {
		t.Fatal(err)
	}
	master, err := Open(dir, Master)
	if err != nil {
		t.Fatal(err)
	}
	if err := hello(agent, master); err != nil {
		t.Fatalf("want the agent accepted, got %v", err)
	}
	if err := hello(newcomer, master); err == nil {
		t.Error("want the next authority not to be trusted yet")
	}
	for range 2 {
		if err := dir.TrustAlso(certificate); err != nil {
			t.Fatal(err)
		}
	}
	if err := master.Reload(); err != nil || len(master.Trusted()) != 2 || master.Signer() != old.Fingerprint() {
		t.Fatalf("want two authorities, of which the previous one signs, got %v, %v", Fingerprints(master.Trusted()), err)
	}
	for name, h := range map[string]*Holder{"of the previous authority": agent, "of the next": newcomer} {
		if err := hello(h, master); err != nil {
			t.Errorf("an agent %s: want it accepted, got %v", name, err)
		}
	}
	text, err := dir.Trusted()
	if err != nil {
		t.Fatal(err)
	}
	if changed, err := agent.Adopt(text); !changed || err != nil {
		t.Errorf("want the agent to trust both, got %t, %v", changed, err)
	}
	if changed, err := agent.Adopt(text); changed || err != nil {
		t.Errorf("want nothing new, got %t, %v", changed, err)
	}
	if err := dir.TrustOnly(certificate); err == nil || !strings.Contains(err.Error(), dir.KeyFile()) {
		t.Errorf("want the previous authority kept while its key signs, got %v", err)
	}
	for range 2 {
		if err := dir.SignBy(certificate, key); err != nil {
			t.Fatal(err)
		}
	}
	if a, err := dir.Authority(); err != nil || a.Fingerprint() != next.Fingerprint() {
		t.Fatalf("want the next authority to sign, got %v, %v", a, err)
	}
	if err := dir.TrustOnly(certificate); err == nil || !strings.Contains(err.Error(), "contiv cert renew master") {
		t.Errorf("want the previous authority kept while it certifies the netmaster, got %v", err)
	}
	if err := dir.Certify(next, Identity{Master, "h1"}, time.Now(), "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	if err := master.Reload(); err != nil || master.Signer() != next.Fingerprint() {
		t.Fatalf("want a certificate of the next authority, got %v", err)
	}
	if err := hello(agent, master); err != nil {
		t.Errorf("want an agent of the previous authority to accept a netmaster of the next, got %v", err)
	}
	if changed, err := agent.Adopt(certificate); changed || err == nil || !strings.Contains(err.Error(), "renew its certificate first") {
		t.Errorf("want the agent to keep what its own certificate needs, got %t, %v", changed, err)
	}
	if err := agent.Dir().Certify(next, Identity{Agent, "h2"}, time.Now()); err != nil {
		t.Fatal(err)
	}
	if err := agent.Reload(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := dir.TrustOnly(certificate); err != nil {
			t.Fatal(err)
		}
	}
	if changed, err := agent.Adopt(certificate); !changed || err != nil {
		t.Errorf("want the agent to trust only the next authority, got %t, %v", changed, err)
	}
	if err := master.Reload(); err != nil {
		t.Fatal(err)
	}
	if err := hello(agent, master); err != nil {
		t.Errorf("want the agent accepted, got %v", err)
	}
	latecomer := member(t, dir, old)
	if err := hello(latecomer, master); err == nil {
		t.Error("want certificates of the previous authority refused")
	}
}

// Until the replacement is complete, the seal opens secrets of the previous authority, and seals with the next one.
func TestSealWhileReplaced(t *testing.T) {
	dir, _, next, certificate, key := replacing(t)
	first, err := dir.Seal()
	if err != nil {
		t.Fatal(err)
	}
	was := first.Close("place", []byte("secret"))
	if err := dir.SignBy(certificate, key); err != nil {
		t.Fatal(err)
	}
	both, err := dir.Seal()
	if err != nil || both.By() != next.Fingerprint() {
		t.Fatalf("want the seal of the next authority, got %v, %v", both, err)
	}
	if text, err := both.Open("place", was); err != nil || string(text) != "secret" {
		t.Errorf("want it opened, got %q, %v", text, err)
	}
	if _, err := both.Open("elsewhere", was); !errors.Is(err, ErrSealed) {
		t.Errorf("want it refused elsewhere, got %v", err)
	}
	now := both.Close("place", []byte("secret"))
	if err := errors.Join(dir.Certify(next, Identity{Master, "h1"}, time.Now()), dir.TrustOnly(certificate)); err != nil {
		t.Fatal(err)
	}
	last, err := dir.Seal()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := last.Open("place", was); !errors.Is(err, ErrSealed) {
		t.Errorf("want the secret of the previous authority refused, got %v", err)
	}
	if text, err := last.Open("place", now); err != nil || string(text) != "secret" {
		t.Errorf("want it opened, got %q, %v", text, err)
	}
	if _, err := os.Stat(dir.PreviousKeyFile()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("want the previous key gone, got %v", err)
	}
}
