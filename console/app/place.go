package app

import (
	"fmt"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/page"
)

// A place is a page within the console, as --screen and ":" take it:
//
//	NAME                              a page: overview, topology, matrix, networks, ...
//	topology:matrix                   the matrix
//	topology/KIND/KEY                 the tree with the cursor on an object
//	matrix/TENANT
//	addresses/TENANT/NETWORK          the map of a network; /ADDRESS puts the cursor on one
//	addresses/TENANT/NETWORK:VIEW     ages, ipv6
//	flows/HOST                        the tables of a host's switch
//	flows/HOST/TABLE                  the flows of one, by name or number
//	flows/HOST[/TABLE]:VIEW           all, drops, never, shadowed
//	why/FROM/TO[/PROTOCOL[/PORT]]     the way of a packet; an end may be KIND/NAME
//	KIND/KEY[:VIEW]                   an object: describe (if nothing is said), yaml, history, topology; of an endpoint
//	                                  also address, flows and why
//
// The parts of a key are divided by "/" or by ":", as in network/acme/blue and network/acme:blue.
type place struct {
	parts []string
	view  string
}

// views are what may follow the last ":" of a place.
var views = []string{"matrix", "ages", "blocks", "ipv6", "all", "drops", "never", "shadowed", "describe", "yaml", "history", "topology", "address", "flows", "why"}

// readPlace takes a text apart. A ":" that no view follows belongs to a key.
func readPlace(text string) place {
	p := place{}
	if i := strings.LastIndexByte(text, ':'); i >= 0 && slices.Contains(views, text[i+1:]) {
		text, p.view = text[:i], text[i+1:]
	}
	p.parts = strings.Split(strings.Trim(text, "/"), "/")
	return p
}

// open makes the page of a place.
func open(text string) (page.Page, error) {
	p := readPlace(strings.TrimSpace(text))
	name, rest := p.parts[0], p.parts[1:]
	entry, ok := byName(name)
	switch {
	case slices.Contains(rest, ""):
		return nil, fmt.Errorf("place %q has an empty part", text)
	case name == "why":
		return whyPlace(rest, p.view)
	case !ok:
		return nil, fmt.Errorf("there is no page %s; ? lists them", name)
	case len(rest) == 0 && p.view == "":
		return entry.Make(), nil
	}
	var made page.Page
	switch entry.Name {
	case "topology":
		made = p.topology(rest)
	case "matrix":
		if len(rest) == 1 && p.view == "" {
			made = page.NewMatrix(rest[0])
		}
	case "addresses":
		made = p.addresses(rest)
	case "flows":
		made = p.flows(rest)
	default:
		if k, isKind := model.KindOf(name); isKind && len(rest) > 0 {
			made = p.object(k, strings.Join(rest, ":"))
		}
	}
	if made == nil {
		return nil, fmt.Errorf("there is no place %q on page %s", text, entry.Name)
	}
	return made, nil
}

func (p place) topology(rest []string) page.Page {
	switch {
	case len(rest) == 0 && p.view == "matrix":
		return page.NewMatrix("")
	case len(rest) > 1 && p.view == "":
		if k, ok := model.KindOf(rest[0]); ok {
			return page.NewTopology(k.Name + " " + strings.Join(rest[1:], ":"))
		}
	}
	return nil
}

func (p place) addresses(rest []string) page.Page {
	network := strings.Join(rest[:min(2, len(rest))], ":")
	if len(rest) > 0 && strings.Contains(rest[0], ":") {
		network, rest = rest[0], append([]string{""}, rest...)
	}
	switch {
	case len(rest) == 2 && p.view == "":
		return page.NewBitmap(network)
	case len(rest) == 2 && p.view == "ages":
		return page.NewBitmapOfAges(network)
	case len(rest) == 2 && p.view == "blocks":
		return page.NewBitmapOfBlocks(network)
	case len(rest) == 2 && p.view == "ipv6":
		return page.NewSparse(network)
	case len(rest) == 3 && p.view == "":
		return page.NewBitmapAt(network, rest[2])
	case len(rest) == 3 && p.view == "history":
		return page.NewLedger(network, rest[2])
	}
	return nil
}

func (p place) flows(rest []string) page.Page {
	switch {
	case len(rest) == 1 && p.view == "":
		return page.NewPipeline(rest[0])
	case len(rest) == 1:
		return page.NewFlowListOf(rest[0], "", p.view)
	case len(rest) == 2:
		return page.NewFlowListOf(rest[0], rest[1], p.view)
	}
	return nil
}

// object is a face of an object.
func (p place) object(k *model.Kind, key string) page.Page {
	if k == model.KindEndpoint() {
		return p.endpoint(key)
	}
	switch p.view {
	case "", "describe":
		return page.NewDescription(k, key)
	case "yaml":
		return page.NewYAML(k, key)
	case "history":
		return page.NewHistory(k, key)
	case "topology":
		return page.NewTopology(k.Name + " " + key)
	case "address":
		if k == model.KindNetwork() {
			return page.NewBitmap(key)
		}
	}
	return nil
}

