// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// Login is the body of POST /api/v1/auth/login, and the credentials of the first admin, which are returned once.
type Login struct {
	Username string `json:"username"`
	Password string `json:"password"`
}

// Token is a session, or a token of a service account. The token itself is returned only once, to its requester.
type Token struct {
	Token   string     `json:"token,omitempty"`
	ID      string     `json:"id"`
	User    string     `json:"user"`
	Proof   string     `json:"proof"`           // session, ldap, oidc or service-account
	Label   string     `json:"label,omitempty"` // its purpose
	From    string     `json:"from,omitempty"`  // the address of the request
	Made    time.Time  `json:"made"`
	Expires *time.Time `json:"expires,omitempty"` // nil: never
}

// TokenRequest is the body of POST /api/v1/auth/tokens.
type TokenRequest struct {
	User    string `json:"user"`              // a service account
	Label   string `json:"label,omitempty"`   // its purpose
	Seconds int64  `json:"seconds,omitempty"` // lifetime; 0: until it is revoked
}

// Revocation is the body of POST /api/v1/auth/revoke.
type Revocation struct {
	ID string `json:"id"` // of a token
}

// Revoked is the answer to what ends a session or a token, or sets a password.
type Revoked struct {
	Done bool `json:"done"`
}

// PasswordRequest is the body of POST /api/v1/auth/password.
type PasswordRequest struct {
	Username string `json:"username,omitempty"` // "": one's own
	Old      string `json:"old,omitempty"`      // of one's own
	Password string `json:"password"`
}

// Whoami is the answer of GET /api/v1/auth/whoami.
type Whoami struct {
	Role   string   `json:"role,omitempty"` // master, agent, user or monitor; "": netmaster requires no authentication
	Name   string   `json:"name,omitempty"`
	Proof  string   `json:"proof,omitempty"` // certificate, session, ldap, oidc or service-account
	Token  string   `json:"token,omitempty"` // its id
	Grants []string `json:"grants"`
}

// CanI is the answer of GET /api/v1/auth/can-i.
type CanI struct {
	Allowed bool   `json:"allowed"`
	Right   string `json:"right"`         // in words
	Why     string `json:"why,omitempty"` // the roles that include it, if not allowed
}

// AuditEvent is an event that changed no object: a login, a refusal, a capture.
type AuditEvent struct {
	Number uint64     `json:"number"`
	Time   time.Time  `json:"time"`
	Verb   string     `json:"verb"`
	User   string     `json:"user,omitempty"`  // authenticated, or the user who failed to log in
	Proof  string     `json:"proof,omitempty"` // "": not authenticated
	From   string     `json:"from,omitempty"`
	Via    string     `json:"via,omitempty"` // the netmaster that forwarded it
	Target string     `json:"target,omitempty"`
	Status int        `json:"status,omitempty"`
	Why    string     `json:"why,omitempty"`
	Times  int        `json:"times,omitempty"` // number of repetitions, if more than one
	Last   *time.Time `json:"last,omitempty"`  // of these
}
