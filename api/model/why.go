// SPDX-License-Identifier: Apache-2.0

package model

import (
	"strconv"
	"strings"
	"time"
)

// WhyRequest asks whether, and why, one end reaches another: GET /api/v1/why with the fields as its query.
type WhyRequest struct {
	From     string // endpoint, container, group, service, host or address; "kind/name" selects one
	To       string
	Tenant   string // narrows names; "" is all
	Network  string // narrows names; "" is all
	Protocol string // "tcp", "udp" or "icmp"; "" is icmp without a port and tcp with one
	Port     int    // destination port; 0 without one
	All      bool   // for a group, check a container on each of its hosts, instead of one
	Probe    bool   // also send a packet
}

// Verdict is the result for a packet.
type Verdict string

// The verdicts.
const (
	VerdictAllowed  Verdict = "allowed"
	VerdictDenied   Verdict = "denied"
	VerdictDisagree Verdict = "disagree" // the switches differ from the objects
	VerdictUnknown  Verdict = "unknown"
)

// Why is the answer to a WhyRequest.
type Why struct {
	From     WhyEnd    `json:"from"`
	To       WhyEnd    `json:"to"`
	Protocol string    `json:"protocol"`
	Port     int       `json:"port,omitempty"`
	Verdict  Verdict   `json:"verdict"`
	Text     string    `json:"text"` // the verdict in a sentence
	Intent   WhyIntent `json:"intent"`
	Forward  WhyPath   `json:"forward"` // the packet that opens the connection
	Reverse  WhyPath   `json:"reverse"` // its answer; empty if nothing arrives that could be answered

	At         time.Time `json:"at,omitzero"`          // the earlier moment that the question is about; absent: now
	IntentOnly bool      `json:"intentOnly,omitempty"` // only the objects were evaluated: switches of an earlier moment cannot be asked

	Changed *WhyChange `json:"changed,omitempty"` // the last change of a relevant object; absent if none is recorded
	Probe   *WhyProbe  `json:"probe,omitempty"`   // result of the probe packet; absent: none was sent
	Next    string     `json:"next"`              // a command for more information
	Each    []Why      `json:"each,omitempty"`    // with All: the results of the representative containers, of which this is the worst
}

// WhyChange is the last change of an object that affects whether packets pass.
type WhyChange struct {
	Kind string    `json:"kind"` // as the history calls it
	Key  string    `json:"key"`
	Verb string    `json:"verb"` // create, update, delete
	By   Actor     `json:"by"`
	At   time.Time `json:"at"`
}

// WhyProbe is the result of a packet that the sender's host has sent from within the container.
type WhyProbe struct {
	Verdict Verdict `json:"verdict"`          // unknown: it could not be sent, or silence proves nothing
	Text    string  `json:"text"`             // in a sentence
	Micros  int64   `json:"micros,omitempty"` // until the answer
}

// WhyEnd is one end, with the object that its name was resolved to.
type WhyEnd struct {
	Name      string `json:"name"`                // as in the request
	Kind      string `json:"kind"`                // "endpoint", "service", "host" or "address"
	Object    string `json:"object"`              // id of the endpoint, "service:tenant", label of the host, or the address
	Container string `json:"container,omitempty"` // the runtime's name of the container, if it differs from the endpoint's
	Tenant    string `json:"tenant,omitempty"`    //
	Network   string `json:"network,omitempty"`   // "network.tenant"
	Group     string `json:"group,omitempty"`     // "group:tenant"
	Host      string `json:"host,omitempty"`      //
	Address   string `json:"address,omitempty"`   //
	MAC       string `json:"mac,omitempty"`       //
	StandsIn  bool   `json:"standsIn,omitempty"`  // Name is a group's, and the endpoint is one of its members; or a host's, and it is the host's own in the network of the hosts
}

// WhyIntent is the result according to the objects.
type WhyIntent struct {
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	Out     string  `json:"out,omitempty"` // rule of the sender's group that decides, "tenant:policy:rule"
	In      string  `json:"in,omitempty"`  // rule of the receiver's
}

