package drift

import (
	"context"
	"strings"

	"github.com/contiv/contiv/api/model"
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

// Differences compares with what Open vSwitch last told. It does not block and never fails.
func (p *Ports) Differences() (out []Difference, err error) {
	for _, d := range p.Switch.Drift() {
		owner := ofnet.Key{Kind: ofnet.KindEndpoint, Name: d.Endpoint}
		if d.Endpoint == ovsdb.FixedPort {
			owner = ofnet.Key{Kind: ofnet.KindHost, Name: p.Host}
		}
		m := model.Difference{Owner: owner.String(), What: "removed: port " + d.Name, Want: "port " + d.Name + " " + strings.Join(d.Want, " ")}
		if !d.Gone {
			var names []string
			for _, setting := range d.Want {
				name, _, _ := strings.Cut(setting, "=")
				names = append(names, name)
			}
			m.What = "changed: port " + d.Name + ", " + strings.Join(names, ", ")
			m.Was = "port " + d.Name + " " + strings.Join(d.Was, " ")
		}
		out = append(out, Difference{Difference: m, Thing: d.Name})
	}
	return out, nil
}

// Repair makes a port as it should be.
func (p *Ports) Repair(ctx context.Context, name string) error { return p.Switch.Repair(ctx, name) }
