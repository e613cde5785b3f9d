package page

import (
	"cmp"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

// Table is the objects of one kind, drawn as the kind's descriptor says.
type Table struct {
	kind    *model.Kind
	scope   string // crumb when where is set
	command string // that lists those of where; "": that of all
	where   func(field func(string) any) bool
	extra   *extra
	table   grid
	marks   marks
	wide    bool

	listing *listing
	working string // on what the listing is
}

// NewTable makes a page of all objects of a kind.
func NewTable(k *model.Kind) *Table { return newTable(Table{kind: k}) }

// NewNamesakes makes a page of the endpoints of one ID.
func NewNamesakes(id string) *Table {
	return newTable(Table{kind: model.KindEndpoint(), scope: "the name " + id, where: func(f func(string) any) bool { return f("endpointID") == id }})
}

// newTable makes a table that shows marks.
func newTable(t Table) *Table {
	t.extra = extraOf(t.kind)
	p := &t
	p.table.Marked = func(id string) bool { return p.marks.has(id) }
	return p
}

// Name is the crumb.
func (p *Table) Name() string {
	if p.scope != "" {
		return p.kind.Many + " of " + p.scope
	}
	return p.kind.Many
}

// Command lists the kind.
func (p *Table) Command() string {
	line := cmp.Or(p.command, p.kind.Listing())
	if p.wide && !p.kind.Command.Single {
		line += " -o wide"
	}
	return line
}

// Keys are those of a table.
func (p *Table) Keys() []theme.Key { return theme.TableKeys() }

func (p *Table) headers() []string {
	var out []string
	for _, c := range term.Columns(p.kind, p.wide) {
		out = append(out, strings.TrimSpace(c.Header))
	}
	if p.extra != nil {
		out = append(out, p.extra.headers...)
	}
	return out
}

// Questions are how the objects fare.
func (p *Table) Questions(s *feed.Snapshot) []feed.Question {
	if p.extra == nil {
		return nil
	}
	return p.extra.questions(s)
}

// Working is what is still being done to the rows.
func (p *Table) Working() string { return p.working }

func (p *Table) rows(c Canvas, s *feed.Snapshot) widget.Rows {
	if p.listing == nil {
		p.listing = newListing(p.kind, p.extra, p.where)
	}
	column, descending, held := p.table.Order(c.Now)
	wish := widget.Wish{Filter: c.Filter, Column: column, Descending: descending, Wide: p.wide}
	var rows widget.Rows
	rows, p.working = p.listing.rows(c, p.kind, s, wish, held)
	return rows
}

// same tells whether two lists of snapshots are one and the same.
func same[T any](a, b []T) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// Key moves, sorts, or goes into the selected object.
func (p *Table) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	r, ok := p.table.SelectedOf(rows)
	switch {
	case p.marks.key(key, r, ok):
	case key == "ctrl+w":
		p.wide = !p.wide
	case key == "enter" && ok:
		if inner := p.into(r.ID); inner != nil {
			return Action{Go: inner}
		}
		return p.describe(s, r.ID)
	case key == "d" && ok:
		return p.describe(s, p.meant(r.ID, s)...)
	case key == "w" && ok:
		return p.why(r.ID, s)
	case key == "y" && ok:
		return Action{Go: NewYAML(p.kind, p.key(r.ID, s))}
	case key == "ctrl+d" && ok, key == "e" && ok:
		return p.change(key, r.ID, c, s)
	case ok && (key == "H" || key == "a" || key == "f" || key == "t"):
		return p.face(key, r.ID, s)
	default:
		p.table.keyOf(key, c, p.headers(), rows)
	}
	return Action{}
}

