// SPDX-License-Identifier: Apache-2.0

package listener

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/contiv/contiv/daemon/task"
	"github.com/contiv/contiv/trust"
)

// holder has a certificate of an authority, issued at a time.
func holder(t *testing.T, a *trust.Authority, is trust.Identity, at time.Time) *trust.Holder {
	t.Helper()
	d := trust.Dir(t.TempDir())
	ca, _, err := a.PEM()
	if err == nil {
		err = d.SaveAuthority(ca, nil)
	}
	if err == nil {
		err = d.Certify(a, is, at, "127.0.0.1")
	}
	if err != nil {
		t.Fatal(err)
	}
	h, err := trust.Open(d, is.Role)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func authority(t *testing.T, at time.Time) *trust.Authority {
	t.Helper()
	a, err := trust.NewAuthority(at)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A client that is refused for its certificate is known with its identity and the cause, and so is one that refuses netmaster's.
func TestRefusals(t *testing.T) {
	now := time.Now()
	own, foreign := authority(t, now), authority(t, now)
	m1 := holder(t, own, trust.Identity{Role: trust.Master, Name: "m1"}, now)
	agent := trust.Identity{Role: trust.Agent, Name: "h1"}
	revoked := holder(t, own, agent, now)
	m1.Revoke([]string{trust.Serial(revoked.Certificate())})
	address := free(t)
	f := New(Settings{External: address, Internal: address}, m1, slog.New(slog.DiscardHandler))
	tasks, err := f.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, end := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- task.Run(ctx, slog.New(slog.DiscardHandler), tasks...) }()
	defer func() {
		end()
		<-done
	}()
	for _, row := range []struct {
		name   string
		client *trust.Holder
		want   string
	}{
		{"a good certificate", holder(t, own, agent, now), ""},
		{"an expired one", holder(t, own, agent, now.Add(-10*365*24*time.Hour)), "the certificate of spiffe://contiv/agent/h1 expired at"},
		{"a revoked one", revoked, "of spiffe://contiv/agent/h1 is revoked"},
		{"one of another cluster, which does not trust netmaster's either", holder(t, foreign, agent, now), "it refuses our certificate of spiffe://contiv/master/m1"},
	} {
		f.refusals.last = nil
		transport := &http.Transport{DisableKeepAlives: true, DialTLSContext: row.client.Dialer((&net.Dialer{}).DialContext, row.client.Client(trust.Master, ""))}
		q, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/healthz", nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := transport.RoundTrip(q)
		if err == nil {
			_ = answer.Body.Close()
		}
		if (err == nil) != (row.want == "") {
			t.Errorf("%s: got %v", row.name, err)
		}
		got := f.Refusals().Of("127.0.0.1", trust.Agent)
		for tick := time.NewTicker(10 * time.Millisecond); got == "" && row.want != ""; got = f.Refusals().Of("127.0.0.1", trust.Agent) { // the server notices its end later
			select {
			case <-tick.C:
			case <-time.After(10 * time.Second):
				t.Fatalf("%s: nothing was recorded", row.name)
			}
		}
		if !strings.Contains(got, row.want) || row.want == "" && got != "" {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
		if other := f.Refusals().Of("127.0.0.2", trust.Agent); other != "" {
			t.Errorf("%s: another machine: got %q", row.name, other)
		}
	}
}

// Refusals are forgotten, and there are never too many.
func TestRefusalsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r Refusals
		for i := range maxRefusals + 10 {
			r.add(fmt.Sprint(i), trust.Refusal{Peer: trust.Identity{Role: trust.Agent}, Why: "no\n" + strings.Repeat("x", 2*maxWhy)}, time.Now())
		}
		if len(r.last) != maxRefusals || r.Of("0", trust.Agent) == "" || r.Of("0", trust.Master) != "" || len(r.Of("0", trust.Agent)) > maxWhy || strings.Contains(r.Of("0", trust.Agent), "\n") {
			t.Errorf("got %d, %q", len(r.last), r.Of("0", trust.Agent))
		}
		<-time.After(refusalTime + time.Second)
		if r.Of("0", trust.Agent) != "" {
			t.Error("want it forgotten")
		}
		if r.add("new", trust.Refusal{Why: "now"}, time.Now()); len(r.last) != 1 || r.Of("new", trust.Agent) != "now" {
			t.Errorf("want room for the new one, got %d", len(r.last))
		}
	})
}
