// SPDX-License-Identifier: Apache-2.0

package client

import (
	"context"
	"net/url"
	"strconv"

	"github.com/contiv/contiv/api/model"
)

// Logout ends the session of the client's token.
func (c *Client) Logout(ctx context.Context) error {
	_, err := c.Post(ctx, "/api/v1/auth/logout", struct{}{}, nil)
	return err
}

// Whoami returns the client's authenticated identity.
func (c *Client) Whoami(ctx context.Context) (model.Whoami, error) {
	var out model.Whoami
	return out, c.Raw(ctx, "/api/v1/auth/whoami", &out)
}

// CanI reports whether the client may do something; kind, key and tenant may be "".
func (c *Client) CanI(ctx context.Context, verb, kind, key, tenant string) (model.CanI, error) {
	var out model.CanI
	q := url.Values{"verb": {verb}, "kind": {kind}, "key": {key}, "tenant": {tenant}}
	return out, c.Raw(ctx, "/api/v1/auth/can-i?"+q.Encode(), &out)
}

// SetPassword sets a user's password; for the own one it needs the old one.
func (c *Client) SetPassword(ctx context.Context, q model.PasswordRequest) error {
	_, err := c.Post(ctx, "/api/v1/auth/password", q, nil)
	return err
}

// SetLDAPPassword sets netmaster's own password at the directory; "" is none.
func (c *Client) SetLDAPPassword(ctx context.Context, password string) error {
	_, err := c.Post(ctx, "/api/v1/auth/ldap-password", model.PasswordRequest{Password: password}, nil)
	return err
}

// SetOIDCSecret sets netmaster's own secret at the OpenID provider; "" is none.
func (c *Client) SetOIDCSecret(ctx context.Context, secret string) error {
	_, err := c.Post(ctx, "/api/v1/auth/oidc-secret", model.PasswordRequest{Password: secret}, nil)
	return err
}

// OIDCAuthorize returns the URL that a browser must open for a login at the OpenID provider.
func (c *Client) OIDCAuthorize(ctx context.Context, q model.OIDCAuthorize) (string, error) {
	var out model.OIDCAuthorized
	_, err := c.Post(ctx, "/api/v1/auth/oidc/authorize", q, &out)
	return out.URL, err
}

// OIDCDevice returns the code that a user must type at the OpenID provider if the machine has no browser.
func (c *Client) OIDCDevice(ctx context.Context, q model.OIDCDeviceRequest) (model.OIDCDevice, error) {
	var out model.OIDCDevice
	_, err := c.Post(ctx, "/api/v1/auth/oidc/device", q, &out)
	return out, err
}

// OIDCLogin starts a session with a code of the OpenID provider. The error has CodeNotReady while the user of a device has not confirmed
// yet.
func (c *Client) OIDCLogin(ctx context.Context, q model.OIDCLogin) (model.Token, error) {
	var out model.Token
	_, err := c.Post(ctx, "/api/v1/auth/oidc/login", q, &out)
	return out, err
}

// Tokens lists the sessions and tokens of a user, of all users if user is "".
func (c *Client) Tokens(ctx context.Context, user string) ([]model.Token, error) {
	var out []model.Token
	return out, c.Raw(ctx, "/api/v1/auth/tokens?"+url.Values{"user": {user}}.Encode(), &out)
}

// IssueToken creates a token for a service account. Its text is returned only once.
func (c *Client) IssueToken(ctx context.Context, q model.TokenRequest) (model.Token, error) {
	var out model.Token
	_, err := c.Post(ctx, "/api/v1/auth/tokens", q, &out)
	return out, err
}

// RevokeToken revokes a session or token, by its id.
func (c *Client) RevokeToken(ctx context.Context, id string) error {
	_, err := c.Post(ctx, "/api/v1/auth/revoke", model.Revocation{ID: id}, nil)
	return err
}

// AuditQuery selects events of the audit log. Empty fields select all.
type AuditQuery struct {
	User, Verb, Since string // Since: RFC 3339
	Limit             int    // maximum number of events, newest first; 0: all
}

// Audit returns the audit log: logins, refusals, and actions that changed no object; the newest is last.
func (c *Client) Audit(ctx context.Context, q AuditQuery) ([]model.AuditEvent, error) {
	values := url.Values{"user": {q.User}, "verb": {q.Verb}, "since": {q.Since}}
	if q.Limit > 0 {
		values.Set("limit", strconv.Itoa(q.Limit))
	}
	var out []model.AuditEvent
	return out, c.Raw(ctx, "/api/v1/audit?"+values.Encode(), &out)
}
