// SPDX-License-Identifier: Apache-2.0

// Package record defines the records that netmaster writes into the store for the agents: decisions, numbered and addressed.
//
// The key of a record ends with the text form of its object's identity, see package identity. JSON names, and the ids within the JSON, are
// those of the original Contiv, so that its tools and drivers can read them; those ids are written and never read, since two objects may
// have the same one. Values are only parsed here: a decoded record has valid addresses, prefixes and modes. Counters and bitmaps, which the
// original rewrote with every endpoint, are not here: counts are computed, pools have keys of their own. The package only computes.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"strconv"
)

// Prefixes of records. Agents receive State, Config and Services; nothing that changes often and does not concern them is below those.
const (
	Root     = "/contiv.io/"
	State    = Root + "state/"
	Config   = Root + "master/config/"
	Services = Root + "service/"
	Locks    = Root + "lock/"
	Runs     = Root + "running/" // which hosts' agents run; see Running
	Objects  = Root + "obj/modeldb/"
	Pools    = Root + "ipam/"
	History  = Root + "history/" // events, for operators; see daemon/master/history

	ACIProfiles = Root + "aci/appProfile/"

	Networks  = State + "network/"
	Endpoints = State + "endpoint/"
	Groups    = State + "group/"
	Tenants   = State + "tenants/"
	Hosts     = State + "host/"

	Rules       = State + "rule/"
	Attachments = State + "attachment/"
	ServiceLBs  = State + "service/"
	Providers   = State + "providers/"
	BGPs        = State + "bgp/"

	GlobalKey = Config + "global"
	// GlobalMark changes together with GlobalKey. Agents report their revision of State; the mark ensures that their Config belongs to it.
	GlobalMark = State + "global"
	// Landmark changes regularly while anything else does, so that watchers of State have seen a recent change.
	Landmark     = State + "landmark"
	LeaderKey    = Locks + "netmaster/leader"
	SuccessorKey = LeaderKey + "/heir"        // the successor named by the last leader that handed over
	MastersKey   = Locks + "netmaster/secret" // by which netmasters authenticate each other's requests
	TermsKey     = Root + "terms/netmaster"   // the last terms of leadership, for the console
)

// Global is the cluster-wide forwarding configuration, at GlobalKey.
type Global struct {
	ID        string       `json:"id"`
	InfraType string       `json:"nw-infra-type"`
	FwdMode   FwdMode      `json:"fwd-mode"` // "" if it is not set
	ArpMode   ArpMode      `json:"arp-mode"`
	PvtSubnet netip.Prefix `json:"pvt-subnet"` // host access, a /16

	HostAccess HostAccess `json:"host-access,omitempty"` // "" is HostPrivate
	Quarantine string     `json:"quarantine,omitempty"`  // duration of the quarantine of released addresses; "": that of netmaster's flag
}

// HostAccess is how hosts and endpoints communicate.
type HostAccess string

// The modes of host access: by private addresses of each host, or by the endpoints' own, which are then unique.
const (
	HostPrivate HostAccess = "private"
	HostDirect  HostAccess = "direct"
)

// FwdMode is how frames between networks are forwarded.
type FwdMode string

// The forwarding modes.
const (
	FwdBridge  FwdMode = "bridge"
	FwdRouting FwdMode = "routing"
)

// ArpMode selects who answers address resolution.
type ArpMode string

// The ARP modes: switches answer, or requests are flooded.
const (
	ArpProxy ArpMode = "proxy"
	ArpFlood ArpMode = "flood"
)

// Nonce is a random text that was never written before, at Landmark.
type Nonce struct {
	ID string `json:"id"`
}

// Mark names the content of another key, at GlobalMark.
type Mark struct {
	ID  string `json:"id"`  // "global"
	Sum string `json:"sum"` // Sum of the other key's value
}

// Sum returns a digest of a value: only equal values have the same one.
func Sum(value []byte) string {
	h := sha256.Sum256(value)
	return hex.EncodeToString(h[:16])
}

// Tenant is the number of a tenant's address space, at Tenants+name. VRF is 1..32767, unique and kept for life.
type Tenant struct {
	ID     string `json:"id"` // the tenant's name
	Tenant string `json:"tenant"`
	VRF    uint16 `json:"vrf"`
}

// ServiceMaster is the name of every netmaster's API, and RoleLeader the role of the one that leads.
const (
	ServiceMaster = "netmaster"
	RoleLeader    = "leader"
)

// Service is one registered instance of a service, leased, at Services+ServiceName+"/"+HostAddr+":"+Port.
type Service struct {
	ServiceName string `json:"ServiceName"`
	Role        string `json:"Role"` // of netmaster: "leader" or "follower"
	Version     string `json:"Version"`
	TTL         int    `json:"TTL"` // seconds
	HostAddr    string `json:"HostAddr"`
	Port        int    `json:"Port"`
	Hostname    string `json:"Hostname"`
	Store       string `json:"Store,omitempty"` // URLs of the store that it uses, separated by commas
}

// Key returns the key of the instance.
func (s *Service) Key() string {
	return Services + s.ServiceName + "/" + s.HostAddr + ":" + strconv.Itoa(s.Port)
}
