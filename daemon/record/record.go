// Package record holds what netmaster writes into the store for the agents: decisions, numbered and addressed.
//
// Key names and JSON names are those of the original Contiv, so that tools which read its state store keep working.
// Counters and bitmaps, which the original rewrote with every endpoint, are not here: counts are computed, pools have
// keys of their own. The package computes only.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"net/netip"
	"strconv"
	"strings"
)

// Prefixes under which records live. Agents watch State, Config and Services; nothing that changes often and does
// not concern them lies below those.
const (
	Root     = "/contiv.io/"
	State    = Root + "state/"
	Config   = Root + "master/config/"
	Services = Root + "service/"
	Locks    = Root + "lock/"
	Claims   = Root + "claim/" // which machine is which host; see Claim
	Objects  = Root + "obj/modeldb/"
	Pools    = Root + "ipam/"
	History  = Root + "history/" // what happened, for operators; see daemon/master/history

	ACIProfiles = Root + "aci/appProfile/"

	Networks  = State + "nets/"
	Endpoints = State + "eps/"
	Groups    = State + "endpointGroups/"
	Tenants   = State + "tenants/"

	Rules       = State + "rule/"
	Attachments = State + "attachment/"
	ServiceLBs  = State + "serviceLB/"
	Providers   = State + "provider/"
	BGPs        = State + "bgp/"

	GlobalKey = Config + "global"
	// GlobalMark changes together with GlobalKey. Agents say how far they are in State; by the mark they know that what they
	// have of Config belongs to it.
	GlobalMark = State + "global"
	// Landmark changes now and then while anything else does, so that those who watch State have seen something that is recent.
	Landmark   = State + "landmark"
	LeaderKey  = Locks + "netmaster/leader"
	HeirKey    = LeaderKey + "/heir"        // whom the last leader that handed over wanted to follow it
	MastersKey = Locks + "netmaster/secret" // by which netmasters know each other's requests
	TermsKey   = Root + "terms/netmaster"   // the last terms of leadership, for the console
)

// Global is the cluster-wide forwarding configuration, at GlobalKey.
type Global struct {
	ID        string `json:"id"`
	InfraType string `json:"nw-infra-type"`
	FwdMode   string `json:"fwd-mode"`   // "bridge", "routing" or "" (not set yet)
	ArpMode   string `json:"arp-mode"`   // "proxy" or "flood"
	PvtSubnet string `json:"pvt-subnet"` // host access, a /16
}

// Nonce is a random text that no one has written before, at Landmark.
type Nonce struct {
	ID string `json:"id"`
}

// Mark names the content of another key, at GlobalMark.
type Mark struct {
	ID  string `json:"id"`  // "global"
	Sum string `json:"sum"` // Sum of the other key's value
}

// Sum names a value as it is stored: two values have the same one only if they are the same.
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

// Network is a network with its numbers, at Networks+"network.tenant".
type Network struct {
	ID          string `json:"id"` // "network.tenant"
	Tenant      string `json:"tenant"`
	NetworkName string `json:"networkName"`
	NwType      string `json:"nwType"`     // "data" or "infra"
	PktTagType  string `json:"pktTagType"` // "vlan" or "vxlan"
	PktTag      int    `json:"pktTag"`     // VLAN id; of a vxlan network the cluster-local VLAN
	ExtPktTag   int    `json:"extPktTag"`  // VNI; 0 of a vlan network
	SubnetIP    string `json:"subnetIP"`   // masked network address
	SubnetLen   uint   `json:"subnetLen"`
	Gateway     string `json:"gateway"`
	IPAddrRange string `json:"ipAddrRange"` // "first-last", always filled
	IPv6Subnet  string `json:"ipv6SubnetIP"`
	IPv6Len     uint   `json:"ipv6SubnetLen"`
	IPv6Gateway string `json:"ipv6Gateway"`
	NetworkTag  string `json:"networkTag"`
}

// Range is the network's IPv4 addresses as text: the subnet, or "first-last/len" when it is part of one.
func (n *Network) Range() string {
	length := "/" + strconv.FormatUint(uint64(n.SubnetLen), 10)
	base, err := netip.ParseAddr(n.SubnetIP)
	if err != nil {
		return n.IPAddrRange + length
	}
	first, last, _ := strings.Cut(n.IPAddrRange, "-")
	whole := netip.PrefixFrom(base, int(n.SubnetLen))
	if first == "" || first == n.SubnetIP && last == lastOf(whole).String() {
		return whole.String()
	}
	return n.IPAddrRange + length
}

// lastOf is the highest address of an IPv4 subnet.
func lastOf(p netip.Prefix) netip.Addr {
	b := p.Masked().Addr().As4()
	for bit := p.Bits(); bit < 32; bit++ {
		b[bit/8] |= 0x80 >> (bit % 8)
	}
	return netip.AddrFrom4(b)
}

