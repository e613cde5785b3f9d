// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// outside has the packages by which a program reaches the outside world, each with the names that a package which only computes may use,
// or, with a leading !, must not use. A pattern ends with *; without patterns no name may be used.
var outside = map[string][]string{
	"os": nil, "os/exec": nil, "os/signal": nil, "os/user": nil, "syscall": nil, "log": nil, "log/syslog": nil, "math/rand": nil, "math/rand/v2": nil,
	"crypto/rand": nil, "crypto/tls": nil, "path/filepath": {"!Walk*", "!Glob", "!Abs", "!EvalSymlinks"}, "runtime/debug": nil, "plugin": nil,
	"fmt":                      {"!Print*", "!Scan", "!Scanf", "!Scanln"},
	"time":                     {"!Now", "!Since", "!Until", "!Sleep", "!After*", "!Tick", "!NewTimer", "!NewTicker", "!Local"},
	"context":                  {"!WithTimeout*", "!WithDeadline*"},
	"log/slog":                 {"!Default", "!SetDefault", "!Debug*", "!Info*", "!Warn*", "!Error*"},
	"net":                      {"HardwareAddr", "ParseMAC", "IP", "IPNet", "IPMask", "ParseIP", "ParseCIDR", "JoinHostPort", "SplitHostPort"},
	"net/http":                 {"Status*", "Method*"},
	"github.com/tidwall/btree": {"*"},
}

// permitted reports whether a package that only computes may use a name of an imported one.
func permitted(imported, name string) bool {
	patterns, reaches := outside[imported]
	if !reaches {
		return !strings.Contains(strings.Split(imported, "/")[0], ".") || strings.HasPrefix(imported, module) // libraries need a reason
	}
	matches := func(p string) bool { ok, _ := path.Match(strings.TrimPrefix(p, "!"), name); return ok }
	found := slices.ContainsFunc(patterns, matches)
	return len(patterns) > 0 && found != strings.HasPrefix(patterns[0], "!")
}

// uses lists the names of imported packages that the files of a package use, as "import/path.Name".
func uses(t *testing.T, p *pkg) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		imported := map[string]string{}
		for _, i := range file.Imports {
			target, _ := strconv.Unquote(i.Path.Value)
			local := path.Base(strings.TrimSuffix(target, "/v2"))
			if i.Name != nil {
				local = i.Name.Name
			}
			imported[local] = target
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && imported[x.Name] != "" {
					out[imported[x.Name]+"."+s.Sel.Name] = true
				}
			}
			return true
		})
	}
	return out
}

// The packages of the lowest floors do not reach the outside world, neither directly nor through other packages of this module.
func TestPureFloors(t *testing.T) {
	lines, all := picture(t), packages(t)
	pure := func(name string) bool {
		at, _ := place(lines, name)
		return at >= 0 && (lines[at].floor == "pure" || lines[at].floor == "words")
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if !pure(name) {
			continue
		}
		if way := wayTo(all, name, func(n string) bool { return !pure(n) }); way != nil {
			t.Errorf("%s, which is on no pure floor", strings.Join(way, " imports "))
		}
		for use := range uses(t, all[name]) {
			dot := strings.LastIndex(use, ".")
			if permitted(use[:dot], use[dot+1:]) {
				continue
			}
			t.Errorf("%s uses %s: its floor computes only; give it what it needs as an argument, or move it up", name, use)
		}
	}
}

// The check permits and refuses these names.
func TestPermitted(t *testing.T) {
	for _, row := range []struct {
		use  string
		want bool
	}{
		{"time.Duration", true}, {"time.Now", false}, {"time.AfterFunc", false}, {"time.RFC3339", true},
		{"net.ParseMAC", true}, {"net.Dial", false}, {"net.DialTimeout", false}, {"net/netip.Addr", true},
		{"net/http.StatusConflict", true}, {"net/http.Get", false}, {"os.Open", false}, {"os/exec.Command", false},
		{"fmt.Sprintf", true}, {"fmt.Println", false}, {"context.Context", true}, {"context.WithTimeout", false},
		{"math/rand/v2.IntN", false}, {"golang.org/x/sys/unix.Socket", false}, {module + "api/model.Kinds", true}, {"embed.FS", true},
	} {
		dot := strings.LastIndex(row.use, ".")
		if got := permitted(row.use[:dot], row.use[dot+1:]); got != row.want {
			t.Errorf("%s: want %v, got %v", row.use, row.want, got)
		}
	}
}
