// SPDX-License-Identifier: Apache-2.0

package model

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/contiv/contiv/identity"
)

// Observed is an observed event of a connection: a line of GET /api/v1/observe, and of /inspect/observed of an agent.
type Observed struct {
	Time    time.Time       `json:"time"` // when the host has seen it: tracker events up to a second or so late
	Host    string          `json:"host,omitempty"`
	Verdict ObservedVerdict `json:"verdict"`
	Tenant  string          `json:"tenant,omitempty"`
	From    *ObservedEnd    `json:"from,omitempty"` // the end that opens the connection
	To      *ObservedEnd    `json:"to,omitempty"`
	Service string          `json:"service,omitempty"`  // "tenant:service" that directs it to To
	Proto   string          `json:"protocol,omitempty"` // "tcp", "udp", "sctp", "icmp", or a number
	SrcPort int             `json:"srcPort,omitempty"`
	Port    int             `json:"port,omitempty"`   // of To
	Rules   []string        `json:"rules,omitempty"`  // that refuse it, or have admitted it here: "rule/TENANT:POLICY:RULE", or as flows name owners
	Reason  string          `json:"reason,omitempty"` // why it was refused or dropped; of unknown: what is unknown
	Count   uint64          `json:"count,omitempty"`  // of refused and dropped: packets of this connection that reached the agent; of unknown: number of lost events
	Sent    *FlowCount      `json:"sent,omitempty"`   // of closed: by From; absent: the switch does not count it
	Got     *FlowCount      `json:"got,omitempty"`    // by From
	Seconds *float64        `json:"seconds,omitempty"`
}

// ObservedVerdict is the kind of an event.
type ObservedVerdict string

// The kinds of events.
const (
	ObservedOpened  ObservedVerdict = "opened"
	ObservedClosed  ObservedVerdict = "closed"
	ObservedRefused ObservedVerdict = "refused" // by a rule or policy
	ObservedDropped ObservedVerdict = "dropped" // it matches no flow
	ObservedUnknown ObservedVerdict = "unknown" // no connection: Reason describes what is missing
)

// ObservedEnd is one end of a connection.
type ObservedEnd struct {
	Address  string `json:"address"`
	Endpoint string `json:"endpoint,omitempty"` // its id; "": not Contiv's
	Name     string `json:"name,omitempty"`     // the runtime's name of the container, or the pod
	Network  string `json:"network,omitempty"`  // "tenant:network" of the endpoint
	Group    string `json:"group,omitempty"`    // "tenant:group"
	Host     string `json:"host,omitempty"`     // its host, or the host itself
}

// Observe is the request for events: GET /api/v1/observe with the fields as its query.
type Observe struct {
	From, To string // endpoint, container, pod, group, service, address or host, or several of these, separated by commas; "" is any
	Rule     string // "TENANT:POLICY:RULE", the beginning of that, or an owner of flows; "" is any
	Service  string // "TENANT:SERVICE" or the service; "" is any
	Tenant   string // "" is all
	Denied   bool   // only refused and dropped
	Follow   bool   // continue with new events
	Since    time.Duration
}

// ObservedLines is the media type of a stream of events: one of JSON a line, and empty lines.
const ObservedLines = "application/x-ndjson"

// ObserveSince is the default age of the first event.
const ObserveSince = 5 * time.Minute

// Query encodes the request as a query.
func (o *Observe) Query() url.Values {
	out := url.Values{}
	for name, v := range map[string]string{"from": o.From, "to": o.To, "rule": o.Rule, "service": o.Service, "tenant": o.Tenant} {
		if v != "" {
			out.Set(name, v)
		}
	}
	for name, v := range map[string]bool{"denied": o.Denied, "follow": o.Follow} {
		if v {
			out.Set(name, "true")
		}
	}
	if o.Since > 0 {
		out.Set("since", o.Since.String())
	}
	return out
}

// ParseObserve parses the result of Query; errors name the field.
func ParseObserve(q url.Values) (o Observe, err error) {
	o = Observe{From: q.Get("from"), To: q.Get("to"), Rule: q.Get("rule"), Service: q.Get("service"), Tenant: q.Get("tenant")}
	for name, to := range map[string]*bool{"denied": &o.Denied, "follow": &o.Follow} {
		if text := q.Get(name); text != "" {
			if *to, err = strconv.ParseBool(text); err != nil {
				return o, Errorf(CodeInvalid, name, "%q is neither true nor false", text).Try("set %s=true, or omit it", name)
			}
		}
	}
	if text := q.Get("since"); text != "" {
		if o.Since, err = time.ParseDuration(text); err != nil || o.Since < 0 {
			return o, Errorf(CodeInvalid, "since", "got %q, want a positive duration", text).Try("as in: 90s, 5m or 1h")
		}
	}
	return o, nil
}

