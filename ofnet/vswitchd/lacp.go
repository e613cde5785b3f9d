// SPDX-License-Identifier: Apache-2.0

package vswitchd

import (
	"errors"
	"strings"
)

// Bond is one port that uses LACP.
type Bond struct {
	Name       string
	Negotiated bool // the other side speaks LACP
	Members    []Member
}

// Member is an interface of a Bond.
type Member struct {
	Name     string
	Status   string // "current": LACPDUs arrive; "expired": they no longer do; "defaulted": the partner counts as absent
	Attached bool   // it belongs to the aggregate
	Enabled  bool   // it has a link and carries traffic
	Partner  string // the partner's system id, a MAC; "" if no LACPDU was received
}

// ErrNoBond is returned by Parse for a text without a port.
var ErrNoBond = errors.New("no port negotiates link aggregation")

// ParseBonds parses the text of lacp/show. It skips unknown lines.
func ParseBonds(text string) ([]Bond, error) {
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
