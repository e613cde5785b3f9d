package page

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Topology is the tree of tenants, networks, groups and endpoints.
type Topology struct{ top int }

// NewTopology makes the page.
func NewTopology() *Topology { return &Topology{} }

// Name is the crumb.
func (p *Topology) Name() string { return "topology" }

// Command lists what hangs on the tree.
func (p *Topology) Command() string { return "netctl endpoint ls" }

// Keys scroll.
func (p *Topology) Keys() []theme.Key { return theme.TextKeys() }

// Key scrolls.
func (p *Topology) Key(key string, c Canvas, s *feed.Snapshot) Action {
	scroll(&p.top, key, c.Height)
	p.top = max(0, min(p.top, len(p.tree(c, s))-c.Height))
	return Action{}
}

// View draws the window.
func (p *Topology) View(c Canvas, s *feed.Snapshot) []string {
	lines := p.tree(c, s)
	if len(lines) == 0 {
		return []string{c.Theme.Paint(theme.Dim, "no tenants, or none that the filter keeps")}
	}
	shown, _ := widget.Scroll(lines, p.top, c.Height)
	return shown
}

// tree draws all lines. Endpoints are sorted into networks once, so a large cluster costs one pass.
func (p *Topology) tree(c Canvas, s *feed.Snapshot) []string {
	on := map[string][]*model.EndpointOper{}
	for i := range s.Endpoints {
		e := &s.Endpoints[i]
		on[e.Network+"/"+e.EndpointGroupKey] = append(on[e.Network+"/"+e.EndpointGroupKey], e)
	}
	t := c.Theme
	var out []string
	line := func(depth int, role theme.Role, format string, args ...any) {
		text := strings.Repeat("  ", depth) + fmt.Sprintf(format, args...)
		if c.Filter.Keeps([]string{text}) {
			out = append(out, t.Paint(role, text))
		}
	}
	leaves := func(depth int, all []*model.EndpointOper) {
		for _, e := range all {
			line(depth, theme.Plain, "%s %-20s %-16s %s", t.Glyphs.Used, e.EndpointID, firstAddress(e), e.HomingHost)
		}
	}
	for _, tenant := range s.Objects["tenant"] {
		line(0, theme.Title, "%s tenant %s", t.Glyphs.Crumb, tenant.ObjectKey())
		for _, o := range s.Objects["network"] {
			n, ok := o.(*model.Network)
			if !ok || n.TenantName != tenant.ObjectKey() {
				continue
			}
			id := n.NetworkName + "." + n.TenantName
			line(1, theme.Good, "%s network %s  %s %s", t.Glyphs.Crumb, n.NetworkName, n.Subnet, n.Encap)
			for _, o := range s.Objects["endpointGroup"] {
				g, ok := o.(*model.EndpointGroup)
				if !ok || g.TenantName != n.TenantName || g.NetworkName != n.NetworkName {
					continue
				}
				members := on[id+"/"+g.GroupName+":"+g.TenantName]
				line(2, theme.Held, "%s group %s  %d endpoints", t.Glyphs.Crumb, g.GroupName, len(members))
				leaves(3, members)
			}
			leaves(2, on[id+"/"])
		}
	}
	return out
}

func firstAddress(e *model.EndpointOper) string {
	if len(e.IpAddress) == 0 {
		return "-"
	}
	return e.IpAddress[0]
}
