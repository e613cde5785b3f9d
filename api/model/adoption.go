// SPDX-License-Identifier: Apache-2.0

package model

import "time"

// Adoption is an endpoint that runs on a host and contradicts the store: after a restore, or the loss of a store. Its flows stay on its
// host until an operator decides: GET /api/v1/adoptions.
type Adoption struct {
	Name    string    `json:"name"` // id of the endpoint
	Host    string    `json:"host"` // that carries it
	Address string    `json:"address,omitempty"`
	Holder  string    `json:"holder,omitempty"` // id of the endpoint of the store that it contradicts
	Reason  string    `json:"reason"`
	Since   time.Time `json:"since"`
}

// AdoptionDecision decides about an Adoption: POST /api/v1/adoptions.
type AdoptionDecision struct {
	Name   string `json:"name"`   // of an Adoption
	Accept bool   `json:"accept"` // the endpoint becomes part of the store, and the one that it contradicts is deleted; otherwise it loses its network
}

// AdoptionWait is the state of a store that follows another one, before an address is assigned or an endpoint deleted.
type AdoptionWait struct {
	Cause    string   // why the store is a new one, as in an incarnation: "restore"
	Missing  []string // labels of hosts that have not offered their endpoints, ordered
	Offered  []string // those that have
	Complete bool     // all hosts are known
	Max      string   // maximum time that a leader waits
}
