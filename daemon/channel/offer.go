package channel

import "github.com/contiv/contiv/daemon/record"

// OfferHeader marks the answer of a netmaster that sends an agent nothing until the agent has offered what its host carries.
const OfferHeader = "X-Contiv-Offer"

// MaxOffer is how many endpoints an Offer may have.
const MaxOffer = 4096

// Offer is what a host carries: endpoints of its containers that have an interface, and the networks, groups and tenants of these, as netmasters sent them.
type Offer struct {
	Host      string            `json:"host"` // label
	Endpoints []record.Endpoint `json:"endpoints"`
	Networks  []record.Network  `json:"networks,omitempty"`
	Groups    []record.Group    `json:"groups,omitempty"`
	Tenants   []record.Tenant   `json:"tenants,omitempty"`
}

// Offered is what became of an Offer.
type Offered struct {
	Adopted   []string `json:"adopted,omitempty"`   // ids of endpoints that the store has now and had not, or not so
	Conflicts []string `json:"conflicts,omitempty"` // of those about which an operator decides
	Dropped   []string `json:"dropped,omitempty"`   // of those that lose their network, by an operator's decision
}