// Range6 is the network's IPv6 subnet, "" when it has none.
func (n *Network) Range6() string {
	if n.IPv6Subnet == "" {
		return ""
	}
	return n.IPv6Subnet + "/" + strconv.FormatUint(uint64(n.IPv6Len), 10)
}

// SegmentID is the number that stands for a network in a switch's registers: unique in the cluster because tags are,
// the same after every restart, never 0.
func (n *Network) SegmentID() uint32 {
	if n.PktTagType == "vxlan" { // VNIs end at 65535
		return 1<<16 | uint32(n.ExtPktTag)
	}
	return uint32(n.PktTag)
}

// HostNetwork is the infra network by which hosts reach the VXLAN networks and the services of its tenant, by name.
const HostNetwork = "contivh1"

// InfraNetwork is Network.NwType of networks for the hosts themselves.
const InfraNetwork = "infra"

// Endpoint is one container interface, at Endpoints+ID.
type Endpoint struct {
	ID               string            `json:"id"` // "network.tenant-container"
	NetID            string            `json:"netID"`
	EndpointID       string            `json:"endpointID"`
	ServiceName      string            `json:"serviceName,omitempty"` // group name as given
	EndpointGroupID  int               `json:"endpointGroupId,omitempty"`
	EndpointGroupKey string            `json:"endpointGroupKey,omitempty"` // "group:tenant"
	IPAddress        string            `json:"ipAddress"`
	IPv6Address      string            `json:"ipv6Address,omitempty"`
	MacAddress       string            `json:"macAddress"`
	HomingHost       string            `json:"homingHost"`
	IntfName         string            `json:"intfName,omitempty"`
	VtepIP           string            `json:"vtepIP,omitempty"`
	Labels           map[string]string `json:"labels,omitempty"`
	ContainerID      string            `json:"containerId,omitempty"`
	EPCommonName     string            `json:"epCommonName,omitempty"`
	Machine          string            `json:"machine,omitempty"` // that attached it, as in Claim
	Tenant           string            `json:"tenant,omitempty"`  // "" in records of older builds; see TenantOf
}

// TenantOf is the endpoint's tenant. Of a record that does not name it, it is what the network's id says when that can be read in
// one way only, and "" otherwise: only the network's record tells then.
func (e *Endpoint) TenantOf() string {
	if e.Tenant != "" {
		return e.Tenant
	}
	if _, tenant, ok := strings.Cut(e.NetID, "."); ok && !strings.Contains(tenant, ".") {
		return tenant
	}
	return ""
}

// NetworkOf is the name of the endpoint's network within its tenant, "" when TenantOf is.
func (e *Endpoint) NetworkOf() string {
	if tenant := e.TenantOf(); tenant != "" {
		return strings.TrimSuffix(e.NetID, "."+tenant)
	}
	return ""
}

// Group is an endpoint group with its number, at Groups+"group:tenant".
type Group struct {
	ID              string `json:"id"` // "group:tenant"
	GroupName       string `json:"groupName"`
	TenantName      string `json:"tenantName"`
	NetworkName     string `json:"networkName"`
	EndpointGroupID int    `json:"endpointGroupId"`
	PktTagType      string `json:"pktTagType"`
	PktTag          int    `json:"pktTag"`
	ExtPktTag       int    `json:"extPktTag"`
	DSCP            int    `json:"DSCP"`
	Bandwidth       string `json:"Bandwidth"`
	Burst           int    `json:"Burst"`
	ReceiveRate     string `json:"ReceiveBandwidth,omitempty"`
	ReceiveBurst    int    `json:"ReceiveBurst,omitempty"`
	IPPool          string `json:"IPPool"` // "first-last" or ""
	GroupTag        string `json:"groupTag"`
}

// Names of registered services.
const (
	ServiceMaster    = "netmaster"      // every netmaster's API
	ServiceAgent     = "netplugin"      // every agent's REST inspection address
	ServiceAgentVTEP = "netplugin.vtep" // every agent's tunnel address
)

// Service is one registered instance of a service, leased, at Services+ServiceName+"/"+HostAddr+":"+Port.
type Service struct {
	ServiceName string `json:"ServiceName"`
	Role        string `json:"Role"` // of netmaster: "leader" or "follower"
	Version     string `json:"Version"`
	TTL         int    `json:"TTL"` // seconds
	HostAddr    string `json:"HostAddr"`
	Port        int    `json:"Port"`
	Hostname    string `json:"Hostname"`            // host label
	UplinkMAC   string `json:"UplinkMAC,omitempty"` // of netplugin.vtep
}

// Key is where the instance is registered.
func (s *Service) Key() string {
	return Services + s.ServiceName + "/" + s.HostAddr + ":" + strconv.Itoa(s.Port)
}
