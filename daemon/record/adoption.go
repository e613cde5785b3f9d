package record

import "time"

// Where the state of an adoption is: what hosts carry, and a store does not know, becomes part of it after a restore or a loss.
const (
	AdoptedKey = Root + "adopt/settled"   // a Nonce with the id of the incarnation in which all hosts have offered what they carry
	Offers     = Root + "adopt/offered/"  // + host: a Nonce with the id of the incarnation to which it has offered that, until all have
	Adoptions  = Root + "adopt/conflict/" // those about which an operator decides
)

// Adoption is an endpoint that runs on a host and contradicts the store, at Adoptions+Key.
type Adoption struct {
	Key      string    `json:"key"` // host + "/" + id of the endpoint
	Endpoint Endpoint  `json:"endpoint"`
	Holder   string    `json:"holder,omitempty"` // id of the endpoint that it contradicts; "": of none
	Reason   string    `json:"reason"`
	Since    time.Time `json:"since"`
	Dropped  bool      `json:"dropped,omitempty"` // an operator has decided that it loses its network
}

// AdoptionKey is the key of an endpoint that a host carries.
func AdoptionKey(e *Endpoint) string { return e.Host + "/" + e.ID.String() }
