package record

import "time"

// Where it is kept how users prove who they are. No agent is told of it, and no object of the API holds it.
const (
	Auth        = Root + "auth/"
	Passwords   = Auth + "password/" // + user
	Tokens      = Auth + "token/"    // + the token's hash
	LDAPKey     = Auth + "ldap"      // what netmaster itself logs in with at the directory: a Secret
	OIDCKey     = Auth + "oidc"      // what it proves itself with to the OpenID provider: a Secret
	FirstAdmin  = Auth + "first"     // the first admin was made
	AuditEvents = Root + "audit/"    // + number: who came, was refused, or did something that leaves no other trace
)

// Password is how a user's password is checked, at Passwords+User.
type Password struct {
	User string    `json:"user"`
	Hash string    `json:"hash"` // PHC string format, of Argon2id
	Set  time.Time `json:"set"`
}

// Token is a proof that was given to someone, at Tokens+Hash. The token itself is nowhere.
type Token struct {
	Hash    string    `json:"hash"` // SHA-256, in hexadecimal
	User    string    `json:"user"`
	Proof   string    `json:"proof"`            // as access.Proof
	Groups  []string  `json:"groups,omitempty"` // of the user in the directory or at the provider, as it was when the session began
	Label   string    `json:"label,omitempty"`  // what it is for, of a service account's
	From    string    `json:"from,omitempty"`   // the address that asked for it
	Issuer  string    `json:"issuer,omitempty"` // the OpenID provider that has proved the user
	Made    time.Time `json:"made"`
	Expires time.Time `json:"expires,omitzero"` // zero: never
}

// tokenID is how many digits of its hash name a token among others.
const tokenID = 12

// ID names the token, for people.
func (t *Token) ID() string { return t.Hash[:min(len(t.Hash), tokenID)] }

// Secret is what netmaster itself has to show elsewhere, sealed by the key of the cluster's authority (trust.Seal) for the key of the store at which
// it stands. It is plain where netmasters have no such key, and where an earlier build stored it.
type Secret struct {
	Plain  string `json:"password,omitempty"`
	Sealed []byte `json:"sealed,omitempty"`
	By     string `json:"by,omitempty"` // the authority, by its fingerprint
}

// AuditEvent is something that happened, and leaves no trace in the history of objects.
type AuditEvent struct {
	Number uint64    `json:"-"` // in the key
	At     time.Time `json:"at"`
	Verb   string    `json:"verb"`            // login, logout, refused, capture, hand-over, ...
	User   string    `json:"user,omitempty"`  // proved, or as who failed to log in
	Proof  string    `json:"proof,omitempty"` // as access.Proof; "": nothing was proved
	From   string    `json:"from,omitempty"`  // address
	Via    string    `json:"via,omitempty"`   // the netmaster that it came through
	Target string    `json:"target,omitempty"`
	Status int       `json:"status,omitempty"` // HTTP; 0: it was done
	Why    string    `json:"why,omitempty"`
	Times  int       `json:"times,omitempty"` // so often, when more than once
	Last   time.Time `json:"last,omitzero"`   // of these
}
