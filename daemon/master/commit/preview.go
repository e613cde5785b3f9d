package commit

import "github.com/contiv/contiv/daemon/master/catalog"

// preview shows requests what those before them in the same transaction do. It works within Catalog.Change and ends there:
// nothing else ever sees it.
type preview struct {
	view  *catalog.View
	shown int // how many requests
	backs []func()
}

// all shows what the requests do that are not shown yet; false when that cannot be shown.
func (p *preview) all(txs []*Tx) bool {
	for ; p.shown < len(txs); p.shown++ {
		for _, op := range txs[p.shown].ops {
			back, err := p.view.Try(op)
			p.backs = append(p.backs, back)
			if err != nil {
				return false
			}
		}
	}
	return true
}

// end takes everything back, last first.
func (p *preview) end() {
	for i := len(p.backs) - 1; i >= 0; i-- {
		p.backs[i]()
	}
}
