// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/identity"
)

func TestParts(t *testing.T) {
	for _, row := range []struct {
		text, scope, name, parent, network string
		ok                                 bool
		all, two                           []string
	}{
		{"", "", "", "", "", false, []string{""}, []string{""}},
		{"t", "t", "", "", "", false, []string{"t"}, []string{"t"}},
		{"t:n", "t", "n", "t", "", true, []string{"t", "n"}, []string{"t", "n"}},
		{"t:n:e", "t", "n:e", "t:n", "t:n", true, []string{"t", "n", "e"}, []string{"t", "n:e"}},
		{"t:n:a:b", "t", "n:a:b", "t:n:a", "t:n", true, []string{"t", "n", "a", "b"}, []string{"t", "n:a:b"}},
	} {
		scope, name, ok := identity.Cut(row.text)
		if scope != row.scope || name != row.name || ok != row.ok || identity.Scope(row.text) != row.scope {
			t.Errorf("%q: want it cut into %q and %q (%t), got %q and %q (%t), and the scope %q", row.text, row.scope, row.name, row.ok, scope, name, ok, identity.Scope(row.text))
		}
		if got := identity.Parent(row.text); got != row.parent {
			t.Errorf("%q: want the parent %q, got %q", row.text, row.parent, got)
		}
		if got := identity.NetworkOf(row.text); got != row.network {
			t.Errorf("%q: want the network %q, got %q", row.text, row.network, got)
		}
		if all, two := identity.Parts(row.text, -1), identity.Parts(row.text, 2); !slices.Equal(all, row.all) || !slices.Equal(two, row.two) || identity.Join(two...) != row.text {
			t.Errorf("%q: want the parts %q, or at most two %q, got %q and %q", row.text, row.all, row.two, all, two)
		}
	}
}

func TestWithinAndEnds(t *testing.T) {
	for _, row := range []struct {
		text, part   string
		within, ends bool
	}{
		{"t:p:r", "t:p", true, false}, {"t:p:r", "t:p:r", true, true}, {"t:p:r", "t", true, false}, {"t:p:r", "p:r", false, true}, {"t:p:r", "r", false, true},
		{"t:pr", "t:p", false, false}, {"t:pr", "r", false, false}, {"t:p", "t:p:r", false, false}, {"t:p", "", false, false}, {"", "", true, true},
	} {
		if within, ends := identity.Within(row.text, row.part), identity.Ends(row.text, row.part); within != row.within || ends != row.ends {
			t.Errorf("%q and %q: want it within %t and at the end %t, got %t and %t", row.text, row.part, row.within, row.ends, within, ends)
		}
	}
}

// The other forms of names, and what they are read as.
func TestOtherForms(t *testing.T) {
	for text, want := range map[string]identity.Ref{"endpoint/t:n:a/b": {Kind: "endpoint", Name: "t:n:a/b"}, "host/": {Kind: "host"}} {
		if got, ok := identity.ParseRef(text); !ok || got != want || got.String() != text {
			t.Errorf("%q: got %#v, %t", text, got, ok)
		}
	}
	if got, ok := identity.ParseRef("host"); ok || got != (identity.Ref{Kind: "host"}) {
		t.Errorf("no slash: got %#v, %t", got, ok)
	}
	for text, ok := range map[string]bool{"n.t": true, "n.t.u": false, "n": false, "n.t:u": false, "a:n.t": false} {
		if id, got := identity.ParseDottedNetwork(text); got != ok || ok && id.Dotted() != text {
			t.Errorf("%q: got %v, %t", text, id, got)
		}
	}
	for _, text := range []string{"g", "g:", ":t", "g:t:x"} {
		if id, err := identity.ParseReversedGroup(text); err == nil || !id.IsZero() {
			t.Errorf("%q: want an error, got %v, %v", text, id, err)
		}
	}
	for text, ok := range map[string]bool{"ns/p": true, "ns": false, "": false} {
		if id, got := identity.ParsePodPath(text); got != ok || ok && id.Path() != text || !ok && (id != identity.Pod{Namespace: text}) {
			t.Errorf("%q: got %#v, %t", text, id, got)
		}
	}
	if (identity.Pod{}).Path() != "" || (identity.Group{}).Reversed() != "" || (identity.Network{}).Dotted() != "" {
		t.Error("zero: want no text")
	}
}

// Each form is read as what it was printed from.
func TestFormsReadBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, pod := anyNetwork(rt), anyPod(rt)
		if got, err := identity.ParseReversedGroup(identity.Group(n).Reversed()); err != nil || got != identity.Group(n) {
			rt.Fatalf("%q is read as %v, %v", identity.Group(n).Reversed(), got, err)
		}
		if got, err := identity.ParseReversedService(identity.Service(n).Reversed()); err != nil || got != identity.Service(n) {
			rt.Fatalf("%q is read as %v, %v", identity.Service(n).Reversed(), got, err)
		}
		e := anyEndpoint(rt)
		if got := identity.NetworkOf(e.String()); got != e.Network.String() || !identity.Within(e.String(), got) || !identity.Ends(e.String(), e.Endpoint) {
			rt.Fatalf("%q: got the network %q", e, got)
		}
		if got := identity.Parent(identity.Rule{Policy: identity.Policy(n), Rule: "r"}.String()); got != n.String() {
			rt.Fatalf("a rule of %q: got the parent %q", n, got)
		}
		if id := (identity.KubernetesService{Namespace: "ns", Name: pod.Name}); pod.Name != "" {
			if got, ok := identity.ParseKubernetesServicePath(id.Path()); !ok || got != id {
				rt.Fatalf("%q is read as %v, %t", id.Path(), got, ok)
			}
		}
	})
}

func TestSegments(t *testing.T) {
	n := identity.Network{Tenant: "t", Name: "n"}
	own := identity.GroupSegment(n, "g")
	if got := identity.SegmentGroup(own.String()); got != (identity.Group{Tenant: "t", Name: "g"}) || own.String() != "t:n/g" {
		t.Errorf("%q: got the group %v", own, got)
	}
	if got := identity.SegmentGroup(n.String()); !got.IsZero() {
		t.Errorf("%q: want no group, got %v", n, got)
	}
}