// change begins to change an object, if that is permitted.
func (p *Table) change(key, id string, c Canvas, s *feed.Snapshot) Action {
	switch {
	case p.kind.InspectOnly:
		return Action{Notice: "endpoints come and go with their containers; they are not changed by hand"}
	case !c.Write:
		return Action{Notice: "this console only reads; start it with --write to change things"}
	case key == "e":
		return Action{Edit: &Describe{Kind: p.kind, Key: id}}
	}
	meant := p.meant(id, s)
	return Action{Go: NewConfirm(Change{Kind: p.kind, Key: meant[0], More: meant[1:]}, find(s, p.kind, meant[0]))}
}

// face is another page of the same object.
func (p *Table) face(key, id string, s *feed.Snapshot) Action {
	if p.kind == model.KindEndpoint() {
		if e := findEndpoint(s, id); e != nil {
			return endpointFace(key, e)
		}
		return Action{}
	}
	switch key {
	case "H":
		return Action{Go: NewHistory(p.kind, id)}
	case "t":
		return Action{Go: NewTopology(p.kind.Name + " " + id)}
	case "a":
		if p.kind == model.KindNetwork() {
			return Action{Go: NewBitmap(id)}
		}
	}
	return Action{}
}

// endpointFace is another page of an endpoint.
func endpointFace(key string, e *model.EndpointOper) Action {
	switch key {
	case "H":
		return Action{Go: NewHistory(model.KindEndpoint(), e.Key)}
	case "a":
		return Action{Go: NewBitmapAt(networkKey(e), firstAddress(e))}
	case "f":
		return Action{Go: NewEndpointFlows(e)}
	case "t":
		return Action{Go: NewTopology("endpoint " + e.Key)}
	case "w":
		return Action{Go: NewWhy(endpointEnd(e), "", "")}
	}
	return Action{}
}

// FaceOf is the page to which a key leads from an endpoint: H, a, f, t or w.
func FaceOf(key string) func(e *model.EndpointOper) Page {
	return func(e *model.EndpointOper) Page { return endpointFace(key, e).Go }
}

// networkKey is the key of an endpoint's network.
func networkKey(e *model.EndpointOper) string {
	name, tenant, _ := strings.Cut(e.Network, ".")
	return model.Key(tenant, name)
}

// into is the page below an object: of a network and a group its endpoints, of a tenant its networks.
func (p *Table) into(key string) Page {
	tenant, name, _ := strings.Cut(key, ":")
	below := func(k *model.Kind, field, value, command string) Page {
		return newTable(Table{kind: k, scope: key, command: command, where: func(f func(string) any) bool { return f(field) == value }})
	}
	switch p.kind {
	case model.KindPolicy():
		rules := below(model.KindRule(), "policyName", name, "netctl policy rule-ls --tenant "+tenant+" "+name).(*Table)
		rules.where = func(f func(string) any) bool { return f("policyName") == name && f("tenantName") == tenant }
		return rules
	case model.KindTenant():
		return below(model.KindNetwork(), "tenantName", key, "netctl network ls --tenant "+key)
	case model.KindNetwork():
		return below(model.KindEndpoint(), "network", name+"."+tenant, "netctl endpoint ls --tenant "+tenant+" --network "+name)
	case model.KindEndpointGroup():
		return below(model.KindEndpoint(), "endpointGroupKey", name+":"+tenant, "netctl endpoint ls --tenant "+tenant+" --group "+name)
	}
	return nil
}

func (p *Table) describe(s *feed.Snapshot, ids ...string) Action {
	keys := make([]string, len(ids))
	for i, id := range ids {
		keys[i] = p.key(id, s)
	}
	return Action{Describe: &Describe{p.kind, keys[0], keys[1:]}}
}

// key is the key of the object whose row has that ID.
func (p *Table) key(id string, s *feed.Snapshot) string {
	if p.kind == model.KindEndpoint() {
		if e := findEndpoint(s, id); e != nil {
			return e.Key
		}
	}
	return id
}

// View draws the table.
func (p *Table) View(c Canvas, s *feed.Snapshot) []string {
	return p.table.viewOf(c, p.headers(), p.rows(c, s), c.Height, "none")
}
