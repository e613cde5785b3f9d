// SPDX-License-Identifier: Apache-2.0

package identity_test

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/contiv/contiv/identity"
)

// one is any identity.
type one[I any] interface {
	comparable
	fmt.Stringer
	encoding.TextMarshaler
	IsZero() bool
	Compare(I) int
}

// same complains unless an identity has a text and is read from it: by itself, and as a key and a value of JSON.
func same[I one[I]](t testing.TB, parse func(string) (I, error), id I, text string) {
	t.Helper()
	if got := id.String(); got != text {
		t.Errorf("%#v: want the text %q, got %q", id, text, got)
	}
	if got, err := parse(text); err != nil || got != id {
		t.Errorf("%q: want %#v, got %#v, %v", text, id, got, err)
	}
	encoded, err := json.Marshal(map[I]I{id: id})
	var back map[I]I
	if failed := json.Unmarshal(encoded, &back); err != nil || failed != nil || len(back) != 1 || back[id] != id {
		t.Errorf("%#v as JSON: got %s, which is %v; %v %v", id, encoded, back, err, failed)
	}
	if id.IsZero() != (text == "") {
		t.Errorf("%q: that it is nothing: %t", text, id.IsZero())
	}
}

func TestTexts(t *testing.T) {
	same(t, identity.ParseNetwork, identity.Network{}, "")
	same(t, identity.ParseEndpoint, identity.Endpoint{}, "")
	same(t, identity.ParseRule, identity.Rule{}, "")
	same(t, identity.ParseNetwork, identity.Network{Tenant: "c", Name: "a.b"}, "c:a.b")
	same(t, identity.ParseNetwork, identity.Network{Tenant: "b.c", Name: "a"}, "b.c:a")
	same(t, identity.ParseGroup, identity.Group{Tenant: "t", Name: "g"}, "t:g")
	same(t, identity.ParsePolicy, identity.Policy{Tenant: "t", Name: "p"}, "t:p")
	same(t, identity.ParseService, identity.Service{Tenant: "t", Name: "s"}, "t:s")
	same(t, identity.ParseEndpoint, identity.Endpoint{Network: identity.Network{Tenant: "t-x", Name: "n"}, Endpoint: "y"}, "t-x:n:y")
	same(t, identity.ParseEndpoint, identity.Endpoint{Network: identity.Network{Tenant: "t", Name: "n"}, Endpoint: "a:b:"}, "t:n:a:b:")
	same(t, identity.ParseRule, identity.Rule{Policy: identity.Policy{Tenant: "t", Name: "p"}, Rule: "1:2"}, "t:p:1:2")
	same(t, identity.ParsePod, identity.Pod{}, "")
	same(t, identity.ParsePod, identity.Pod{Namespace: "a-b", Name: "c.d"}, "a-b:c.d")
	same(t, identity.ParseNetworkPolicy, identity.NetworkPolicy{Namespace: "ns", Name: "p"}, "ns:p")
	same(t, identity.ParseKubernetesService, identity.KubernetesService{Namespace: "ns", Name: "s"}, "ns:s")
	same(t, identity.ParseEndpointSlice, identity.EndpointSlice{Namespace: "ns", Name: "s-1"}, "ns:s-1")
}

// refused complains unless a text is refused, and what was there before is gone.
func refused[I one[I], P interface {
	*I
	encoding.TextUnmarshaler
}](t *testing.T, scope string, parse func(string) (I, error), before I, text string) {
	t.Helper()
	got, err := parse(text)
	if err == nil || !got.IsZero() || !strings.Contains(err.Error(), fmt.Sprintf("%q is not of the form %s:", text, scope)) {
		t.Errorf("%q: want an error that says the form, got %v, %v", text, got, err)
	}
	if err := P(&before).UnmarshalText([]byte(text)); err == nil || !before.IsZero() {
		t.Errorf("%q: want an error and nothing, got %v, %v", text, before, err)
	}
}

