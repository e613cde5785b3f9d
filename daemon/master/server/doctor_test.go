// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// codesOf are the codes of what is found about services.
func codesOf(h model.Health) (out []string) {
	for _, f := range h.Findings {
		if strings.HasPrefix(f.Object, "service/") || strings.HasPrefix(f.Object, "network/") {
			out = append(out, f.Code.String()+" "+f.Object)
		}
	}
	return out
}

// Every report of the cluster's health shows a service without providers, with the nearest labels, and a pool that is nearly used up.
func TestHealth(t *testing.T) {
	m := serviceMaster(t)
	mastertest.Put(t, m.ServiceLBs(), service("shop", "tier=front"))
	startContainer(t, m, "default", "green", "web", map[string]string{"tier": "fornt"})
	empty := []string{"service-empty service/default:shop"}
	h, err := m.Health(t.Context())
	if err != nil || !slices.Equal(codesOf(h), empty) || h.Endpoints != 1 {
		t.Fatalf("want %q, got %+v, %v", empty, h, err)
	}
	for _, f := range h.Findings {
		if f.Code == model.FindingServiceEmpty && (!strings.HasSuffix(f.Evidence, "the nearest container has tier=fornt") || f.Since == "") {
			t.Errorf("want the nearest labels, and since when, got %+v", f)
		}
	}
	of, err := m.Doctor(t.Context(), "shop")
	if err != nil || len(of.Findings) != 1 || of.Findings[0].Code != model.FindingServiceEmpty {
		t.Errorf("only of the service: got %+v, %v", of, err)
	}
	if of, err = m.Doctor(t.Context(), "web"); err != nil || len(of.Findings) != 0 {
		t.Errorf("only of the container: got %+v, %v", of, err)
	}
	if _, err := m.Doctor(t.Context(), "absent"); err == nil {
		t.Error("got the findings of an absent object, want a refusal")
	}
	got, err := http.Get(m.URL + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = got.Body.Close() }()
	if text, err := io.ReadAll(got.Body); err != nil || !strings.Contains(string(text), `contiv_findings{code="service-empty",severity="warning"} 1`) {
		t.Errorf("metrics: %v\n%s", err, text)
	}
	startContainer(t, m, "default", "green", "front", map[string]string{"tier": "front"})
	mastertest.Put(t, m.Networks(), network("tiny", "10.1.3.0/30"))
	startContainer(t, m, "default", "tiny", "t1", nil)
	startContainer(t, m, "default", "tiny", "t2", nil)
	if h, err = m.Health(t.Context()); err != nil || !slices.Equal(codesOf(h), []string{"pool-empty network/default:tiny"}) {
		t.Errorf("with a provider, and a full pool: got %+v, %v", h, err)
	}
}
