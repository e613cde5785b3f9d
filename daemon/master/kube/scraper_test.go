// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
)

// A token of a service account reads metrics if RBAC permits it. The answer counts for a minute.
func TestScraper(t *testing.T) {
	server := kubetest.Start(t)
	const prometheus = "system:serviceaccount:monitoring:prometheus"
	server.Issue("a", kubetest.Token{User: prometheus, Audiences: []string{kubetest.APIAudience}})
	server.Issue("b", kubetest.Token{User: "system:serviceaccount:shop:default", Audiences: []string{kubetest.APIAudience}})
	server.Permit(prometheus, "/metrics")
	now := time.Now()
	s := (&Settings{API: kube.Config{Kubeconfig: server.Kubeconfig(t)}}).Scraper(func() time.Time { return now })
	refused := func(what, token, path string, code model.Code, text string) {
		t.Helper()
		got, err := s.User(t.Context(), token, path)
		if e := model.AsError(err); got != "" || err == nil || e.Code != code || !strings.Contains(e.Error(), text) {
			t.Errorf("%s: want %s with %q, got %q, %v", what, code, text, got, err)
		}
	}
	refused("a token of no one", "c", "/metrics", model.CodeUnproved, "invalid bearer token")
	refused("an account without the permission", "b", "/metrics", model.CodeDenied, "bind the ClusterRole contiv-metrics")
	for range 2 {
		if got, err := s.User(t.Context(), "a", "/metrics"); err != nil || got != prometheus {
			t.Fatalf("want %s, got %q, %v", prometheus, got, err)
		}
	}
	refused("another path", "a", "/info", model.CodeDenied, "may not get /info")
	server.Forbid(true)
	if got, err := s.User(t.Context(), "a", "/metrics"); err != nil || got != prometheus {
		t.Errorf("within a minute: want the answer before, got %q, %v", got, err)
	}
	now = now.Add(scraperTime)
	refused("after a minute", "a", "/metrics", model.CodeUnavailable, "subjectaccessreviews")
	server.Forbid(false)
	for range maxReviews {
		s.reviews <- struct{}{}
	}
	refused("too many at once", "a", "/metrics", model.CodeBusy, "repeat it a moment later")
	if (&Settings{}).Scraper(time.Now) != nil {
		t.Error("without Kubernetes: want no Scraper")
	}
}
