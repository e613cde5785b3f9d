package verdict

import "net/netip"

// NetworkPolicy is a policy of Kubernetes (networking.k8s.io/v1). It isolates the pods that it selects in its directions, except for what
// the rules of any such policy allow. Its invalid parts are not among its rules, and so allow nothing.
type NetworkPolicy struct {
	Namespace, Name string
	Pods            Selector // the selected ones, of its namespace
	Ingress, Egress PolicySide
}

// PolicySide is the part of a NetworkPolicy for what its pods receive, or send.
type PolicySide struct {
	Isolates bool // only what rules allow; unset, there are no rules
	Rules    []PolicyRule
}

// PolicyRule matches traffic with any of its peers to any of its ports.
type PolicyRule struct {
	Number int          // its place among those of the object in its direction, from 1
	Peers  []PolicyPeer // none for any
	Ports  []PolicyPort // of the side that is connected to; none for any, of any protocol
}

// PolicyPeer is the other side: addresses if Block is valid, otherwise pods.
type PolicyPeer struct {
	Block      netip.Prefix
	Except     []netip.Prefix // of Block
	Own        bool           // pods of the policy's own namespace; Namespaces is empty
	Namespaces Selector       // whose pods, unless Own
	Pods       Selector       // which of these
}

// PolicyPort is a range of ports of a protocol, by numbers or by the name that pods have for one of theirs.
type PolicyPort struct {
	Protocol    int // TCP, UDP or SCTP; 0 with a Name for any of them
	First, Last int // 0: all ports, or that of the Name
	Name        string
}

// ClusterPolicy is a policy of the whole cluster (ClusterNetworkPolicy of policy.networking.k8s.io). An invalid accept is not among its
// rules; an invalid deny or pass denies everything instead.
type ClusterPolicy struct {
	Name             string
	Baseline         bool     // of tier Baseline; otherwise Admin
	Priority         int      // in its tier, the lowest first
	Namespaces, Pods Selector // whose pods it judges, and which of these
	Ingress, Egress  []ClusterRule
}

// ClusterRule is a rule of a ClusterPolicy.
type ClusterRule struct {
	PolicyRule
	Action Action
}

// Action is the action of a ClusterRule.
type Action uint8

// The actions. Pass leaves the decision to the next tier.
const (
	Accept Action = iota + 1
	Deny
	Pass
)

// NamedPort is a port of a pod that policies may refer to by its name.
type NamedPort struct {
	Name           string
	Protocol, Port int
}
