// Package lacp reads what ovs-vswitchd tells of link aggregation (IEEE 802.1AX), as its command lacp/show prints it
// (ovs-vswitchd(8), "Bond Commands").
package lacp

import (
	"errors"
	"strings"
)

// Bond is one port that negotiates.
type Bond struct {
	Name       string
	Negotiated bool // the other side speaks LACP
	Members    []Member
}

// Member is an interface of a Bond.
type Member struct {
	Name     string
	Status   string // "current": the partner is heard; "expired": not any more; "defaulted": it is taken for silent
	Attached bool   // it belongs to the aggregate
	Enabled  bool   // it has a link and carries traffic
	Partner  string // MAC by which the other side names itself, "" when it was not heard
}

// ErrNoBond is what Parse returns for a text that tells of no port.
var ErrNoBond = errors.New("no port negotiates link aggregation")

// Parse reads the text of lacp/show. Lines that it does not know are left out.
func Parse(text string) ([]Bond, error) {
	var out []Bond
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutPrefix(line, "---- "); ok {
			out = append(out, Bond{Name: strings.TrimSuffix(name, " ----")})
			continue
		}
		if len(out) == 0 {
			continue
		}
		bond := &out[len(out)-1]
		key, value, _ := strings.Cut(line, ": ")
		switch key {
		case "status":
			bond.Negotiated = strings.HasSuffix(value, "negotiated")
		case "member", "slave": // the latter before Open vSwitch 2.16
			bond.Members = append(bond.Members, member(value))
		case "may_enable", "partner sys_id":
			if n := len(bond.Members); n > 0 {
				bond.Members[n-1].set(key, value)
			}
		}
	}
	if len(out) == 0 {
		return nil, ErrNoBond
	}
	return out, nil
}

// member reads "eth1: current attached".
func member(text string) Member {
	name, state, _ := strings.Cut(text, ": ")
	status, place, _ := strings.Cut(state, " ")
	return Member{Name: name, Status: status, Attached: place == "attached"}
}

func (m *Member) set(key, value string) {
	switch {
	case key == "may_enable":
		m.Enabled = value == "true"
	case value != "00:00:00:00:00:00":
		m.Partner = value
	}
}