// Matches reports whether the request selects an event. It always selects unknown ones.
func (o *Observe) Matches(e *Observed) bool {
	if o.Tenant != "" && e.Tenant != "" && e.Tenant != o.Tenant {
		return false
	}
	if e.Verdict == ObservedUnknown {
		return true
	}
	if o.Denied && e.Verdict != ObservedRefused && e.Verdict != ObservedDropped {
		return false
	}
	to := func(text string) bool { return e.To.Is(text) || named(e.Service, text, "service/") }
	return oneOf(o.From, e.From.Is) && oneOf(o.To, to) &&
		(o.Service == "" || named(e.Service, o.Service, "service/")) &&
		(o.Rule == "" || slices.ContainsFunc(e.Rules, func(r string) bool { return ruled(r, o.Rule) }))
}

// oneOf reports whether a value is one of several texts, separated by commas; an empty list includes all.
func oneOf(list string, is func(text string) bool) bool {
	return list == "" || slices.ContainsFunc(strings.Split(list, ","), is)
}

// Is reports whether text names an end.
func (e *ObservedEnd) Is(text string) bool {
	return e != nil && (e.Address == text || text != "" && e.Name == text || named(e.Endpoint, text, "endpoint/") || named(e.Group, text, "group/") ||
		e.Host != "" && (text == "host/"+e.Host || e.Endpoint == "" && text == e.Host))
}

// named reports whether text names an object "tenant:...:name": as a whole, or by its last name, with its kind before it or without.
func named(object, text, kind string) bool {
	text = strings.TrimPrefix(text, kind)
	return object != "" && text != "" && identity.Ends(object, text)
}

// ruled reports whether text names a rule: as flows name it, as users do, or its policy.
func ruled(rule, text string) bool {
	if rule == text {
		return true
	}
	r, _ := identity.ParseRef(rule)
	text = strings.TrimPrefix(strings.TrimPrefix(text, r.Kind+"/"), "policy/")
	return identity.Within(r.Name, text)
}

// String describes an end: the name of its container, its group, and its address.
func (e *ObservedEnd) String() string {
	if e == nil {
		return ""
	}
	id, _ := identity.ParseEndpoint(e.Endpoint)
	text := cmp.Or(e.Name, id.Endpoint)
	switch {
	case text == "" && e.Host != "":
		return "host " + e.Host + " " + e.Address
	case text == "":
		return e.Address
	case e.Group != "":
		_, group, _ := identity.Cut(e.Group)
		text += " (" + group + ")"
	}
	return text + " " + e.Address
}

// Traffic returns the protocol, with the port if it has any: "tcp/80"; "" for no connection.
func (e *Observed) Traffic() string {
	if e.Port == 0 {
		return e.Proto
	}
	return e.Proto + "/" + strconv.Itoa(e.Port)
}

// Why has the other details of an event: rule, reason, counts and duration.
func (e *Observed) Why() string {
	var words []string
	add := func(format string, args ...any) { words = append(words, fmt.Sprintf(format, args...)) }
	rules := make([]string, len(e.Rules))
	for i, r := range e.Rules {
		rules[i] = strings.Replace(r, "/", " ", 1)
	}
	switch said := strings.Join(rules, " and "); {
	case said != "" && e.Verdict == ObservedRefused:
		add("%s denies it", said)
	case said != "":
		add("%s", said)
	}
	if e.Reason != "" {
		add("%s", e.Reason)
	}
	if e.Service != "" {
		add("by service %s", e.Service)
	}
	if e.Count > 1 && e.Verdict != ObservedUnknown {
		add("%d packets", e.Count)
	}
	if e.Seconds != nil {
		add("after %v", time.Duration(*e.Seconds*float64(time.Second)).Round(100*time.Millisecond))
	}
	if e.Sent != nil && e.Got != nil {
		add("sent %d B, got %d B", e.Sent.Bytes, e.Got.Bytes)
	}
	return strings.Join(words, ", ")
}
