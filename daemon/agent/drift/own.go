// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/link"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Kept are things of one kind that are kept as they were set: link.Tables, link.Settings and link.Ends.
type Kept interface {
	Drift() ([]link.Drift, error)
	Repair(name string) error
}

// Own are Kept things of a host. It is a Source.
type Own struct {
	Sort  string // the kind of its differences
	What  string // name of a thing: "nftables table"
	Owner func(name string) ofnet.Key
	Of    Kept
}

// Kind is Sort.
func (o *Own) Kind() string { return o.Sort }

// Differences lists the things that others have changed. It blocks for the kernel.
func (o *Own) Differences() (out []Difference, err error) {
	list, err := o.Of.Drift()
	for _, d := range list {
		out = append(out, difference(o.Owner(d.Name), o.What+" "+d.Name, d.Name, d.Gone, d.Was, d.Want))
	}
	return out, err
}

// Repair sets a thing to its last value.
func (o *Own) Repair(_ context.Context, name string) error { return o.Of.Repair(name) }

// Bridge is the bridge of a switch. It is a Source.
type Bridge struct {
	Host   string // label, its owner
	Name   string
	Switch BridgeSwitch
	// Prepare applies the desired state of the bridge and its fixed ports. It may block until ctx ends.
	Prepare func(ctx context.Context) error
}

// BridgeSwitch is the part of *ovsdb.Switch that Bridge needs.
type BridgeSwitch interface {
	BridgeDrift() (d ovsdb.BridgeDrift, differs bool)
}

// Kind is KindBridge.
func (b *Bridge) Kind() string { return KindBridge }

// Differences compares with the last update from Open vSwitch. It does not block and never fails.
func (b *Bridge) Differences() ([]Difference, error) {
	d, differs := b.Switch.BridgeDrift()
	if !differs {
		return nil, nil
	}
	return []Difference{difference(ofnet.Key{Kind: ofnet.KindHost, Name: b.Host}, "bridge "+b.Name, b.Name, d.Gone, d.Was, d.Want)}, nil
}

// Repair prepares the bridge.
func (b *Bridge) Repair(ctx context.Context, _ string) error { return b.Prepare(ctx) }

// difference describes one: what is the operators' name of the thing, and settings are "name=value".
func difference(owner ofnet.Key, what, thing string, gone bool, was, want []string) Difference {
	m := model.Difference{Owner: owner.String(), What: "removed: " + what, Want: what + " " + strings.Join(want, " ")}
	if !gone {
		m.What = "changed: " + what
		var names []string
		for _, setting := range want {
			if name, _, ok := strings.Cut(setting, "="); ok {
				names = append(names, name)
			}
		}
		if len(names) > 0 {
			m.What += ", " + strings.Join(names, ", ")
		}
		m.Was = what + " " + strings.Join(was, " ")
	}
	return Difference{Difference: m, Thing: thing}
}