// endpoint is a face of an endpoint, which may be named by its key or by its own ID: it has to be known first.
func (p place) endpoint(id string) page.Page {
	faces := map[string]func(e *model.EndpointOper) page.Page{
		"":         func(e *model.EndpointOper) page.Page { return page.NewDescription(model.KindEndpoint(), e.Key) },
		"describe": func(e *model.EndpointOper) page.Page { return page.NewDescription(model.KindEndpoint(), e.Key) },
		"yaml":     func(e *model.EndpointOper) page.Page { return page.NewYAML(model.KindEndpoint(), e.Key) },
		"history":  page.FaceOf("H"), "address": page.FaceOf("a"), "flows": page.FaceOf("f"), "topology": page.FaceOf("t"), "why": page.FaceOf("w"),
	}
	make, ok := faces[p.view]
	if !ok {
		return nil
	}
	return page.NewLater("endpoint "+id, page.DescribeCommand(model.KindEndpoint(), id), func(s *feed.Snapshot) page.Page {
		switch all := page.FindEndpoints(s, id); len(all) {
		case 0:
			return nil
		case 1:
			return make(all[0])
		}
		return page.NewNamesakes(id) // of several tenants or networks: which is meant is not guessed
	})
}

// whyPlace reads FROM/TO[/PROTOCOL[/PORT]].
func whyPlace(rest []string, view string) (page.Page, error) {
	var ends []string
	for len(rest) > 0 && len(ends) < 2 {
		n := 1
		if len(rest) > 1 && slices.Contains([]string{"endpoint", "group", "service", "host", "address"}, rest[0]) {
			n = 2
		}
		ends, rest = append(ends, strings.Join(rest[:n], "/")), rest[n:]
	}
	for len(ends) < 2 {
		ends = append(ends, "")
	}
	traffic := strings.Join(rest, " ")
	if traffic == "" && ends[1] != "" {
		traffic = "icmp"
	}
	ask := model.WhyRequest{From: ends[0], To: ends[1]}
	err := ask.SetTraffic(rest)
	if err == nil && ends[1] != "" {
		err = ask.Settle()
	}
	if view != "" {
		err = fmt.Errorf("a way has no view %q", view)
	}
	return page.NewWhy(ends[0], ends[1], traffic), err
}

// offered is how many places are offered at most.
const offered = 200

// places are those that begin with what was typed, as far as the next part goes.
func places(typed string, s *feed.Snapshot) (out []string) {
	add := func(text string) {
		if strings.HasPrefix(text, typed) && text != typed && len(out) < offered {
			out = append(out, text)
		}
	}
	head, _, inner := strings.Cut(typed, "/")
	entry, ok := byName(head)
	kind, isKind := model.KindOf(head)
	switch {
	case !inner && head != "":
		for _, e := range page.Entries() {
			add(e.Name)
			for _, alias := range e.Aliases {
				if !strings.HasPrefix(strings.ToLower(e.Name), alias) { // as "group", of endpointGroups
					add(alias)
				}
			}
		}
		add("why/")
		add("topology:matrix")
	case head == "why":
		for _, e := range s.Endpoints {
			add("why/" + e.EndpointID)
			if from, _, two := strings.Cut(strings.TrimPrefix(typed, "why/"), "/"); two {
				add("why/" + from + "/" + e.EndpointID)
			}
		}
	case !ok:
	case entry.Name == "matrix":
		for _, o := range s.Objects[model.KindTenant().Name] {
			add(head + "/" + o.ObjectKey())
		}
	case entry.Name == "addresses":
		for _, o := range s.Objects[model.KindNetwork().Name] {
			of := head + "/" + strings.ReplaceAll(o.ObjectKey(), ":", "/")
			add(of)
			add(of + ":ages")
			add(of + ":blocks")
			add(of + ":ipv6")
		}
	case entry.Name == "flows":
		offerFlows(head, s, add)
	case entry.Name == "topology":
		for _, k := range []*model.Kind{model.KindTenant(), model.KindNetwork(), model.KindEndpointGroup(), model.KindEndpoint()} {
			offerObjects(head+"/"+k.Name+"/", k, s, add, "")
		}
	case isKind:
		offerObjects(head+"/", kind, s, add, "", ":yaml", ":history", ":topology")
	}
	return out
}

func offerFlows(head string, s *feed.Snapshot, add func(string)) {
	for _, n := range s.Nodes {
		if n.Role != model.RoleAgent {
			continue
		}
		of := head + "/" + n.Name
		add(of)
		for _, view := range []string{"all", "drops", "never", "shadowed"} {
			add(of + ":" + view)
		}
		flows, _, _ := feed.Of[[]model.Flow](s, feed.Question{Topic: feed.Flows, Host: n.Name})
		known := map[string]bool{}
		for _, f := range flows {
			if table := f.Table; table != "" && !known[table] {
				known[table] = true
				add(of + "/" + table)
			}
		}
	}
}

func offerObjects(head string, k *model.Kind, s *feed.Snapshot, add func(string), ends ...string) {
	if k == model.KindEndpoint() {
		for _, e := range s.Endpoints {
			for _, end := range ends {
				add(head + e.Key + end)
			}
		}
		return
	}
	for _, o := range s.Objects[k.Name] {
		for _, end := range ends {
			add(head + strings.ReplaceAll(o.ObjectKey(), ":", "/") + end)
		}
	}
}

// complete is the first place that begins with what was typed, or that itself.
func complete(typed string, s *feed.Snapshot) string {
	if all := places(typed, s); len(all) > 0 {
		return all[0]
	}
	return typed
}
