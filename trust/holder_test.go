// SPDX-License-Identifier: Apache-2.0

package trust

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// stand is an authority and creates directories with certificates that it has issued.
type stand struct {
	*testing.T
	authority *Authority
}

func newStand(t *testing.T) stand {
	t.Helper()
	a, err := NewAuthority(time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return stand{t, a}
}

// dir returns a new directory with a certificate of who, issued at a time, with the usual lifetime.
func (s stand) dir(who Identity, at time.Time) Dir {
	s.Helper()
	d := Dir(s.TempDir())
	certificate, _, err := s.authority.PEM()
	if err == nil {
		err = d.SaveAuthority(certificate, nil)
	}
	if err == nil {
		err = d.SavePair(who.Role, s.pair(who, at))
	}
	if err != nil {
		s.Fatal(err)
	}
	return d
}

func (s stand) pair(who Identity, at time.Time) []byte {
	s.Helper()
	r, err := NewRequest("127.0.0.1", "localhost")
	if err != nil {
		s.Fatal(err)
	}
	c, err := s.authority.Issue(r, who, at, Lifetime)
	if err != nil {
		s.Fatal(err)
	}
	pair, err := r.Pair(CertificatePEM(c))
	if err != nil {
		s.Fatal(err)
	}
	return pair
}

func (s stand) holder(role Role, name string) *Holder {
	s.Helper()
	return s.open(s.dir(Identity{role, name}, time.Now()), role)
}

func (s stand) open(d Dir, role Role) *Holder {
	s.Helper()
	h, err := Open(d, role)
	if err != nil {
		s.Fatal(err)
	}
	return h
}

// meet connects a client and a server, and has each send one byte. It returns the error of each end, and the identity that the
// server sees.
func meet(t *testing.T, server, client *tls.Config) (who Identity, ofServer, ofClient error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	done := make(chan error, 1)
	go func() {
		nc, err := l.Accept()
		if err == nil {
			c := tls.Server(nc, server)
			defer func() { _ = c.Close() }()
			if err = c.Handshake(); err == nil {
				state := c.ConnectionState()
				who, _ = Peer(&state)
				_, err = c.Write([]byte("x"))
			}
		}
		done <- err
	}()
	c, err := tls.Dial("tcp", l.Addr().String(), client)
	if err == nil {
		_, err = io.ReadFull(c, make([]byte, 1))
		_ = c.Close()
	}
	ofServer = <-done
	return who, ofServer, err
}

func TestMeet(t *testing.T) {
	s, other := newStand(t), newStand(t)
	master, agent := s.holder(Master, "m1"), s.holder(Agent, "h1")
	old := s.open(s.dir(Identity{Agent, "h1"}, time.Now().Add(-2*Lifetime)), Agent)
	early := s.open(s.dir(Identity{Agent, "h1"}, time.Now().Add(2*Lifetime)), Agent)
	revoked := s.holder(Agent, "h2")
	master.Revoke([]string{Serial(revoked.Certificate())})
	defer master.Revoke(nil)
	for name, c := range map[string]struct {
		server, client             *tls.Config
		wantServer, wantClient, as string
	}{
		"agent to master":                    {master.Server(), agent.Client(Master, ""), "", "", "spiffe://contiv/agent/h1"},
		"master to agent":                    {agent.Server(Master), master.Client(Agent, "h1"), "", "", "spiffe://contiv/master/m1"},
		"another agent answers":              {agent.Server(Master), master.Client(Agent, "h2"), "bad certificate", "got spiffe://contiv/agent/h1, want spiffe://contiv/agent/h2", ""},
		"agent to agent":                     {agent.Server(Master), agent.Client(Agent, ""), "agent/h1 does not have the role master", "bad certificate", ""},
		"agent as master":                    {agent.Server(), agent.Client(Master, ""), "bad certificate", "got spiffe://contiv/agent/h1, want", ""},
		"user as a server":                   {s.holder(User, "ann").Server(), agent.Client(Master, ""), "bad certificate", "not valid here", ""},
		"visitor":                            {master.Server(), Visitor(s.trusted()), "", "", ""},
		"visitor where roles are":            {agent.Server(Master), &tls.Config{InsecureSkipVerify: true}, "didn't provide a certificate", "certificate required", ""},
		"visitor of another cluster":         {master.Server(), Visitor(other.trusted()), "bad certificate", "not certified by this cluster's authority", ""},
		"agent of another cluster":           {master.Server(), other.holder(Agent, "h1").clientUnchecked(), "unknown authority", "unknown certificate authority", ""},
		"expired certificate":                {master.Server(), old.Client(Master, ""), "expired", "expired certificate", ""},
		"expired certificate of the server":  {old.Server(), master.Client(Agent, ""), "bad certificate", "expired at", ""},
		"server's certificate not yet valid": {early.Server(), master.Client(Agent, ""), "bad certificate", "set the clock", ""},
		"revoked certificate":                {master.Server(), revoked.Client(Master, ""), "is revoked", "bad certificate", ""},
		"pinned":                             {master.Server(), Pinned(s.authority.Fingerprint(), func(*x509.Certificate) {}), "", "", ""},
		"pinned, another cluster":            {master.Server(), Pinned(other.authority.Fingerprint(), func(*x509.Certificate) { t.Error("trusted") }), "bad certificate", "another cluster than the token", ""},
		"pinned, an agent as netmaster":      {agent.Server(), Pinned(s.authority.Fingerprint(), func(*x509.Certificate) { t.Error("trusted") }), "bad certificate", "does not have the role master", ""},
	} {
		who, ofServer, ofClient := meet(t, c.server, c.client)
		for end, e := range map[string]struct {
			err  error
			want string
		}{"server": {ofServer, c.wantServer}, "client": {ofClient, c.wantClient}} {
			if (e.err == nil) != (e.want == "") || e.err != nil && !strings.Contains(e.err.Error(), e.want) {
				t.Errorf("%s: %s: want %q, got %v", name, end, e.want, e.err)
			}
		}
		if c.as != "" && who.String() != c.as {
			t.Errorf("%s: want %s, got %s", name, c.as, who)
		}
	}
}

func (s stand) trusted() []*x509.Certificate { return []*x509.Certificate{s.authority.certificate} }

// clientUnchecked returns a client configuration that shows a certificate to any server.
func (h *Holder) clientUnchecked() *tls.Config {
	return &tls.Config{InsecureSkipVerify: true, Certificates: []tls.Certificate{h.current().pair}}
}

// Refused explains a TLS alert with what this end knows.
func TestRefused(t *testing.T) {
	s := newStand(t)
	master := s.holder(Master, "m1")
	old := s.open(s.dir(Identity{Agent, "h1"}, time.Now().Add(-2*Lifetime)), Agent)
	_, _, err := meet(t, master.Server(), old.Client(Master, ""))
	if got := old.Refused(err); got == nil || !strings.Contains(got.Error(), "compare the clocks") || !errors.Is(got, err) {
		t.Errorf("want the clocks to be compared, got %v", got)
	}
	if got := old.Refused(io.EOF); got != io.EOF {
		t.Errorf("want another error to stay as it is, got %v", got)
	}
}

// Revoking a certificate closes its connections, and no others.
func TestRevokeEnds(t *testing.T) {
	s := newStand(t)
	master, bad, good := s.holder(Master, "m1"), s.holder(Agent, "bad"), s.holder(Agent, "good")
	plain, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := tls.NewListener(master.Listen(plain), master.Server())
	defer func() { _ = l.Close() }()
	go func() {
		for {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(nc, nc) }()
		}
	}()
	var open [2]*tls.Conn
	for i, h := range []*Holder{bad, good} {
		if open[i], err = tls.Dial("tcp", plain.Addr().String(), h.Client(Master, "m1")); err == nil {
			err = echo(open[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	master.Revoke([]string{Serial(bad.Certificate())})
	if err := echo(open[0]); err == nil {
		t.Error("want the revoked certificate's connection to be closed")
	}
	if err := echo(open[1]); err != nil {
		t.Errorf("want the other to stay, got %v", err)
	}
}

// Revoking a server's certificate closes the connections that a holder has made to it.
func TestRevokeEndsOwn(t *testing.T) {
	s := newStand(t)
	agent, bad, good := s.holder(Agent, "h1"), s.holder(Master, "bad"), s.holder(Master, "good")
	dial := agent.Dialer((&net.Dialer{}).DialContext, agent.Client(Master, ""))
	var open [2]net.Conn
	var at [2]string
	for i, h := range []*Holder{bad, good} {
		l, err := tls.Listen("tcp", "127.0.0.1:0", h.Server(Agent))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		go func() {
			for {
				nc, err := l.Accept()
				if err != nil {
					return
				}
				go func() { _, _ = io.Copy(nc, nc) }()
			}
		}()
		at[i] = l.Addr().String()
		if open[i], err = dial(t.Context(), "tcp", at[i]); err == nil {
			err = echo(open[i])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	agent.Revoke([]string{Serial(bad.Certificate())})
	if err := echo(open[0]); err == nil {
		t.Error("want the connection to the holder of a revoked certificate closed")
	}
	if err := echo(open[1]); err != nil {
		t.Errorf("want the other to stay, got %v", err)
	}
	if _, err := dial(t.Context(), "tcp", at[0]); err == nil || !strings.Contains(err.Error(), "is revoked") {
		t.Errorf("want another connection to be refused, got %v", err)
	}
	for _, c := range open {
		_ = c.Close()
	}
	if len(agent.open) != 0 {
		t.Errorf("want closed connections forgotten, got %d", len(agent.open))
	}
}

// echo sends a byte and expects it back.
func echo(c net.Conn) error {
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	if _, err := c.Write([]byte("x")); err != nil {
		return err
	}
	_, err := io.ReadFull(c, make([]byte, 1))
	return err
}

// Changed files are in use without a restart; an unreadable file changes nothing.
func TestReload(t *testing.T) {
	s := newStand(t)
	h := s.holder(Agent, "h1")
	before := Serial(h.Certificate())
	if err := os.WriteFile(h.dir.PairFile(Agent), []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := h.Reload(); err == nil || Serial(h.Certificate()) != before {
		t.Errorf("want an error and the previous certificate, got %v", err)
	}
	if err := h.dir.SavePair(Agent, s.pair(Identity{Agent, "h1"}, time.Now())); err != nil {
		t.Fatal(err)
	}
	if err := h.Reload(); err != nil || Serial(h.Certificate()) == before {
		t.Errorf("want the new certificate, got %v", err)
	}
	if _, err := Open(Dir(t.TempDir()), Agent); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "contiv join") {
		t.Errorf("want the remedy, got %v", err)
	}
}

// A holder renews after half of the lifetime, and retries after a failure.
func TestRenew(t *testing.T) {
	s := newStand(t)
	d := s.dir(Identity{Agent, "h1"}, time.Now())
	synctest.Test(t, func(t *testing.T) {
		h, err := Open(d, Agent)
		if err != nil {
			t.Fatal(err)
		}
		h.now = time.Now
		a, err := NewAuthority(time.Now())
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewRequest("h1.example.org", "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		sign := func(_ context.Context, r *Request) ([]byte, error) {
			c, err := a.Issue(r, h.Identity(), time.Now(), Lifetime)
			if err != nil {
				return nil, err
			}
			return CertificatePEM(c), nil
		}
		first, err := sign(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		pair, err := r.Pair(first)
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SavePair(Agent, pair); err != nil {
			t.Fatal(err)
		}
		if err := h.Reload(); err != nil {
			t.Fatal(err)
		}
		before := h.Certificate()
		failures := 3
		var at time.Time
		ctx, stop := context.WithCancel(t.Context())
		go h.Renew(ctx, func(ctx context.Context, r *Request) ([]byte, error) {
			if failures > 0 {
				failures--
				return nil, errors.New("no netmaster answers")
			}
			at = time.Now()
			return sign(ctx, r)
		}, slog.New(slog.DiscardHandler))
		for Serial(h.Certificate()) == Serial(before) && time.Until(before.NotAfter) > 0 {
			<-time.After(renewPause) // of the bubble's clock
		}
		stop()
		synctest.Wait()
		after := h.Certificate()
		if Serial(after) == Serial(before) || len(after.IPAddresses) != 1 || len(after.DNSNames) != 1 {
			t.Fatalf("want a new certificate for the same hosts, got %s of %v %v", Serial(after), after.DNSNames, after.IPAddresses)
		}
		if at.Before(Due(before)) || failures != 0 {
			t.Errorf("want it once it is due, at %s, after failures, got %s", Due(before), at)
		}
	})
}

// A client whose certificate is refused gets an error that explains it, at whatever point of the request the server closes the
// connection.
func TestExplain(t *testing.T) {
	s := newStand(t)
	master, bad := s.holder(Master, "m1"), s.holder(Agent, "h1")
	server := httptest.NewUnstartedServer(http.NotFoundHandler())
	server.TLS, server.Config.ErrorLog = master.Server(), log.New(io.Discard, "", 0)
	server.StartTLS()
	defer server.Close()
	master.Revoke([]string{Serial(bad.Certificate())})
	body := strings.Repeat("x", 1<<20)
	for range 40 {
		c := &http.Client{Transport: bad.Explain(&http.Transport{TLSClientConfig: bad.Client(Master, ""), DisableKeepAlives: true})}
		_, err := c.Post(server.URL, "text/plain", strings.NewReader(body))
		if err == nil || !strings.Contains(err.Error(), "refuses our certificate of spiffe://contiv/agent/h1") {
			t.Fatalf("want the refusal, got %v", err)
		}
	}
}
