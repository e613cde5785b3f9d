// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

func TestWhyEndInALine(t *testing.T) {
	for _, tt := range []struct {
		end  WhyEnd
		want string
	}{
		{WhyEnd{Name: "db", Kind: "endpoint", Object: "n.t-db", Address: "10.1.1.2", Group: "g:t", Host: "h2"}, "endpoint n.t-db, 10.1.1.2, group g:t, on h2"},
		{WhyEnd{Name: "group/web", Kind: "endpoint", Object: "n.t-web", StandsIn: true, Address: "10.1.1.1", Group: "web:t", Host: "h1"},
			"endpoint n.t-web, standing in for group web, 10.1.1.1, on h1"},
		{WhyEnd{Name: "host/h1", Kind: "host", Object: "h1", StandsIn: true, Network: "contivh1.t", Address: "10.9.1.1", Host: "h1"},
			"host h1, as 10.9.1.1 of network contivh1.t"},
		{WhyEnd{Name: "10.0.0.1", Kind: "host", Object: "h1", Address: "10.0.0.1", Host: "h1"}, "host h1, 10.0.0.1"},
		{WhyEnd{Name: "8.8.8.8", Kind: "address", Object: "8.8.8.8", Address: "8.8.8.8"}, "address 8.8.8.8"},
	} {
		if got := tt.end.String(); got != tt.want {
			t.Errorf("%s: want %q, got %q", tt.end.Name, tt.want, got)
		}
	}
}
