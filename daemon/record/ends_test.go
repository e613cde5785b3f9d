package record

import (
	"net/netip"
	"testing"
)

func TestEnds(t *testing.T) {
	h := func(label, vtep string, port int) *Host {
		return &Host{Label: label, VTEP: netip.MustParseAddr(vtep), Port: port, Version: "1"}
	}
	one := Ends([]*Host{h("h1", "192.0.2.1", 4789), h("h2", "192.0.2.2", 4789)})
	other := h("h2", "192.0.2.2", 4789)
	other.Version = "2"
	if again := Ends([]*Host{h("h1", "192.0.2.1", 4789), other}); again != one {
		t.Errorf("what is no tunnel end counts: %s, %s", one, again)
	}
	for name, list := range map[string][]*Host{
		"a host less":     {h("h1", "192.0.2.1", 4789)},
		"another address": {h("h1", "192.0.2.1", 4789), h("h2", "192.0.2.3", 4789)},
		"another port":    {h("h1", "192.0.2.1", 4789), h("h2", "192.0.2.2", 8472)},
		"exchanged":       {h("h1", "192.0.2.2", 4789), h("h2", "192.0.2.1", 4789)},
		"IPv6":            {h("h1", "192.0.2.1", 4789), h("h2", "2001:db8::2", 4789)},
	} {
		if Ends(list) == one {
			t.Errorf("%s: the digest is the same", name)
		}
	}
}
