// SPDX-License-Identifier: Apache-2.0

package caller

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/daemon/store"
)

// The statements of a request about its sender are valid only as a netmaster has sealed them.
func TestOrigin(t *testing.T) {
	secret := []byte("what the netmasters share")
	knows := func(secret []byte) *Authenticator {
		c := catalog.New()
		u := store.Update{Full: true, Revision: 1}
		if secret != nil {
			text, _ := json.Marshal(base64.StdEncoding.EncodeToString(secret))
			u.Items = []store.Item{{Key: record.MastersKey, Value: text, Revision: 1}}
		}
		c.Apply(u, slog.New(slog.DiscardHandler))
		return &Authenticator{Catalog: c, Internal: "192.0.2.1:9999"}
	}
	follower, leader := knows(secret), knows(secret)
	at := func(when time.Time) func(*http.Request) {
		return func(q *http.Request) {
			text := fmt.Sprint(when.Unix())
			q.Header.Set(voucherHeader, text+" "+seal(leader.secret(), q, text, []byte("body")))
		}
	}
	set := func(name, value string) func(*http.Request) {
		return func(q *http.Request) { q.Header.Set(name, value) }
	}
	claims := model.Actor{Claimed: "ann@laptop", Program: "netctl/1.0"}
	with := func(address, via string) model.Actor {
		a := claims
		a.Address, a.Via = address, via
		return a
	}
	for _, test := range []struct {
		name   string
		change func(*http.Request)
		at     *Authenticator
		body   string
		want   origin
		actor  model.Actor
	}{
		{"as a follower sends it", func(*http.Request) {}, leader, "body", proved, with("203.0.113.7", "192.0.2.1")},
		{"of another name", set(model.ActorHeader, "root@master"), leader, "body", direct, model.Actor{Claimed: "root@master", Program: "netctl/1.0", Address: "198.51.100.9"}},
		{"of another program", set("User-Agent", "netplugin/1.0"), leader, "body", direct, model.Actor{Claimed: "ann@laptop", Program: "netplugin/1.0", Address: "198.51.100.9"}},
		{"of another address", set(clientHeader, "10.0.0.1"), leader, "body", direct, with("198.51.100.9", "")},
		{"as of someone else", set(subjectHeader, "user root session"), leader, "body", direct, with("198.51.100.9", "")},
		{"by another follower", set(forwardedBy, "192.0.2.2:9999"), leader, "body", direct, with("198.51.100.9", "")},
		{"with another body", func(*http.Request) {}, leader, "bodY", direct, with("198.51.100.9", "")},
		{"without a voucher", set(voucherHeader, ""), leader, "body", direct, with("198.51.100.9", "")},
		{"with half a voucher", set(voucherHeader, fmt.Sprint(time.Now().Unix())), leader, "body", direct, with("198.51.100.9", "")},
		{"an hour old", at(time.Now().Add(-time.Hour)), leader, "body", claimed, with("198.51.100.9", "")},
		{"from a clock that is an hour fast", at(time.Now().Add(time.Hour)), leader, "body", claimed, with("198.51.100.9", "")},
		{"to a master that does not know the secret yet", func(*http.Request) {}, knows(nil), "body", claimed, with("198.51.100.9", "")},
		{"to a cluster with another secret", func(*http.Request) {}, knows([]byte("another")), "body", direct, with("198.51.100.9", "")},
		{"not passed on at all", func(q *http.Request) { q.Header.Del(forwardedBy) }, leader, "body", direct, with("198.51.100.9", "")},
	} {
		t.Run(test.name, func(t *testing.T) {
			q := httptest.NewRequest(http.MethodPost, "/api/v1/tenants/x/", strings.NewReader("body"))
			q.RemoteAddr = "198.51.100.9:4000"
			q.Header.Set(model.ActorHeader, claims.Claimed)
			q.Header.Set("User-Agent", claims.Program)
			sent := httptest.NewRequest(http.MethodPost, "/api/v1/tenants/x/", nil)
			sent.RemoteAddr = "203.0.113.7:4000"
			follower.Seal(q, sent, []byte("body"))
			test.change(q)
			came := test.at.verified(q, []byte(test.body))
			if came != test.want {
				t.Errorf("want origin %d, got %d", test.want, came)
			}
			if got := Actor(q); got != test.actor {
				t.Errorf("want %+v, got %+v", test.actor, got)
			}
		})
	}
}
