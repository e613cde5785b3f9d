// SPDX-License-Identifier: Apache-2.0

package drift

import (
	"context"

	"github.com/contiv/contiv/ofnet"
	"github.com/contiv/contiv/ofnet/ovsdb"
)

// Switch is the part of *ovsdb.Switch that Ports needs.
type Switch interface {
	Drift() []ovsdb.PortDrift
	Repair(ctx context.Context, name string) error
}

// Ports are the ports of a switch. It is a Source.
type Ports struct {
	Host   string // label, the owner of ports that belong to no endpoint
	Switch Switch
}

// Kind is KindPort.
func (p *Ports) Kind() string { return KindPort }

// Differences compares with the last update from Open vSwitch. It does not block and never fails.
func (p *Ports) Differences() (out []Difference, err error) {
	for _, d := range p.Switch.Drift() {
		owner := ofnet.Key{Kind: ofnet.KindEndpoint, Name: d.Endpoint}
		if d.Endpoint == ovsdb.FixedPort {
			owner = ofnet.Key{Kind: ofnet.KindHost, Name: p.Host}
		}
		out = append(out, difference(owner, "port "+d.Name, d.Name, d.Gone, d.Was, d.Want))
	}
	return out, nil
}

// Repair repairs a port.
func (p *Ports) Repair(ctx context.Context, name string) error { return p.Switch.Repair(ctx, name) }
