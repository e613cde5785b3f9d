// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
)

// A token for the API server reaches a path that RBAC permits to its subject, and no other.
func TestMayGet(t *testing.T) {
	server := kubetest.Start(t)
	c := kube.Config{Kubeconfig: server.Kubeconfig(t)}
	const prometheus, other = "system:serviceaccount:monitoring:prometheus", "system:serviceaccount:shop:default"
	server.Issue("prometheus", kubetest.Token{User: prometheus, Audiences: []string{kubetest.APIAudience}})
	server.Issue("other", kubetest.Token{User: other, Audiences: []string{kubetest.APIAudience}})
	server.Issue("for contiv", kubetest.Token{User: prometheus, Audiences: []string{kube.Audience}})
	server.Permit(prometheus, "/metrics")
	if got, err := c.MayGet(t.Context(), "prometheus", "/metrics"); err != nil || got != prometheus {
		t.Errorf("want %s, got %q, %v", prometheus, got, err)
	}
	for _, row := range []struct {
		token, path string
		want        error
	}{
		{"prometheus", "/logs", kube.ErrNotPermitted}, {"other", "/metrics", kube.ErrNotPermitted}, {"for contiv", "/metrics", kube.ErrUnproved},
		{"unknown", "/metrics", kube.ErrUnproved}, {"", "/metrics", kube.ErrUnproved},
	} {
		if got, err := c.MayGet(t.Context(), row.token, row.path); !errors.Is(err, row.want) || got != "" {
			t.Errorf("%q gets %s: want %v, got %q, %v", row.token, row.path, row.want, got, err)
		}
	}
	server.Forbid(true)
	if _, err := c.MayGet(t.Context(), "prometheus", "/metrics"); err == nil || errors.Is(err, kube.ErrUnproved) || errors.Is(err, kube.ErrNotPermitted) || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("netmaster's account may not ask: got %v", err)
	}
}