func TestRefusedTexts(t *testing.T) {
	for _, text := range []string{":", "a", "a:", ":b", "::", "a:b:c", "a:b:", ":a:b", "a.b"} {
		refused(t, "tenant", identity.ParseNetwork, identity.Network{Tenant: "t", Name: "n"}, text)
		refused(t, "tenant", identity.ParseGroup, identity.Group{Tenant: "t", Name: "n"}, text)
		refused(t, "tenant", identity.ParsePolicy, identity.Policy{Tenant: "t", Name: "n"}, text)
		refused(t, "tenant", identity.ParseService, identity.Service{Tenant: "t", Name: "n"}, text)
		refused(t, "namespace", identity.ParsePod, identity.Pod{Namespace: "ns", Name: "n"}, text)
	}
	for _, text := range []string{":", "a", "a:b", "a:b:", ":b:c", "a::c", "::", ":::", "n.t-c"} {
		refused(t, "tenant", identity.ParseEndpoint, identity.Endpoint{Endpoint: "e"}, text)
		refused(t, "tenant", identity.ParseRule, identity.Rule{Rule: "r"}, text)
	}
}

// name is a name as objects have it, and last one that holds colons too.
var (
	name = rapid.StringMatching(`[ab.\-/]{1,3}`)
	last = rapid.StringMatching(`[ab.\-/:]{1,4}`)
)

func anyNetwork(rt *rapid.T) identity.Network {
	return identity.Network{Tenant: name.Draw(rt, "tenant"), Name: name.Draw(rt, "name")}
}

func anyPod(rt *rapid.T) identity.Pod {
	return identity.Pod{Namespace: name.Draw(rt, "namespace"), Name: name.Draw(rt, "name")}
}

func anyEndpoint(rt *rapid.T) identity.Endpoint {
	return identity.Endpoint{Network: anyNetwork(rt), Endpoint: last.Draw(rt, "endpoint")}
}

func anyRule(rt *rapid.T) identity.Rule {
	return identity.Rule{Policy: identity.Policy(anyNetwork(rt)), Rule: last.Draw(rt, "rule")}
}

// distinct complains of two identities of one text, of a text that is read as another, and of an order other than that of the parts.
func distinct[I one[I]](rt *rapid.T, parse func(string) (I, error), parts func(I) []string, a, b I) {
	for _, id := range []I{a, b} {
		if got, err := parse(id.String()); err != nil || got != id {
			rt.Fatalf("%#v is %q, which is read as %#v, %v", id, id, got, err)
		}
	}
	if (a == b) != (a.String() == b.String()) {
		rt.Fatalf("%#v is %q, %#v is %q", a, a, b, b)
	}
	want := slices.Compare(parts(a), parts(b))
	if got := cmp.Compare(a.Compare(b), 0); got != want || cmp.Compare(b.Compare(a), 0) != -want {
		rt.Fatalf("%v and %v: want the order %d, got %d and %d", a, b, want, got, b.Compare(a))
	}
}

// No two objects have the same text, whatever their names are.
func TestTextsAreTheirOwn(t *testing.T) {
	ofNetwork := func(n identity.Network) []string { return []string{n.Tenant, n.Name} }
	rapid.Check(t, func(rt *rapid.T) {
		distinct(rt, identity.ParseNetwork, ofNetwork, anyNetwork(rt), anyNetwork(rt))
		distinct(rt, identity.ParsePod, func(p identity.Pod) []string { return []string{p.Namespace, p.Name} }, anyPod(rt), anyPod(rt))
		distinct(rt, identity.ParseEndpoint, func(e identity.Endpoint) []string { return append(ofNetwork(e.Network), e.Endpoint) }, anyEndpoint(rt), anyEndpoint(rt))
		distinct(rt, identity.ParseRule, func(r identity.Rule) []string { return []string{r.Tenant, r.Name, r.Rule} }, anyRule(rt), anyRule(rt))
	})
}

// It is refused, or it is the text of what it is read as, whatever the text.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"", ":", "a:b", "a:b:c", "a:b:c:d", "a::b", "\xff:\x00", "a.b:c-d", "::a"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		read(t, identity.ParseNetwork, text)
		read(t, identity.ParseGroup, text)
		read(t, identity.ParsePolicy, text)
		read(t, identity.ParseService, text)
		read(t, identity.ParseEndpoint, text)
		read(t, identity.ParsePod, text)
		read(t, identity.ParseRule, text)
	})
}

func read[I one[I]](t *testing.T, parse func(string) (I, error), text string) {
	t.Helper()
	id, err := parse(text)
	switch {
	case err != nil && !id.IsZero():
		t.Errorf("%q is refused with %v, and read as %#v", text, err, id)
	case err == nil && id.String() != text:
		t.Errorf("%q is read as %#v, which is %q", text, id, id)
	}
}
