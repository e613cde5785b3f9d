package record

import "time"

// Where it is kept who may join the cluster, and which certificates its authority has issued. Of all that agents are told Revocations alone.
const (
	Enrolment    = Root + "trust/"
	JoinTokens   = Enrolment + "token/"       // + ID
	Certificates = Enrolment + "certificate/" // + serial
)

// JoinToken permits hosts to join the cluster, at JoinTokens+ID. Its secret is nowhere.
type JoinToken struct {
	ID       string    `json:"id"`
	Hash     string    `json:"hash"`               // SHA-256 of the secret, in hexadecimal
	Masters  bool      `json:"masters,omitempty"`  // who joins may be a netmaster too
	Replaces string    `json:"replaces,omitempty"` // name of the only host that may join, though another machine has certificates of it
	Uses     int       `json:"uses"`               // so many hosts may join; 0: any number
	Used     int       `json:"used"`               // so many have joined
	By       string    `json:"by"`                 // who made it
	Made     time.Time `json:"made"`
	Expires  time.Time `json:"expires"`
}

// Spent reports whether no one else may join by the token.
func (t *JoinToken) Spent() bool { return t.Uses > 0 && t.Used >= t.Uses }

// Certified is a certificate that the cluster's authority has issued, at Certificates+Serial. It is kept until the certificate has expired.
type Certified struct {
	Serial    string    `json:"serial"`            // in hexadecimal
	Identity  string    `json:"identity"`          // URI
	Hosts     []string  `json:"hosts,omitempty"`   // names and addresses of its server
	Request   string    `json:"request,omitempty"` // Sum of the request that it was issued for
	Token     string    `json:"token,omitempty"`   // ID of the token by which it was asked for
	By        string    `json:"by,omitempty"`      // who asked for it
	Issued    time.Time `json:"issued"`
	Until     time.Time `json:"until"`
	Revoked   time.Time `json:"revoked,omitzero"` // zero: it is not
	RevokedBy string    `json:"revokedBy,omitempty"`
}

// Valid reports whether the certificate proves something at a time.
func (c *Certified) Valid(at time.Time) bool { return c.Revoked.IsZero() && at.Before(c.Until) }

// Revocation is what agents are told of a certificate that counts no more, at Certificates+Serial.
type Revocation struct {
	Serial   string    `json:"serial"`   // in hexadecimal
	Identity string    `json:"identity"` // URI
	Until    time.Time `json:"until"`    // when it would have ended
}

// Revocation is what agents are told of the certificate; ok is false as long as it counts.
func (c *Certified) Revocation() (r Revocation, ok bool) {
	return Revocation{c.Serial, c.Identity, c.Until}, !c.Revoked.IsZero()
}