// WhyPath is how the switches handle a packet.
type WhyPath struct {
	Verdict Verdict  `json:"verdict,omitempty"`
	Hops    []WhyHop `json:"hops,omitempty"`
}

// WhyHop is one switch on the path.
type WhyHop struct {
	Host    string      `json:"host"`
	Verdict Verdict     `json:"verdict"` // allowed: it forwards the packet; unknown: it did not answer
	Text    string      `json:"text"`    // in a sentence
	Owner   string      `json:"owner,omitempty"`
	Outside bool        `json:"beyond,omitempty"`  // Verdict is that of the host's kernel or of a router behind the switch, not of the switch
	Try     string      `json:"try,omitempty"`     // the remedy, a sentence
	Foreign []string    `json:"foreign,omitempty"` // flows on the path that are not Contiv's, as ovs-ofctl writes them
	Steps   []TraceStep `json:"steps,omitempty"`
}

// String describes an end in one line.
func (e *WhyEnd) String() string {
	text := e.Kind + " " + e.Object
	if e.StandsIn && e.Object == e.Host { // a host, by its own endpoint
		return text + ", as " + e.Address + " of network " + e.Network
	}
	if e.StandsIn {
		text += ", standing in for group " + strings.TrimPrefix(e.Name, "group/")
	}
	if e.Container != "" {
		text += ", container " + e.Container
	}
	if e.Address != "" && e.Address != e.Object {
		text += ", " + e.Address
	}
	if e.Group != "" && !e.StandsIn {
		text += ", group " + e.Group
	}
	if e.Host != "" && e.Host != e.Object {
		text += ", on " + e.Host
	}
	return text
}

// Traffic is the protocol, and the port if there is one.
func (w *Why) Traffic() string {
	if w.Port == 0 {
		return w.Protocol
	}
	return w.Protocol + " " + strconv.Itoa(w.Port)
}

// SetTraffic parses a protocol and a port, in any order, each at most once; both may be missing.
func (q *WhyRequest) SetTraffic(words []string) error {
	q.Protocol, q.Port = "", 0
	for _, a := range words {
		switch n, err := strconv.Atoi(a); {
		case err == nil && q.Port == 0:
			q.Port = n
		case err != nil && q.Protocol == "":
			q.Protocol = strings.ToLower(a)
		default:
			return Errorf(CodeInvalid, "protocol", "want a protocol and a port, got %q", strings.Join(words, " ")).Try("as in: tcp 5432")
		}
	}
	return nil
}

// Resolve fills in the default protocol, and refuses an unsupported request.
func (q *WhyRequest) Resolve() error {
	switch {
	case q.From == "":
		return Errorf(CodeInvalid, "from", "the sender is missing").Try("name a container, a group, a host or an address")
	case q.To == "":
		return Errorf(CodeInvalid, "to", "the receiver is missing").Try("name a container, a group, a service, a host or an address")
	case q.Port < 0 || q.Port > 65535:
		return Errorf(CodeInvalid, "port", "%d is no port", q.Port).Try("ports are 1 to 65535")
	}
	if q.Protocol == "" {
		q.Protocol = "icmp"
		if q.Port != 0 {
			q.Protocol = "tcp"
		}
	}
	switch {
	case q.Protocol != "icmp" && q.Protocol != "tcp" && q.Protocol != "udp":
		return Errorf(CodeInvalid, "protocol", "protocol %q cannot be followed", q.Protocol).Try("it is tcp, udp or icmp")
	case q.Protocol == "icmp" && q.Port != 0:
		return Errorf(CodeInvalid, "port", "icmp has no ports").Try("leave the port out, or say tcp or udp")
	case q.Protocol != "icmp" && q.Port == 0:
		return Errorf(CodeInvalid, "port", "%s needs the port that is connected to", q.Protocol).Try("add it, as in: netctl why web db tcp 5432")
	}
	return nil
}
