// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/channel"
	"github.com/contiv/contiv/daemon/master/mastertest"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Every answer names the incarnation of its store, and an agent whose host knows another one is refused before anything is changed for it.
func TestIncarnation(t *testing.T) {
	own, before := strings.Repeat("b", 26), strings.Repeat("a", 26)
	m := mastertest.Start(t, mastertest.Options{Incarnation: record.Incarnation{ID: own, Predecessors: []string{before}, Cause: record.CauseInit}})
	m.Must(t, "network blue encap=vxlan subnet=10.1.1.0/24")
	ask := func(method, path, body, known string) (int, http.Header, string) {
		t.Helper()
		q, err := http.NewRequestWithContext(t.Context(), method, m.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("Accept", "application/json")
		if known != "" {
			q.Header.Set(model.KnownIncarnationHeader, known)
		}
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = answer.Body.Close() }()
		text, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return answer.StatusCode, answer.Header, string(text)
	}
	const add = `{"TenantName":"default","NetworkName":"blue","EndpointID":"c1","ConfigEP":{"Container":"c1","Host":"h1"}}`
	for _, row := range []struct {
		method, path, body, known string
		want                      int
	}{
		{"GET", "/version", "", "", 200},
		{"GET", "/nowhere", "", "", 404},
		{"POST", "/plugin/createEndpoint", add, strings.Repeat("x", 26), 503},
		{"POST", "/plugin/createEndpoint", add, "../x", 503},
		{"GET", "/api/v1/endpoints", "", strings.Repeat("x", 26), 503},
		{"POST", "/plugin/createEndpoint", add, before, 200},
		{"POST", "/plugin/createEndpoint", add, own, 200},
	} {
		got, header, text := ask(row.method, row.path, row.body, row.known)
		if got != row.want || header.Get(model.IncarnationHeader) != own {
			t.Errorf("%s %s, with %q: want %d and the incarnation, got %d %v %s", row.method, row.path, row.known, row.want, got, header, text)
		}
		if row.path == "/version" {
			var v model.Version
			if err := json.Unmarshal([]byte(text), &v); err != nil || v.Incarnation != own {
				t.Errorf("want the version to say it, got %s", text)
			}
		}
		if got == 503 && (!strings.Contains(text, "another one than this host's") || !strings.Contains(text, "containers keep their network")) {
			t.Errorf("want the reason and the remedy, got %s", text)
		}
	}
}

// Hosts that know another store are named, as their agents prove who they are, and no longer than these ask.
func TestElsewhere(t *testing.T) {
	m := mastertest.Start(t, mastertest.Options{Secure: true, Incarnation: record.Incarnation{ID: strings.Repeat("b", 26), Cause: record.CauseInit}})
	agent, stranger := m.As(trust.Identity{Role: trust.Agent, Name: "h1"}), m.Stranger()
	for _, c := range []channel.Master{agent, stranger} {
		c.HTTP.Transport = &channel.Claiming{Base: c.HTTP.Transport, Known: func() string { return strings.Repeat("x", 26) }}
		if _, err := c.AllocAddress(t.Context(), model.AllocAddressRequest{NetworkID: "blue.default"}); err == nil || !strings.Contains(err.Error(), "another one than this host's") {
			t.Errorf("want a refusal with the reason, got %v", err)
		}
	}
	var found model.Health
	if err := m.As(trust.Identity{Role: trust.User, Name: "admin"}).Raw(t.Context(), "/api/v1/health", &found); err != nil {
		t.Fatal(err)
	}
	var objects []string
	for _, f := range found.Findings {
		if f.Code == model.FindingStoreIsAnother && strings.Contains(f.Evidence, "incarnation "+strings.Repeat("b", 26)+", and host h1 knows") {
			objects = append(objects, f.Object)
		}
	}
	if len(objects) != 1 || objects[0] != "host/h1" {
		t.Errorf("want host h1 named once, got %v", found.Findings)
	}
}
