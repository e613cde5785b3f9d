// SPDX-License-Identifier: Apache-2.0

package model

import "testing"

// The identity that a client claims is marked as a claim, and cannot be taken for the part that netmaster saw.
func TestActorSaysWhatIsProved(t *testing.T) {
	for _, test := range []struct {
		name string
		in   Actor
		want string
	}{
		{"nothing is known", Actor{}, ""},
		{"a master by itself", Actor{Program: "netmaster"}, "netmaster"},
		{"netctl", Actor{Claimed: "root@vm", Program: "netctl/1.0", Address: "192.0.2.5"}, "root@vm (unproved) from 192.0.2.5 with netctl"},
		{"an agent", Actor{Claimed: "h1", Program: "netplugin/1.0 (linux)", Address: "2001:db8::5", Via: "192.0.2.9"}, "h1 (unproved) from 2001:db8::5 with netplugin"},
		{"no name", Actor{Program: "curl/8.5", Address: "192.0.2.5"}, "192.0.2.5 with curl"},
		{"no program", Actor{Claimed: "ann", Address: "192.0.2.5"}, "ann (unproved) from 192.0.2.5"},
		{"no address", Actor{Claimed: "ann", Program: "netctl/1"}, "ann (unproved) with netctl"},
		{"the program of a master", Actor{Program: "netmaster", Address: "192.0.2.5"}, "192.0.2.5 with netmaster"},
		{"a name that continues", Actor{Claimed: "root from 10.1.1.1 with netctl", Program: "x", Address: "192.0.2.5"}, `"root from 10.1.1.1 with netctl" (unproved) from 192.0.2.5 with x`},
		{"a name in brackets", Actor{Claimed: `ann (proved)"`, Address: "192.0.2.5"}, `"ann (proved)\"" (unproved) from 192.0.2.5`},
		{"written from right to left", Actor{Claimed: "ann\u202e", Address: "192.0.2.5"}, `"ann\u202e" (unproved) from 192.0.2.5`},
		{"a program of several words", Actor{Program: "netctl from 10.1.1.1", Address: "192.0.2.5"}, `192.0.2.5 with "netctl from 10.1.1.1"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.in.String(); got != test.want {
				t.Errorf("want %q, got %q", test.want, got)
			}
		})
	}
}
