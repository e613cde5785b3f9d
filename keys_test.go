// SPDX-License-Identifier: Apache-2.0

package contiv_test

import (
	"fmt"
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

// otherTexts are the functions that cut or join texts at colons or slashes that are no identities of objects, and what the texts are.
// A function that no longer does so must leave the list.
var otherTexts = map[string]string{
	"api/describe:providerPort":                    "the port of a service",
	"api/gen:route.describe":                       "the path of a URL",
	"api/model:Actor.String":                       "a program and its version",
	"api/model:LabelText":                          "labels",
	"api/model:isLabelKey":                         "the key of a label",
	"api/verdict:parseSpace":                       "a prefix or a range of addresses",
	"cni/wire:readResponse":                        "a header of HTTP",
	"console/feed:SubnetOf":                        "a range of addresses",
	"console/page:Open":                            "the path of a page",
	"console/page:form.traffics":                   "the port of a service",
	"console/page:offerFlows":                      "the path of a page",
	"console/page:offerWhy":                        "the path of a page",
	"console/page:openAddresses":                   "the path of a page",
	"daemon/agent/classify:hash":                   "a text with its length",
	"daemon/agent/cni:runtimeConfig.addresses":     "an address and the length of its prefix",
	"daemon/agent/desired:servicePort":             "the port of a service",
	"daemon/agent/dns:portsOf":                     "the port of a service",
	"daemon/agent/inspect:originalStats":           "the port of a service",
	"daemon/channel:because":                       "a URL",
	"daemon/master/admit:parsePorts":               "the port of a service",
	"daemon/master/endpoint:Service.networkByPool": "an address and the length of its prefix, as the original's drivers write it",
	"daemon/master/server/supportbundle:partOf":    "the key of a record",
	"daemon/master/why:backendPort":                "the port of a service",
	"daemon/record:Service.Key":                    "an address and a port",
	"daemon/record:address":                        "an address and the length of its prefix",
	"daemon/store/consul:Store.divide":             "a directory of keys",
	"daemon/store/consul:parts.partOf":             "a directory of keys",
	"deploy/pack:contents":                         "the reference of an image",
	"ipam:ParsePrefixes":                           "a prefix",
	"ipam:ParseSpec":                               "a prefix or a range of addresses",
	"lab/kube:Cluster.PlaneArgs":                   "a URL",
	"lab:EchoOnce":                                 "a port",
	"lab:Gauge":                                    "a port",
	"lab:Lab.path":                                 "the PATH of a process",
	"lab:Serve":                                    "a port",
	"lab:StreamOnce":                               "a port",
	"lab:makeGroup":                                "the path of a cgroup",
	"netctl/term:OpenBundle":                       "the start of a message",
	"ofnet/flow:NAT.parseRange":                    "a range of addresses and ports",
	"daemon/master/server/pairs:endpoint":          "an address in a table of the kernel",
	"netctl/term:parseColumns":                     "a column of custom-columns",
	"ofnet/flow:parseBucket":                       "a member of a group's bucket",
	"ofnet/flow:parseTerm":                         "an action of a flow",
	"ofnet/flow:parseValue":                        "a value and its mask",
	"ofnet/link:ParsePortMapping":                  "ports and their protocol",
	"ofnet/link:ParsePorts":                        "ports and their protocol",
	"ofnet/ovsdb:Bond.drift":                       "a column of OVSDB",
	"ofnet/ovsdb:BridgeSpec.drift":                 "a column of OVSDB",
	"setup/preflight/packetfilter:ports":           "a range of ports",
	"setup/preflight:holder":                       "a port",
	"trust:Parse":                                  "the URI of a certificate",
}

// Only package identity knows how the identity of an object is put together from its parts: every other package parses and prints
// identities with its functions.
func TestKeys(t *testing.T) {
	lines, all := picture(t), packages(t)
	found, used := map[string][]string{}, map[string]bool{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if at, _ := place(lines, name); name == "identity" || at >= 0 && lines[at].floor == "trials" {
			continue
		}
		for _, base := range all[name].GoFiles {
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, filepath.Join(all[name].Dir, base), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				id := name + ":"
				if f, is := d.(*ast.FuncDecl); is {
					id += receiver(f) + f.Name.Name
				}
				for _, pos := range handmade(d) {
					if used[id] = true; otherTexts[id] == "" {
						at := fmt.Sprintf("%s:%d", path.Join(name, base), set.Position(pos).Line)
						found[id] = append(found[id], at)
					}
				}
			}
		}
	}
	for id := range otherTexts {
		if !used[id] {
			t.Errorf("%s cuts and joins no text: remove it from otherTexts", id)
		}
	}
	ratchet(t, "testdata/keys.txt", "Places that cut or join the identity of an object by hand; package identity has functions for it.", found)
}

// handmade returns the places that cut a text at a colon or a slash, join texts with a colon, or a namespace and a name with a slash.
func handmade(d ast.Decl) (out []token.Pos) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if cuts(n) {
				out = append(out, n.Pos())
			}
		case *ast.BinaryExpr:
			if n.Op == token.ADD && (isText(n.Y, ":") || isText(n.X, ":") || isText(n.Y, "/") && endsWithNamespace(n.X)) {
				out = append(out, n.OpPos)
			}
		}
		return true
	})
	return out
}

// cuts reports whether a call cuts or joins a text at a colon, or cuts it at a slash.
func cuts(call *ast.CallExpr) bool {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || len(call.Args) < 2 {
		return false
	}
	pkg, _ := s.X.(*ast.Ident)
	switch {
	case pkg == nil || pkg.Name != "strings":
		return false
	case s.Sel.Name == "Join":
		return isText(call.Args[1], ":")
	case slices.Contains([]string{"Cut", "Split", "SplitN", "SplitAfter", "SplitSeq", "Index", "IndexByte", "LastIndex", "LastIndexByte"}, s.Sel.Name):
		return isText(call.Args[1], ":") || isText(call.Args[1], "/")
	}
	return false
}

// isText reports whether an expression is the literal of a string or a character.
func isText(x ast.Expr, want string) bool {
	l, ok := x.(*ast.BasicLit)
	if !ok {
		return false
	}
	got, err := strconv.Unquote(l.Value)
	return err == nil && got == want
}

// endsWithNamespace reports whether an expression, or the last term of a sum, is the namespace of something.
func endsWithNamespace(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		return endsWithNamespace(x.Y)
	case *ast.SelectorExpr:
		return strings.EqualFold(x.Sel.Name, "namespace")
	case *ast.Ident:
		return strings.EqualFold(x.Name, "namespace")
	}
	return false
}
