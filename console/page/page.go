// Package page is the console's screens, one file each. A page is told keys and snapshots, draws itself, and shares
// nothing with other pages.
package page

import (
	"slices"
	"strings"
	"time"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/console/widget"
)

// Canvas is what a page draws on.
type Canvas struct {
	Width, Height int
	Theme         *theme.Theme
	Now           time.Time
	Filter        *widget.Filter
	Write         bool         // changes are permitted
	Desk          *widget.Desk // where what would hold up the frame is done; nil: it is done at once
}

// Page is one screen. Its methods do not block.
type Page interface {
	// Name is the last crumb.
	Name() string
	// Command is the netctl command that prints what the page shows.
	Command() string
	// Keys are the page's own keys.
	Keys() []theme.Key
	// Key acts on a key and says what should follow; the zero Action: nothing.
	Key(key string, c Canvas, s *feed.Snapshot) Action
	// View draws at most c.Height lines.
	View(c Canvas, s *feed.Snapshot) []string
}

// Asker is a page that shows what netmaster does not push.
type Asker interface {
	// Questions are what is to be asked again and again while the page is on the screen.
	Questions(s *feed.Snapshot) []feed.Question
}

// Claimer is a page that uses a key which works elsewhere for something of its own.
type Claimer interface{ Claims(key string) bool }

// Worker is a page that does long work at the Desk.
type Worker interface {
	// Working is what is still being done, such as "filtering"; "" when nothing is. What is shown is then as it was before.
	Working() string
}

// Marker is a page whose rows can be marked.
type Marker interface {
	// Marked is how many are.
	Marked(s *feed.Snapshot) int
}

// Action is what a page wants of the console.
type Action struct {
	Go       Page      // show this page
	Describe *Describe // ask for this object, or these, and show them
	Edit     *Describe // open this object in an editor
	Change   *Change   // carry this out
	HandOver *HandOver // have the leader step down
	Notice   string    // say this
}

// HandOver says who is to lead.
type HandOver struct{ To string } // address of a master

// Describe names an object to be asked for.
type Describe struct {
	Kind *model.Kind
	Key  string
	More []string // further keys
}

// Keys are all keys.
func (d *Describe) Keys() []string { return append([]string{d.Key}, d.More...) }

// Entry is a page that has a name of its own.
type Entry struct {
	Name    string
	Short   string // for narrow terminals
	Make    func() Page
	Aliases []string // other names
	About   string   // what it shows
}

// Called tells whether a name is one of the page's, in any case.
func (e *Entry) Called(name string) bool {
	return strings.EqualFold(name, e.Name) || slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(name, a) })
}

// Entries are the pages with names, in the order of their number keys. Kinds without a number follow.
func Entries() []Entry {
	out := []Entry{
		{"overview", "over", func() Page { return NewOverview() }, []string{"over", "nodes", "node", "hosts", "host"}, "masters and hosts, what is busy, what is full, the last events"},
		{"topology", "topo", func() Page { return NewTopology("") }, []string{"topo", "tree"}, "tenants, networks, groups and endpoints, beside the hosts"},
		{"addresses", "addrs", func() Page { return NewAddresses() }, []string{"addrs", "address", "ip", "ips", "ipam"}, "how full each network is, and maps of their addresses"},
		{"flows", "flows", func() Page { return NewFlows() }, []string{"flow"}, "the flow tables of each host"},
		{"tables", "tables", func() Page { return NewTables() }, []string{"kinds", "all"}, "the kinds of objects"},
		{"leader", "leader", func() Page { return NewLeader() }, []string{"masters", "master", "store"}, "who leads and led, the leases, the store"},
		{"events", "events", func() Page { return NewEvents() }, []string{"event", "ev"}, "what changed, and what nodes said"},
		kindEntry(model.KindEndpoint()),
		{"matrix", "matrix", func() Page { return NewMatrix("") }, nil, "what may talk to what"},
	}
	for _, k := range model.Kinds() {
		known := k.Command.Use == "" // volumes: nothing makes one
		for _, e := range out {
			known = known || e.Name == k.Many
		}
		if !known {
			out = append(out, kindEntry(k))
		}
	}
	return out
}

func kindEntry(k *model.Kind) Entry {
	short := k.Command.Use
	if len(k.Command.Aliases) > 0 {
		short = k.Command.Aliases[0]
	}
	aliases := slices.DeleteFunc(slices.Clone(k.Names), func(name string) bool { return strings.EqualFold(name, k.Many) })
	about, _, _ := strings.Cut(k.Doc, ". ")
	return Entry{k.Many, short, func() Page { return NewTable(k) }, aliases, strings.TrimSuffix(about, ".")}
}
