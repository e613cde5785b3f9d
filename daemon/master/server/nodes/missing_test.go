// SPDX-License-Identifier: Apache-2.0

package nodes

import (
	"errors"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/server/peer"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// A netmaster whose registration has ended is listed as long as it is a member of the embedded store.
func TestAbsent(t *testing.T) {
	silent := errors.New("deadline exceeded")
	members := []store.Member{{Name: "h1", Address: "http://192.0.2.1:2379"}, {Name: "h2", Address: "http://192.0.2.2:2379", Err: silent},
		{Name: "h3", Address: "http://[2001:db8::3]:2379", Err: silent}, {Name: "h4", Err: silent}, {Name: "h5", Address: "http://192.0.2.5:2379"}}
	registered := []record.Service{{HostAddr: "192.0.2.1", Port: 9999}, {HostAddr: "192.0.2.2", Port: 9999}} // the second one a moment longer
	got := absent(members, registered, "192.0.2.1:9999")
	if len(got) != 3 {
		t.Fatalf("want those of h3, h4 and h5, got %+v", got)
	}
	for i, want := range []model.Node{
		{Name: "2001:db8::3", Address: "[2001:db8::3]:9999",
			Reason: "not registered; store member h3 does not answer (2 of 5 do, changes need 3)"},
		{Name: "h4", Address: "h4:9999",
			Reason: "not registered; store member h4 does not answer (2 of 5 do, changes need 3)"},
		{Name: "192.0.2.5", Address: "192.0.2.5:9999",
			Reason: "not registered, though store member h5 answers: it may not run, or not reach the leader of the store"},
	} {
		if n := got[i]; n.Name != want.Name || n.Address != want.Address || n.Reason != want.Reason || n.Role != model.RoleUnknown || n.Ready {
			t.Errorf("want %+v, got %+v", want, n)
		}
	}
	for name, c := range map[string]struct {
		err  error
		want string
	}{
		"no answer":          {errors.New("did not answer"), ""},
		"it waits":           {&peer.StatusError{Status: 503, Text: "netmaster waits for room for the store: 3 MiB are left"}, "waits for room for the store: 3 MiB are left; "},
		"letters of control": {&peer.StatusError{Status: 503, Text: "netmaster waits for \x1b[31mroom"}, "waits for \ufffd[31mroom; "},
		"something else":     {&peer.StatusError{Status: 503, Text: "bad gateway"}, ""},
		"another status":     {&peer.StatusError{Status: 404, Text: "netmaster waits for room"}, ""},
	} {
		if got := waiting(c.err); got != c.want {
			t.Errorf("%s: want %q, got %q", name, c.want, got)
		}
	}
	if got := absent(members[:1], registered, "192.0.2.1:9999"); got != nil {
		t.Errorf("all are registered: want none missing, got %+v", got)
	}
}
