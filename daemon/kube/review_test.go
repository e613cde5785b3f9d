// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/contiv/contiv/daemon/kube"
	"github.com/contiv/contiv/daemon/kube/kubetest"
)

// A token counts that the API server has made for a service account and for us; whose it is and where its pod runs is what the server says.
func TestReview(t *testing.T) {
	server := kubetest.Start(t)
	c := kube.Config{Kubeconfig: server.Kubeconfig(t)}
	const account = "system:serviceaccount:contiv-system:netplugin"
	server.Issue("ours", kubetest.Token{User: account, Node: "n1", Audiences: []string{kube.Audience}})
	server.Issue("unbound", kubetest.Token{User: account, Audiences: []string{kube.Audience}})
	server.Issue("of the API", kubetest.Token{User: account, Node: "n1", Audiences: []string{"https://kubernetes.default.svc"}})
	server.Issue("a person's", kubetest.Token{User: "ann", Audiences: []string{kube.Audience}})
	server.Issue("a node's", kubetest.Token{User: "system:node:n1", Audiences: []string{kube.Audience}})
	for token, want := range map[string]kube.Account{"ours": {"contiv-system", "netplugin", "n1"}, "unbound": {"contiv-system", "netplugin", ""}} {
		if got, err := c.Review(t.Context(), token); err != nil || got != want {
			t.Errorf("%s: want %+v, got %+v, %v", token, want, got, err)
		}
	}
	for _, token := range []string{"of the API", "a person's", "a node's", "no one's", ""} {
		if got, err := c.Review(t.Context(), token); !errors.Is(err, kube.ErrUnproved) || got != (kube.Account{}) {
			t.Errorf("%q: want it not to count, got %+v, %v", token, got, err)
		}
	}
	server.Forbid(true)
	if _, err := c.Review(t.Context(), "ours"); err == nil || errors.Is(err, kube.ErrUnproved) || !strings.Contains(err.Error(), "Forbidden") {
		t.Errorf("want a netmaster that may not ask to say so, got %v", err)
	}
}
