// SPDX-License-Identifier: Apache-2.0

package auth_test

import (
	"crypto/tls"
	"crypto/x509"
	"slices"
	"testing"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/auth"
)

func tlsOf(pool *x509.CertPool) *tls.Config {
	return &tls.Config{RootCAs: pool, ServerName: "127.0.0.1", MinVersion: tls.VersionTLS12}
}

// A real directory accepts right passwords and refuses wrong ones; its certificate must be of the configured authority.
func TestCheck(t *testing.T) {
	right := slapd(t)
	other, _ := certify(t)
	with := func(change func(*model.LdapConfiguration)) *model.LdapConfiguration {
		c := *right
		change(&c)
		return &c
	}
	for _, row := range []struct {
		name                 string
		c                    *model.LdapConfiguration
		bind, user, password string
		want                 model.Code
	}{
		{"right", right, "searching", "ann", "correct horse", ""},
		{"a wrong password", right, "searching", "ann", "correct hors", model.CodeUnproved},
		{"no password", right, "searching", "ann", "", model.CodeUnproved},
		{"no such user", right, "searching", "eve", "correct horse", model.CodeUnproved},
		{"two of the name", right, "searching", "bob", "correct horse", model.CodeUnproved},
		{"a name that is a filter", right, "searching", "*", "correct horse", model.CodeUnproved},
		{"a name that ends a filter", right, "searching", "ann)(uid=*", "correct horse", model.CodeUnproved},
		{"netmaster's own password is wrong", right, "nothing", "ann", "correct horse", model.CodeUnavailable},
		{"another certificate", with(func(c *model.LdapConfiguration) { c.CaCertificate = other }), "searching", "ann", "correct horse", model.CodeUnavailable},
		{"a name that the certificate does not have", with(func(c *model.LdapConfiguration) { c.Server = "localhost" }), "searching", "ann", "correct horse", model.CodeUnavailable},
		{"no certificate", with(func(c *model.LdapConfiguration) { c.CaCertificate = "none" }), "searching", "ann", "correct horse", model.CodeUnavailable},
		{"another base", with(func(c *model.LdapConfiguration) { c.BaseDN = "cn=contiv,dc=example,dc=org" }), "searching", "ann", "correct horse", model.CodeUnproved},
	} {
		groups, err := auth.LDAP{}.Check(t.Context(), row.c, row.bind, row.user, row.password)
		got := model.Code("")
		if err != nil {
			got = model.AsError(err).Code
		}
		if got != row.want || (row.want == "") != slices.Equal(groups, []string{"cn=network,dc=example,dc=org"}) {
			t.Errorf("%s: want %q, got %q, %v", row.name, row.want, groups, err)
		}
	}
}
