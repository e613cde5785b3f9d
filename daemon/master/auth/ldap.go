// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/go-ldap/ldap/v3"

	"github.com/contiv/contiv/api/model"
)

const (
	ldapAnswerTimeout = 5 * time.Second // for each answer of the directory
	ldapMaxGroups     = 256             // of a user that are kept
)

// LDAP queries the configured directory, such as Active Directory, over a new connection for each request: it searches the user's entry, and
// binds as that entry with the password (RFC 4513, section 5.1).
type LDAP struct{}

var _ Directory = LDAP{}

// Check verifies a user's password, and returns the distinguished names of the user's groups. It blocks until the directory has answered,
// or ctx ends. Errors are *model.Error, CodeUnproved if the password is wrong or the user does not exist.
func (LDAP) Check(ctx context.Context, c *model.LdapConfiguration, bindPassword, user, password string) ([]string, error) {
	if user == "" || password == "" { // a bind without a password authenticates no one
		return nil, wrong()
	}
	conn, err := dial(ctx, c)
	if err != nil {
		return nil, away(c, err)
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if c.BindDN != "" {
		if err := conn.Bind(c.BindDN, bindPassword); err != nil {
			return nil, away(c, err)
		}
	}
	found, err := conn.Search(search(c, user))
	if err != nil && !ldap.IsErrorWithCode(err, ldap.LDAPResultSizeLimitExceeded) {
		return nil, away(c, err)
	}
	// with two entries of the name, the owner of the password is ambiguous
	if found == nil || len(found.Entries) != 1 || found.Entries[0].DN == "" {
		return nil, wrong()
	}
	entry := found.Entries[0]
	if err := conn.Bind(entry.DN, password); err != nil {
		if ldap.IsErrorAnyOf(err, ldap.LDAPResultInvalidCredentials, ldap.LDAPResultConstraintViolation, ldap.LDAPResultUnwillingToPerform, ldap.LDAPResultInappropriateAuthentication) {
			return nil, wrong()
		}
		return nil, away(c, err)
	}
	groups := entry.GetEqualFoldAttributeValues(attribute(c.GroupAttribute, "memberOf"))
	return groups[:min(len(groups), ldapMaxGroups)], nil
}

// search searches the entry of a user, whose name is a value and never a part of the filter's syntax.
func search(c *model.LdapConfiguration, user string) *ldap.SearchRequest {
	filter := "(" + attribute(c.UserAttribute, "uid") + "=" + ldap.EscapeFilter(user) + ")"
	return ldap.NewSearchRequest(c.BaseDN, ldap.ScopeWholeSubtree, ldap.NeverDerefAliases, 2, int(ldapAnswerTimeout/time.Second), false, filter,
		[]string{attribute(c.GroupAttribute, "memberOf")}, nil)
}

func attribute(name, otherwise string) string { return cmp.Or(name, otherwise) }

// dial connects over TLS, by a certificate that names the server.
func dial(ctx context.Context, c *model.LdapConfiguration) (*ldap.Conn, error) {
	t := &tls.Config{ServerName: c.Server, MinVersion: tls.VersionTLS12}
	if c.CaCertificate != "" {
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM([]byte(c.CaCertificate)) {
			return nil, errors.New("caCertificate has no certificate in PEM")
		}
	}
	port := 389
	if c.Security == "tls" {
		port = 636
	}
	address := net.JoinHostPort(c.Server, strconv.Itoa(cmp.Or(c.Port, port)))
	nc, err := (&net.Dialer{Timeout: ldapAnswerTimeout}).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	_ = nc.SetDeadline(time.Now().Add(2 * ldapAnswerTimeout)) // for the whole exchange
	if c.Security == "tls" {
		nc = tls.Client(nc, t)
	}
	conn := ldap.NewConn(nc, c.Security == "tls")
	conn.Start()
	conn.SetTimeout(ldapAnswerTimeout)
	if c.Security == "tls" {
		return conn, nil
	}
	if err := conn.StartTLS(t); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return conn, nil
}

func wrong() *model.Error {
	return model.Errorf(model.CodeUnproved, "", "user name and password are not right").Try("type them again; the directory's administrator gives another password")
}

func away(c *model.LdapConfiguration, err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the LDAP directory %s does not answer as it should: %v", c.Server, err).Because(err).
		Try("netctl ldap info shows the configuration; netctl auth ldap-password sets what netmaster logs in with")
}
