package model

import "time"

// Adoption is an endpoint that runs on a host and contradicts what the store has: after a restore, or a store that was lost. Its flows stay on its host until an
// operator decides: GET /api/v1/adoptions.
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
	Accept bool   `json:"accept"` // the endpoint becomes part of the store, and the one that it contradicts is deleted; else it loses its network
}
