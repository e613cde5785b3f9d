// SPDX-License-Identifier: Apache-2.0

package record

import "time"

// The keys of join tokens, and of the certificates that the CA has issued. Agents only receive Revocations.
const (
	Enrolment    = Root + "trust/"
	JoinTokens   = Enrolment + "token/"       // + ID
	Certificates = Enrolment + "certificate/" // + serial
	RotationKey  = Enrolment + "rotation"     // see Rotation
)

// Phase is a phase of the replacement of the cluster's authority.
type Phase string

// Phases, in their order.
const (
	PhaseTrust  Phase = "trust"  // all daemons trust the next authority in addition to the signing one
	PhaseSign   Phase = "sign"   // the next one signs, and both are trusted
	PhaseFinish Phase = "finish" // only the next one is trusted
)

// Rotation is the replacement of the cluster's authority by another, at RotationKey. The last one stays there.
type Rotation struct {
	Phase       Phase     `json:"phase"`
	From        string    `json:"from"`          // fingerprint of the authority that is replaced
	To          string    `json:"to"`            // of the next one
	Certificate string    `json:"certificate"`   // of the next one, PEM
	Key         []byte    `json:"key,omitempty"` // its key, PEM, sealed by the authority that is replaced for RotationKey; nil once it is complete
	By          string    `json:"by"`            // the requester
	Since       time.Time `json:"since"`         // of the phase
}

// Underway reports whether the replacement is not complete.
func (r *Rotation) Underway() bool {
	return r != nil && (r.Phase == PhaseTrust || r.Phase == PhaseSign)
}

// JoinToken permits hosts to join the cluster, at JoinTokens+ID. Its secret is not stored.
type JoinToken struct {
	ID       string    `json:"id"`
	Hash     string    `json:"hash"`               // SHA-256 of the secret, in hexadecimal
	Masters  bool      `json:"masters,omitempty"`  // the host may also be a netmaster
	Replaces string    `json:"replaces,omitempty"` // name of the only host that may join, even if another machine has certificates of it
	Uses     int       `json:"uses"`               // maximum number of hosts; 0: any number
	Used     int       `json:"used"`               // number of hosts that have joined
	By       string    `json:"by"`                 // the user who created it
	Made     time.Time `json:"made"`
	Expires  time.Time `json:"expires"`
}

// Spent reports whether the token is used up.
func (t *JoinToken) Spent() bool { return t.Uses > 0 && t.Used >= t.Uses }

// Certified is a certificate that the cluster's CA has issued, at Certificates+Serial. It is kept until the certificate has expired.
type Certified struct {
	Serial    string    `json:"serial"`            // in hexadecimal
	Identity  string    `json:"identity"`          // URI
	Hosts     []string  `json:"hosts,omitempty"`   // names and addresses of its server
	Request   string    `json:"request,omitempty"` // Sum of the request that it was issued for
	Token     string    `json:"token,omitempty"`   // ID of the token by which it was requested
	By        string    `json:"by,omitempty"`      // the requester
	Issued    time.Time `json:"issued"`
	Until     time.Time `json:"until"`
	Revoked   time.Time `json:"revoked,omitzero"` // zero: not revoked
	RevokedBy string    `json:"revokedBy,omitempty"`
	Authority string    `json:"authority,omitempty"` // fingerprint of the authority that has signed it; "": an earlier build recorded it
}

// Valid reports whether the certificate is valid at a time.
func (c *Certified) Valid(at time.Time) bool { return c.Revoked.IsZero() && at.Before(c.Until) }

// Revocation is a revoked certificate as sent to agents, at Certificates+Serial.
type Revocation struct {
	Serial   string    `json:"serial"`   // in hexadecimal
	Identity string    `json:"identity"` // URI
	Until    time.Time `json:"until"`    // its original end
}

// Revocation returns the part of the certificate for agents; ok is false if it is not revoked.
func (c *Certified) Revocation() (r Revocation, ok bool) {
	return Revocation{c.Serial, c.Identity, c.Until}, !c.Revoked.IsZero()
}
