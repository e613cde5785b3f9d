// SPDX-License-Identifier: Apache-2.0

package link_test

import (
	"testing"

	"github.com/contiv/contiv/ofnet/link"
)

func TestPortMapping(t *testing.T) {
	for text, ok := range map[string]bool{
		"tcp/0.0.0.0:8080=80": true, "udp/[::]:53=53": true, "sctp/10.1.1.1:1=65535": true, "": false, "tcp/8080=80": false, "icmp/0.0.0.0:1=1": false,
		"tcp/0.0.0.0:0=80": false, "tcp/0.0.0.0:80=0": false, "tcp/0.0.0.0:80": false, "tcp/[fe80::1%eth0]:80=80": false, "tcp/[::ffff:10.1.1.1]:80=80": false,
	} {
		m, err := link.ParsePortMapping(text)
		if (err == nil) != ok || ok && m.String() != text {
			t.Errorf("%q: %v, %v", text, m, err)
		}
	}
}

func TestPortMappingOverlaps(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"tcp/0.0.0.0:80=1", "tcp/10.1.1.1:80=2", true},
		{"tcp/10.1.1.1:80=1", "tcp/10.1.1.1:80=1", true},
		{"tcp/10.1.1.1:80=1", "tcp/10.1.1.2:80=1", false},
		{"tcp/0.0.0.0:80=1", "tcp/[::]:80=1", false},
		{"tcp/0.0.0.0:80=1", "udp/0.0.0.0:80=1", false},
		{"tcp/0.0.0.0:80=1", "tcp/0.0.0.0:81=1", false},
	} {
		a, err := link.ParsePortMapping(tt.a)
		b, failed := link.ParsePortMapping(tt.b)
		if err != nil || failed != nil {
			t.Fatal(err, failed)
		}
		if a.Overlaps(b) != tt.want || b.Overlaps(a) != tt.want {
			t.Errorf("%s and %s: overlap is not %v", a, b, tt.want)
		}
	}
}

// External ids of ports are readable by anyone who may write Open vSwitch's database.
func FuzzSplitPortMappings(f *testing.F) {
	f.Add("tcp/0.0.0.0:8080=80,udp/[::]:53=53")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := link.SplitPortMappings(text)
		if err != nil {
			return
		}
		again, err := link.SplitPortMappings(link.JoinPortMappings(list))
		if err != nil || len(again) != len(list) {
			t.Fatalf("%q: %v, %v", text, again, err)
		}
		for i := range list {
			if list[i] != again[i] {
				t.Fatalf("%q: %v becomes %v", text, list[i], again[i])
			}
		}
	})
}
