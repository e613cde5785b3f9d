package page

import (
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
	"github.com/contiv/contiv/netctl/term"
)

// Table is the objects of one kind, drawn as the kind's descriptor says.
type Table struct {
	kind  *model.Kind
	scope string // crumb when where is set
	flags string // of the command, for where
	where func(field func(string) any) bool
	table widget.Table
	wide  bool
}

// NewTable makes a page of all objects of a kind.
func NewTable(k *model.Kind) *Table { return &Table{kind: k} }

// Name is the crumb.
func (p *Table) Name() string {
	if p.scope != "" {
		return p.kind.Plural + " of " + p.scope
	}
	return p.kind.Plural
}

// Command lists the kind.
func (p *Table) Command() string {
	if p.kind == model.KindGlobal() {
		return "netctl global info"
	}
	all := ""
	if p.kind.TenantScoped() && p.scope == "" {
		all = " --all"
	}
	wide := ""
	if p.wide {
		wide = " -o wide"
	}
	return "netctl " + p.kind.Command.Use + " ls" + all + p.flags + wide
}

// Keys are those of a table.
func (p *Table) Keys() []theme.Key { return theme.TableKeys() }

func (p *Table) headers() []string {
	var out []string
	for _, c := range term.Columns(p.kind, p.wide) {
		out = append(out, strings.TrimSpace(c.Header))
	}
	return out
}

func (p *Table) rows(c Canvas, s *feed.Snapshot) []widget.Row {
	columns := term.Columns(p.kind, p.wide)
	var rows []widget.Row
	add := func(id string, field func(string) any) {
		if p.where == nil || p.where(field) {
			rows = append(rows, widget.Row{ID: id, Cells: term.Row(columns, field)})
		}
	}
	if p.kind == model.KindEndpoint() {
		for i := range s.Endpoints {
			add(s.Endpoints[i].Network+"/"+s.Endpoints[i].EndpointID, s.Endpoints[i].Field)
		}
	}
	for _, o := range s.Objects[p.kind.Name] {
		add(o.ObjectKey(), o.Field)
	}
	return p.table.Arrange(rows, c.Filter)
}

// Key moves, sorts, or goes into the selected object.
func (p *Table) Key(key string, c Canvas, s *feed.Snapshot) Action {
	rows := p.rows(c, s)
	r, ok := p.table.Selected(rows)
	switch {
	case key == "ctrl+w":
		p.wide = !p.wide
	case key == "enter" && ok:
		if inner := p.into(r.ID); inner != nil {
			return Action{Go: inner}
		}
		return p.describe(r.ID)
	case key == "d" && ok:
		return p.describe(r.ID)
	case key == "y" && ok:
		return p.yaml(r.ID, s)
	default:
		p.table.Key(key, p.headers(), rows, c.Height-1)
	}
	return Action{}
}

// into is the page below an object: of a network and a group its endpoints, of a tenant its networks.
func (p *Table) into(key string) Page {
	tenant, name, _ := strings.Cut(key, ":")
	below := func(k *model.Kind, field, value, flags string) Page {
		return &Table{kind: k, scope: key, flags: flags, where: func(f func(string) any) bool { return f(field) == value }}
	}
	switch p.kind {
	case model.KindTenant():
		return below(model.KindNetwork(), "tenantName", key, " --tenant "+key)
	case model.KindNetwork():
		return below(model.KindEndpoint(), "network", name+"."+tenant, " --tenant "+tenant+" --network "+name)
	case model.KindEndpointGroup():
		return below(model.KindEndpoint(), "endpointGroupKey", name+":"+tenant, " --tenant "+tenant+" --group "+name)
	}
	return nil
}

func (p *Table) describe(id string) Action {
	key := id
	if p.kind == model.KindEndpoint() {
		_, key, _ = strings.Cut(id, "/")
	}
	return Action{Describe: &Describe{p.kind, key}}
}

func (p *Table) yaml(id string, s *feed.Snapshot) Action {
	var object any
	for i := range s.Endpoints {
		if p.kind == model.KindEndpoint() && s.Endpoints[i].Network+"/"+s.Endpoints[i].EndpointID == id {
			object = s.Endpoints[i]
		}
	}
	for _, o := range s.Objects[p.kind.Name] {
		if o.ObjectKey() == id {
			object = o
		}
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		text = []byte(err.Error())
	}
	return Action{Go: NewText(id, p.Command()+" -o yaml", string(text))}
}

// View draws the table.
func (p *Table) View(c Canvas, s *feed.Snapshot) []string {
	rows := p.rows(c, s)
	out := p.table.View(c.Theme, p.headers(), rows, c.Width, c.Height)
	if len(rows) == 0 {
		why := "  none"
		if c.Filter != nil {
			why = "  none that the filter " + c.Filter.Text + " keeps"
		}
		out = append(out, c.Theme.Paint(theme.Dim, why))
	}
	return out
}
