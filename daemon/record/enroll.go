package record

import "time"

// Where it is kept who may join the cluster, and which certificates its authority has issued. Of all that agents are told Revocations alone.
const (
	Enrolment    = Root + "trust/"
	JoinTokens   = Enrolment + "token/"       // + ID
	Certificates = Enrolment + "certificate/" // + serial
	RotationKey  = Enrolment + "rotation"     // see Rotation
)

// Phase is how far the replacement of the cluster's authority is.
type Phase string

// Phases, in their order.
const (
	PhaseTrust  Phase = "trust"  // all trust the next authority beside the one that signs
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
	By          string    `json:"by"`            // who asked for it
	Since       time.Time `json:"since"`         // of the phase
}

// Underway reports whether the replacement is not complete.
func (r *Rotation) Underway() bool {
	return r != nil && (r.Phase == PhaseTrust || r.Phase == PhaseSign)
}

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
	Authority string    `json:"authority,omitempty"` // fingerprint of the authority that has signed it; "": an earlier build recorded it
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
