package app

import "github.com/contiv/contiv/console/page"

// prompt is the line for ":" and "/".
type prompt struct{ kind, line string }

func (p *prompt) open() bool { return p.kind != "" }

func (p *prompt) start(kind string) { p.kind, p.line = kind, "" }

// key edits the line. done tells that it was ended with enter; esc ends it with an empty line.
// complete makes of a part of a place the whole.
func (p *prompt) key(key string, complete func(string) string) (kind, line string, done bool) {
	kind = p.kind
	switch key {
	case "esc":
		*p = prompt{}
		return kind, "", true
	case "enter":
		line = p.line
		if _, err := open(line); kind == ":" && err != nil {
			line = complete(line)
		}
		*p = prompt{}
		return kind, line, true
	case "tab":
		if kind == ":" {
			p.line = complete(p.line)
		}
	case "backspace":
		if r := []rune(p.line); len(r) > 0 {
			p.line = string(r[:len(r)-1])
		}
	case "space":
		p.line += " "
	default:
		if len([]rune(key)) == 1 {
			p.line += key
		}
	}
	return kind, p.line, false
}

// byName finds a page by any of its names.
func byName(name string) (page.Entry, bool) {
	for _, e := range page.Entries() {
		if e.Called(name) {
			return e, true
		}
	}
	return page.Entry{}, false
}

func byNumber(key string) (page.Entry, bool) {
	all := page.Entries()
	if len(key) != 1 || key[0] < '1' || int(key[0]-'1') >= min(9, len(all)) {
		return page.Entry{}, false
	}
	return all[key[0]-'1'], true
}
