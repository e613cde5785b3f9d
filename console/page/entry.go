// SPDX-License-Identifier: Apache-2.0

package page

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
)

// Entry declares a page that has a name. A path names it, or a place within it, as --screen and ":" take it:
//
//	NAME[/PART]...[:VIEW]
//
// The parts of an object's key are divided by "/" or by ":", as in network/acme/blue and network/acme:blue.
type Entry struct {
	Name    string
	Short   string   // for narrow terminals
	Aliases []string // other names
	About   string   // what it shows
	Make    func() *Page
	// Open makes the page of a path below the name; nil: there is none. It is nil when there are no such paths.
	Open func(path []string, view string) *Page
	// Offer returns possible continuations of the name from a snapshot: "/HOST", ":VIEW". typed is the current one.
	Offer func(s *feed.Snapshot, typed string, add func(rest string))
}

// numbered is how many of the entries have a number key: 1 to 9, and 0 for the last.
const numbered = 10

// Entries are the pages with names, in the order of their number keys. Those without a number follow.
func Entries() []Entry {
	out := []Entry{overviewEntry(), topologyEntry(), addressesEntry(), topEntry(), findingsEntry(), matrixEntry(), eventsEntry(), tableEntry(model.KindEndpoint()), kindsEntry(), leaderEntry(), flowsEntry()}
	for _, k := range model.UserKinds() {
		if k != model.KindEndpoint() {
			out = append(out, tableEntry(k))
		}
	}
	return append(out, podMatrixEntry(), docknetsEntry(), whyEntry(), observeEntry())
}

// Numbered are the entries with a number key, the first ten.
func Numbered() []Entry { return Entries()[:numbered] }

// NumberKey is the number key of an entry by its place: 1 is the first, 0 the tenth. It is "" for entries without one.
func NumberKey(place int) string {
	if place >= numbered {
		return ""
	}
	return strconv.Itoa((place + 1) % numbered)
}

// Shows reports whether a page is the entry's own.
func (e *Entry) Shows(p *Page) bool { return p.Name == e.Name || strings.HasPrefix(p.Name, e.Name+" ") }

// tableEntry declares the page of a kind's objects.
func tableEntry(k *model.Kind) Entry {
	return Entry{Name: k.Many, Short: k.ShortName(), Aliases: k.NamesBeside(k.Many),
		About: k.Summary(), Make: func() *Page { return Table(k) }, Open: func(path []string, view string) *Page { return openObject(k, model.Key(path...), view) },
		Offer: func(s *feed.Snapshot, _ string, add func(string)) {
			for _, o := range all(s, k) {
				for _, view := range []string{"", ":yaml", ":history", ":topology"} {
					add("/" + pathOf(o) + view)
				}
			}
		}}
}

// pathOf is an object's key in a path.
func pathOf(o object) string {
	if e, ok := o.(*feed.Endpoint); ok {
		return e.Key
	}
	return strings.ReplaceAll(keyOf(o), ":", "/")
}

// openObject makes the page of a view of an object. An endpoint may be named by its key or by its own ID: it has to be known first.
func openObject(k *model.Kind, key, view string) *Page {
	if k != model.KindEndpoint() || key == "" {
		return viewByKey(k, key, view)
	}
	if view != "" && !slices.Contains(views(), view) {
		return nil
	}
	return pending(k.Name+" "+key, DescribeCommand(k, key), func(s *feed.Snapshot) *Page {
		switch found := findEndpoints(s, key); len(found) {
		case 0:
			return nil
		case 1:
			return viewOf(found[0], view)
		}
		return namesakes(key) // of several tenants or networks: which is targets is not guessed
	})
}

// Named finds an entry by any of its names, in any case.
func Named(name string) (Entry, bool) {
	for _, e := range Entries() {
		if strings.EqualFold(name, e.Name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(name, a) }) {
			return e, true
		}
	}
	return Entry{}, false
}

// viewNames are what may follow the last ":" of a path. A ":" that none of them follows belongs to a key.
func viewNames() []string {
	out := append(views(), "matrix", "ages", "blocks", "ipv6", "drift")
	for _, v := range flowViews() {
		out = append(out, v.name)
	}
	return out
}

// Open makes the page of a path.
func Open(text string) (*Page, error) {
	text = strings.TrimSpace(text)
	rest, view := text, ""
	if i := strings.LastIndexByte(text, ':'); i >= 0 && slices.Contains(viewNames(), text[i+1:]) {
		rest, view = text[:i], text[i+1:]
	}
	path := strings.Split(strings.Trim(rest, "/"), "/")
	e, ok := Named(path[0])
	switch {
	case slices.Contains(path[1:], ""):
		return nil, fmt.Errorf("path %q has an empty part", text)
	case !ok:
		return nil, fmt.Errorf("page %s not found; press ? for a list", path[0])
	case len(path) == 1 && view == "":
		return e.Make(), nil
	}
	if e.Open != nil {
		if p := e.Open(path[1:], view); p != nil {
			return p, nil
		}
	}
	return nil, fmt.Errorf("%q not found on page %s", text, e.Name)
}

// maxOffered is how many paths are offered at most.
const maxOffered = 200

// Offer returns the paths with a prefix.
func Offer(typed string, s *feed.Snapshot) (out []string) {
	add := func(text string) {
		if strings.HasPrefix(text, typed) && text != typed && len(out) < maxOffered {
			out = append(out, text)
		}
	}
	name := typed[:max(0, strings.IndexAny(typed+"/", "/:"))]
	if e, ok := Named(name); ok && e.Offer != nil && len(name) < len(typed) {
		e.Offer(s, typed[len(name):], func(rest string) { add(name + rest) })
		return out
	}
	if typed == "" {
		return nil
	}
	for _, e := range Entries() {
		add(e.Name)
		for _, alias := range e.Aliases {
			if !strings.HasPrefix(strings.ToLower(e.Name), alias) { // as "group", of endpointGroups
				add(alias)
			}
		}
	}
	return out
}

// Complete is the first path with a prefix, or the prefix itself.
func Complete(typed string, s *feed.Snapshot) string {
	if offered := Offer(typed, s); len(offered) > 0 {
		return offered[0]
	}
	return typed
}
