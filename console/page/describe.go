// SPDX-License-Identifier: Apache-2.0

package page

import (
	"github.com/contiv/contiv/api/yaml"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/identity"
)

// YAML makes the page of an object as YAML, which follows its changes.
func YAML(k *model.Kind, key string) *Page {
	return &Page{Name: key, Command: "netctl get " + objectArgs(k, key) + " -o yaml", Body: &text{lines: func(c Canvas, s *feed.Snapshot) []string {
		body, ok := asYAML(s, k, key)
		switch {
		case !ok && !s.Synced:
			return []string{c.Theme.Paint(theme.Held, c.Theme.Glyphs.Half+" "+k.Name+" "+key+" is "+nothing(s, false, ""))}
		case !ok:
			return []string{c.Theme.Paint(theme.Bad, c.Theme.Glyphs.Cross+" there is no "+k.Name+" "+key)}
		}
		return filtered(c, body)
	}}}
}

// asYAML is an object as text; ok is false when it is not there.
func asYAML(s *feed.Snapshot, k *model.Kind, key string) (body string, ok bool) {
	var object any
	if k == model.KindEndpoint() {
		e := findEndpoint(s, key)
		object, ok = e, e != nil
	} else {
		object = find(s, k, key)
		ok = object != nil
	}
	if !ok {
		return "", false
	}
	out, err := yaml.Marshal(object)
	if err != nil {
		return err.Error(), true
	}
	return string(out), true
}

// Description makes the page of objects: for each its problems, fields, allowed connections, neighbours and events, with links.
func Description(k *model.Kind, keys ...string) *Page {
	name := keys[0]
	if len(keys) > 1 {
		name = k.Count(len(keys))
	}
	var questions []feed.Question
	for _, key := range keys {
		questions = append(questions, feed.Question{Topic: feed.Described, Kind: k.Name, Key: key})
	}
	p := &Page{Name: name, Command: DescribeCommand(k, keys...), Asks: asks(questions...), Body: &documents{questions: questions}}
	if len(keys) == 1 {
		p.Keys = objectKeys(k, keys[0])
	}
	return p
}

// objectKeys are the other views of an object.
func objectKeys(k *model.Kind, key string) (out []Key) {
	to := func(keys, does string, build func() *Page) {
		out = append(out, on(keys, does, func(string, Canvas, *feed.Snapshot) Action { return open(build()) }))
	}
	if childrenOf(k, key) != nil {
		to("m", "list what is in it", func() *Page { return childrenOf(k, key) })
	}
	to("y", "show the object as YAML", func() *Page { return YAML(k, key) })
	to("H", "its history", func() *Page { return History(k, key) })
	to("t", "show it in the topology", func() *Page { return Topology(k, key) })
	switch k {
	case model.KindNetwork():
		to("a", "show its addresses on the map", func() *Page { return addressMap(key) })
	case model.KindEndpoint():
		out = append(out, endpointKey("a", "show its address on the map", key, func(e *feed.Endpoint) *Page { return viewOf(e, "address") }),
			endpointKey("f", "its flows", key, func(e *feed.Endpoint) *Page { return viewOf(e, "flows") }),
			on("x", "open a shell in its container (--write)", func(_ string, _ Canvas, s *feed.Snapshot) Action {
				if e := findEndpoint(s, key); e != nil {
					return Action{Shell: e}
				}
				return Action{Notice: "endpoint " + key + " is not there"}
			}).hintWrite("x", "shell"),
			endpointKey("l", "show the log of its host", key, func(e *feed.Endpoint) *Page { return Logs(e.HomingHost, model.LogNetplugin) }))
		to("w", "check whether it can reach another, and why", func() *Page { return Why(endpointEnd(key), "", "") })
		to("p", "capture its packets", func() *Page { return Capture(endpointEnd(key)) })
	case model.KindEndpointGroup():
		to("p", "capture the packets of one of its containers", func() *Page { return Capture(endOf(k, key)) })
	}
	if end := endOf(k, key); end != "" && k != model.KindEndpoint() {
		to("w", "check whether it can be reached, or reach another, and why", func() *Page {
			if k == model.KindServiceLB() {
				return Why("", end, "")
			}
			return Why(end, "", "")
		})
	}
	return out
}

// endpointKey declares a key of an endpoint's page that needs the endpoint itself.
func endpointKey(keys, does, key string, build func(e *feed.Endpoint) *Page) Key {
	return on(keys, does, func(_ string, _ Canvas, s *feed.Snapshot) Action {
		if e := findEndpoint(s, key); e != nil {
			return open(build(e))
		}
		return Action{Notice: "endpoint " + key + " is not there"}
	})
}

// endOf is an object in the form of an end of a why question; "" if it is none.
func endOf(k *model.Kind, key string) string {
	switch k {
	case model.KindEndpointGroup():
		tenant, name, _ := identity.Cut(key)
		return groupEnd(&model.EndpointGroup{TenantName: tenant, GroupName: name})
	case model.KindServiceLB():
		tenant, name, _ := identity.Cut(key)
		return serviceEnd(&model.ServiceLB{TenantName: tenant, ServiceName: name})
	}
	return ""
}

// Node makes the page of a netmaster, or of the agent of a host.
func Node(name string) *Page {
	q := feed.Question{Topic: feed.Described, Key: name}
	to := func(keys, does string, build func() *Page) Key {
		return on(keys, does, func(string, Canvas, *feed.Snapshot) Action { return open(build()) })
	}
	return &Page{Name: "node " + name, Live: true, Command: "netctl describe node " + name, Asks: asks(q), Body: &documents{questions: []feed.Question{q}}, Keys: []Key{
		to("m", "list the endpoints on the host", func() *Page { return endpointsOf(name) }),
		to("l", "show the last log lines of the host's agent", func() *Page { return Logs(name, model.LogNetplugin) }),
		to("f", "show the flows of the host", func() *Page { return FlowTables(name) }),
		to("D", "show what others have changed on the host", func() *Page { return Host(name) }),
	}}
}
