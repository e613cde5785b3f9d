package page

import (
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Object is one object as text that follows its changes: as YAML, or with its operational state.
type Object struct {
	kind     *model.Kind
	key      string
	describe bool
	top      int
}

// NewYAML makes the page of an object as YAML.
func NewYAML(k *model.Kind, key string) *Object { return &Object{kind: k, key: key} }

// NewDescription makes the page of an object with its operational state.
func NewDescription(k *model.Kind, key string) *Object {
	return &Object{kind: k, key: key, describe: true}
}

// Name is the crumb.
func (p *Object) Name() string { return p.key }

// Command prints the same.
func (p *Object) Command() string {
	if p.describe {
		return DescribeCommand(p.kind, p.key)
	}
	return "netctl get " + named(p.kind, p.key) + " -o yaml"
}

// Keys scroll.
func (p *Object) Keys() []theme.Key { return theme.TextKeys() }

func (p *Object) question() feed.Question {
	return feed.Question{Topic: feed.Text, Kind: p.kind.Name, Key: p.key}
}

// Questions are the operational state.
func (p *Object) Questions(*feed.Snapshot) []feed.Question {
	if !p.describe {
		return nil
	}
	return []feed.Question{p.question()}
}

// Key scrolls.
func (p *Object) Key(key string, c Canvas, s *feed.Snapshot) Action {
	scroll(&p.top, key, c.Height)
	p.top = max(0, min(p.top, len(p.lines(c, s))-c.Height))
	return Action{}
}

// View draws the window.
func (p *Object) View(c Canvas, s *feed.Snapshot) []string {
	shown, _ := widget.Scroll(p.lines(c, s), p.top, c.Height)
	return shown
}

func (p *Object) lines(c Canvas, s *feed.Snapshot) (out []string) {
	text := ""
	if p.describe {
		answer, a, _ := feed.Of[string](s, p.question())
		if line := waiting(c, a, "netmaster"); line != "" && (a.Value == nil || a.Err != "") {
			out = append(out, line)
		}
		text = answer
	} else {
		text = asYAML(s, p.kind, p.key)
		if text == "" {
			return []string{c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" there is no "+p.kind.Name+" "+p.key)}
		}
	}
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); c.Filter.Keeps([]string{line}) {
			out = append(out, line)
		}
	}
	return out
}

// asYAML is an object as text; "" when it is not there. The key of an endpoint is its own.
func asYAML(s *feed.Snapshot, k *model.Kind, key string) string {
	var object any
	if k == model.KindEndpoint() {
		if e := FindEndpoint(s, key); e != nil {
			object = e
		}
	} else if o := find(s, k, key); o != nil {
		object = o
	}
	if object == nil {
		return ""
	}
	text, err := yaml.Marshal(object)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// FindEndpoint finds an endpoint by its key; nil: there is none.
func FindEndpoint(s *feed.Snapshot, key string) *model.EndpointOper {
	if i := slices.IndexFunc(s.Endpoints, func(e *model.EndpointOper) bool { return e.Key == key }); i >= 0 {
		return s.Endpoints[i]
	}
	return nil
}

// FindEndpoints are the endpoints that a text names: the one of that key, or those of that ID, which other networks and tenants
// may have too.
func FindEndpoints(s *feed.Snapshot, id string) (out []*model.EndpointOper) {
	if e := FindEndpoint(s, id); e != nil {
		return []*model.EndpointOper{e}
	}
	for _, e := range s.Endpoints {
		if e.EndpointID == id {
			out = append(out, e)
		}
	}
	return out
}
