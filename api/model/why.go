package model

import (
	"strconv"
	"strings"
	"time"
)

// WhyRequest asks whether, and why, one end reaches another: GET /api/v1/why with the fields as its query.
type WhyRequest struct {
	From     string // endpoint, container, group, service, host or address; "kind/name" says which
	To       string
	Tenant   string // narrows names; "" is all
	Network  string // narrows names; "" is all
	Protocol string // "tcp", "udp" or "icmp"; "" is icmp without a port and tcp with one
	Port     int    // that is connected to; 0 without one
	All      bool   // of a group that is named, a container on each of its hosts is asked about, instead of one
	Probe    bool   // a packet is sent, too
}

// Verdict says what becomes of a packet.
type Verdict string

// The verdicts.
const (
	VerdictAllowed  Verdict = "allowed"
	VerdictDenied   Verdict = "denied"
	VerdictDisagree Verdict = "disagree" // the switches do something else than objects say
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
	Reverse  WhyPath   `json:"reverse"` // its answer; empty when nothing arrives that could be answered

	Changed *WhyChange `json:"changed,omitempty"` // the last change of an object that has a say; absent where none is remembered
	Probe   *WhyProbe  `json:"probe,omitempty"`   // what became of the packet that was sent; absent: none was
	Next    string     `json:"next"`              // the command that tells more
	Each    []Why      `json:"each,omitempty"`    // with All: the ways of the containers that stand in, of which this is the worst
}

// WhyChange is the last change of an object that has a say in whether packets pass.
type WhyChange struct {
	Kind string    `json:"kind"` // as the history calls it
	Key  string    `json:"key"`
	Verb string    `json:"verb"` // create, update, delete
	By   Actor     `json:"by"`
	At   time.Time `json:"at"`
}

// WhyProbe is what became of a packet that the sender's host has sent from within the container.
type WhyProbe struct {
	Verdict Verdict `json:"verdict"`          // unknown: it could not be sent, or silence says nothing
	Text    string  `json:"text"`             // in a sentence
	Micros  int64   `json:"micros,omitempty"` // until the answer
}

// WhyEnd is one end, with what its name was found to mean.
type WhyEnd struct {
	Name      string `json:"name"`                // as it was asked for
	Kind      string `json:"kind"`                // "endpoint", "service", "host" or "address"
	Object    string `json:"object"`              // id of the endpoint, "service:tenant", label of the host, or the address
	Container string `json:"container,omitempty"` // what the runtime calls the container, unless that is how the endpoint is called
	Tenant    string `json:"tenant,omitempty"`    //
	Network   string `json:"network,omitempty"`   // "network.tenant"
	Group     string `json:"group,omitempty"`     // "group:tenant"
	Host      string `json:"host,omitempty"`      //
	Address   string `json:"address,omitempty"`   //
	MAC       string `json:"mac,omitempty"`       //
	StandsIn  bool   `json:"standsIn,omitempty"`  // Name is a group's, and the endpoint is one of its members; or a host's, and it is the host's own in the network of the hosts
}

// WhyIntent is what the objects say.
type WhyIntent struct {
	Verdict Verdict `json:"verdict"`
	Text    string  `json:"text"`
	Out     string  `json:"out,omitempty"` // rule of the sender's group that decides, "tenant:policy:rule"
	In      string  `json:"in,omitempty"`  // rule of the receiver's
}

// WhyPath is what the switches do with a packet.
type WhyPath struct {
	Verdict Verdict  `json:"verdict,omitempty"`
	Hops    []WhyHop `json:"hops,omitempty"`
}

// WhyHop is one switch on the way.
type WhyHop struct {
	Host    string      `json:"host"`
	Verdict Verdict     `json:"verdict"` // allowed: it passes the packet on; unknown: it did not answer
	Text    string      `json:"text"`    // in a sentence
	Owner   string      `json:"owner,omitempty"`
	Outside bool        `json:"beyond,omitempty"`  // Verdict is that of the host's kernel or of a router behind the switch, not of the switch
	Try     string      `json:"try,omitempty"`     // what to do about it, a sentence
	Foreign []string    `json:"foreign,omitempty"` // flows on the way that are not Contiv's, as ovs-ofctl writes them
	Steps   []TraceStep `json:"steps,omitempty"`
}

// String is an end in a line.
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

// SetTraffic reads a protocol and a port, in any order, each at most once; both may be missing.
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

// Resolve fills in the protocol that is meant, and refuses what cannot be followed.
func (q *WhyRequest) Resolve() error {
	switch {
	case q.From == "":
		return Errorf(CodeInvalid, "from", "who sends is missing").Try("name a container, a group, a host or an address")
	case q.To == "":
		return Errorf(CodeInvalid, "to", "who is to receive is missing").Try("name a container, a group, a service, a host or an address")
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
