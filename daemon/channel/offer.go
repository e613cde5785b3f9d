// SPDX-License-Identifier: Apache-2.0

package channel

import "github.com/contiv/contiv/daemon/record"

// OfferHeader marks the answer of a netmaster that sends an agent nothing until the agent has offered its host's endpoints.
const OfferHeader = "X-Contiv-Offer"

// MaxOffer is the maximum number of endpoints in an Offer.
const MaxOffer = 4096

// Offer has the endpoints of a host's containers that have an interface, and the networks, groups and tenants of these, as netmasters sent
// them.
type Offer struct {
	Host      string            `json:"host"` // label
	Endpoints []record.Endpoint `json:"endpoints"`
	Networks  []record.Network  `json:"networks,omitempty"`
	Groups    []record.Group    `json:"groups,omitempty"`
	Tenants   []record.Tenant   `json:"tenants,omitempty"`
}

// Offered is the result of an Offer.
type Offered struct {
	Adopted   []string `json:"adopted,omitempty"`   // ids of endpoints that the store did not have, or not like this
	Conflicts []string `json:"conflicts,omitempty"` // of those about which an operator decides
	Dropped   []string `json:"dropped,omitempty"`   // of those that lose their network, by an operator's decision
}
