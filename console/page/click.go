package page

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"github.com/contiv/contiv/console/feed"
)

// gridded is a page with rows that can be clicked.
type gridded interface{ rowsOf() *grid }

func (p *Table) rowsOf() *grid     { return &p.table }
func (p *Overview) rowsOf() *grid  { return &p.hosts }
func (p *Addresses) rowsOf() *grid { return &p.table }
func (p *Sparse) rowsOf() *grid    { return &p.grid }
func (p *Flows) rowsOf() *grid     { return &p.grid }
func (p *FlowList) rowsOf() *grid  { return &p.grid }
func (p *Pipeline) rowsOf() *grid  { return &p.grid }
func (p *Tables) rowsOf() *grid    { return &p.grid }
func (p *Past) rowsOf() *grid      { return &p.grid }
func (p *Trouble) rowsOf() *grid   { return &p.grid }
func (p *Handover) rowsOf() *grid  { return &p.grid }

// Click acts on a click on a page: on a row, a line of the tree or a cell it puts the cursor there, and on a cell where the
// cursor is already it is enter; on the header above rows it sorts. x and y count from the page's upper left cell. On other
// places, and other pages, nothing happens.
func Click(p Page, x, y int, c Canvas, s *feed.Snapshot) Action {
	switch p := p.(type) {
	case *Later:
		if inner := p.found(s); inner != nil {
			return Click(inner, x, y, c, s)
		}
	case *Topology:
		p.click(y, c, s)
	case *Matrix:
		return p.click(x, y, c, s)
	case *Bitmap:
		return p.click(x, y, c, s)
	case gridded:
		g := p.rowsOf()
		lines := p.(Page).View(c, s)
		if at := slices.IndexFunc(lines, func(line string) bool { return g.Head() != "" && ansi.Strip(line) == g.Head() }); at >= 0 {
			g.Click(x, y-at)
		}
	}
	return Action{}
}

// click puts the cursor on a line of the tree.
func (p *Topology) click(y int, c Canvas, s *feed.Snapshot) {
	p.shown = shown{}
	all, _ := p.lines(c, s)
	if i := p.top + y; y < max(1, c.Height-2) && i < all.size {
		here := all.at(i)
		p.place, p.cursor = i, here.id()
	}
}

// inView is the first of all things in a window of some, moved from where it was as far as the one at the cursor wants it.
func inView(was, at, some, all int) int {
	return max(0, min(max(min(was, at), at-some+1), all-some))
}
