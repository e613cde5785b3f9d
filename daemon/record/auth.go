// SPDX-License-Identifier: Apache-2.0

package record

import "time"

// The keys of users' credentials. No agent receives them, and no object of the API contains them.
const (
	Auth        = Root + "auth/"
	Passwords   = Auth + "password/" // + user
	Tokens      = Auth + "token/"    // + the token's hash
	LDAPKey     = Auth + "ldap"      // netmaster's own credentials at the directory: a Secret
	OIDCKey     = Auth + "oidc"      // netmaster's credentials at the OpenID provider: a Secret
	FirstAdmin  = Auth + "first"     // the first admin was made
	AuditEvents = Root + "audit/"    // + number: logins, refusals, and actions that leave no other trace
)

// Password is the hash of a user's password, at Passwords+User.
type Password struct {
	User string    `json:"user"`
	Hash string    `json:"hash"` // PHC string format, of Argon2id
	Set  time.Time `json:"set"`
}

// Token is an issued credential, at Tokens+Hash. The token itself is not stored.
type Token struct {
	Hash    string    `json:"hash"` // SHA-256, in hexadecimal
	User    string    `json:"user"`
	Proof   string    `json:"proof"`            // as auth.Proof
	Groups  []string  `json:"groups,omitempty"` // of the user in the directory or at the provider, at the start of the session
	Label   string    `json:"label,omitempty"`  // the purpose of a service account's token
	From    string    `json:"from,omitempty"`   // the address of the request
	Issuer  string    `json:"issuer,omitempty"` // the OpenID provider that has authenticated the user
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
}

// tokenID is the number of digits of its hash that identify a token among others.
const tokenID = 12

// ID identifies the token for display.
func (t *Token) ID() string { return t.Hash[:min(len(t.Hash), tokenID)] }

// Secret is a credential of netmaster itself, sealed by the key of the cluster's CA (trust.Seal) for the key of the store at which it is.
// It is plain if netmasters have no such key, and if an earlier build stored it.
type Secret struct {
	Plain  string `json:"password,omitempty"`
	Sealed []byte `json:"sealed,omitempty"`
	By     string `json:"by,omitempty"` // the CA, by its fingerprint
}

// AuditEvent is an event that leaves no trace in the history of objects.
type AuditEvent struct {
	Number uint64    `json:"-"` // in the key
	At     time.Time `json:"at"`
	Verb   string    `json:"verb"`            // login, logout, refused, capture, hand-over, ...
	User   string    `json:"user,omitempty"`  // authenticated, or the user who failed to log in
	Proof  string    `json:"proof,omitempty"` // as auth.Proof; "": not authenticated
	From   string    `json:"from,omitempty"`  // address
	Via    string    `json:"via,omitempty"`   // the netmaster that forwarded it
	Target string    `json:"target,omitempty"`
	Status int       `json:"status,omitempty"` // HTTP; 0: success
	Why    string    `json:"why,omitempty"`
	Times  int       `json:"times,omitempty"` // number of repetitions, if more than one
	Last   time.Time `json:"last,omitzero"`   // of these
}
