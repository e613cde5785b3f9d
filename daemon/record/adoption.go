// SPDX-License-Identifier: Apache-2.0

package record

import "time"

// The keys of an adoption: endpoints that hosts carry, and a store does not have, become part of it after a restore or a loss.
const (
	AdoptedKey = Root + "adopt/settled"   // a Nonce with the id of the incarnation in which all hosts have offered their endpoints
	Offers     = Root + "adopt/offered/"  // + host: a Nonce with the id of the incarnation to which it has offered them, until all have
	Adoptions  = Root + "adopt/conflict/" // those about which an operator decides
)

// Adoption is an endpoint that runs on a host and contradicts the store, at Adoptions+Key.
type Adoption struct {
	Key      string    `json:"key"` // host + "/" + id of the endpoint
	Endpoint Endpoint  `json:"endpoint"`
	Holder   string    `json:"holder,omitempty"` // id of the endpoint that it contradicts; "": none
	Reason   string    `json:"reason"`
	Since    time.Time `json:"since"`
	Dropped  bool      `json:"dropped,omitempty"` // an operator has decided that it loses its network
}

// AdoptionKey returns the key of an endpoint of a host.
func AdoptionKey(e *Endpoint) string { return e.Host + "/" + e.ID.String() }
