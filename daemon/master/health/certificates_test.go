// SPDX-License-Identifier: Apache-2.0

package health

import (
	"slices"
	"testing"
	"time"

	"github.com/contiv/contiv/api/model"
)

func TestCertificates(t *testing.T) {
	at := time.Date(2030, 1, 15, 0, 0, 0, 0, time.UTC)
	issued := func(days int) Certificate { // of 14 days, issued a number of days ago
		return Certificate{Host: "h1", Issued: at.AddDate(0, 0, -days), Until: at.AddDate(0, 0, 14-days)}
	}
	revoked := issued(1)
	revoked.Revoked, revoked.RevokedBy = at, "admin"
	for _, row := range []struct {
		name      string
		of        Certificate
		connected bool
		want      []string
	}{
		{"new", issued(0), true, nil},
		{"due", issued(8), true, nil},
		{"not renewed", issued(11), true, []string{"warning certificate-ends host/h1"}},
		{"expired, with a connection", issued(15), true, []string{"warning certificate-ended host/h1"}},
		{"expired", issued(15), false, []string{"error certificate-ended host/h1", "error agent-silent host/h1"}},
		{"revoked", revoked, false, []string{"error certificate-ended host/h1", "error agent-silent host/h1"}},
		{"of a host that is down", issued(8), false, []string{"error agent-silent host/h1"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := &Snapshot{At: at, Certificates: []Certificate{row.of}, Nodes: []model.Node{master("m1", model.RoleLeader), agent("h1")}}
			if !row.connected {
				s.Nodes[1] = model.Node{Name: "h1", Role: model.RoleAgent, Reason: "its agent is down"}
			}
			var got []string
			for _, f := range Fold(Examine(s), s.Topology()) {
				got = append(got, string(f.Severity)+" "+f.Code.String()+" "+f.Object)
			}
			if !slices.Equal(got, row.want) {
				t.Errorf("want %q, got %q", row.want, got)
			}
		})
	}
}

// A netmaster reports its own certificate, and is refused once that has expired.
func TestOwnCertificates(t *testing.T) {
	at := time.Date(2030, 1, 15, 0, 0, 0, 0, time.UTC)
	issued := func(days int) *model.Validity { // of 14 days, issued a number of days ago
		return &model.Validity{From: at.AddDate(0, 0, -days).Format(time.RFC3339), Until: at.AddDate(0, 0, 14-days).Format(time.RFC3339)}
	}
	for _, row := range []struct {
		name string
		of   model.Node
		want []string
	}{
		{"due", model.Node{Certificate: issued(9), Since: "2030-01-01T00:00:00Z", Ready: true}, nil},
		{"not renewed", model.Node{Certificate: issued(10), Since: "2030-01-01T00:00:00Z", Ready: true}, []string{"warning certificate-ends master/m2"}},
		{"expired, and this netmaster itself answers", model.Node{Certificate: issued(14), Since: "2030-01-01T00:00:00Z", Ready: true}, []string{"error certificate-ended master/m2"}},
		{"refused", model.Node{Reason: "tls: the certificate of spiffe://contiv/master/m2 expired at 2030-01-14T00:00:00Z, and this host's clock shows 2030-01-15T00:00:00Z"},
			[]string{"error certificate-ended master/m2"}},
		{"refused for another reason", model.Node{Reason: "the certificate of spiffe://contiv/master/m2 is not valid here"}, []string{"warning master-silent master/m2"}},
	} {
		row.of.Name, row.of.Role = "m2", model.RoleFollower
		s := &Snapshot{At: at, Nodes: []model.Node{master("m1", model.RoleLeader), row.of}}
		var got []string
		for _, f := range Examine(s) {
			got = append(got, string(f.Severity)+" "+f.Code.String()+" "+f.Object)
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}
