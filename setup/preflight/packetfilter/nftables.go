// SPDX-License-Identifier: Apache-2.0

package packetfilter

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Nftables returns the rules of nftables that drop a packet. ruleset is the output of nft -j list ruleset, and listing that of nft -a -s
// list ruleset, from which the texts of rules come. Tables whose names managed contains are skipped: Iptables reads them.
func Nftables(ruleset, listing []byte, managed []string, p *Packet) ([]Obstacle, error) {
	var all struct {
		Nftables []map[string]json.RawMessage `json:"nftables"`
	}
	if err := json.Unmarshal(ruleset, &all); err != nil {
		return nil, fmt.Errorf("rules of nftables: %w", err)
	}
	r := reader{tables: map[string]*table{}, sets: map[string]any{}, texts: texts(listing), family: "ip"}
	if p.Local.Is6() {
		r.family = "ip6"
	}
	for _, item := range all.Nftables {
		for kind, body := range item {
			if err := r.read(kind, body); err != nil {
				return nil, fmt.Errorf("rules of nftables: %s: %w", kind, err)
			}
		}
	}
	var out []*table
	for _, id := range r.order {
		if !slices.Contains(managed, id) {
			out = append(out, r.tables[id])
		}
	}
	return pass(out, p), nil
}

// reader collects tables.
type reader struct {
	tables map[string]*table
	order  []string
	sets   map[string]any    // elements by table and name
	texts  map[string]string // by table, chain and handle
	family string            // "ip" or "ip6"
}

// object is a table, chain, set or rule as nft prints it (libnftables-json(5)).
type object struct {
	Family string           `json:"family"`
	Table  string           `json:"table"`
	Chain  string           `json:"chain"`
	Name   string           `json:"name"`
	Type   string           `json:"type"`
	Hook   string           `json:"hook"`
	Prio   int              `json:"prio"`
	Dev    any              `json:"dev"`
	Policy string           `json:"policy"`
	Handle int              `json:"handle"`
	Elem   []any            `json:"elem"`
	Expr   []map[string]any `json:"expr"`
}

// read adds one object.
func (r *reader) read(kind string, body json.RawMessage) error {
	if !slices.Contains([]string{"table", "chain", "set", "map", "rule"}, kind) {
		return nil
	}
	var o object
	if err := json.Unmarshal(body, &o); err != nil {
		return err
	}
	if o.Family != "inet" && o.Family != "netdev" && o.Family != r.family {
		return nil
	}
	if kind == "table" {
		r.table(o.Family + " " + o.Name)
		return nil
	}
	id := o.Family + " " + o.Table
	t := r.table(id)
	switch kind {
	case "set", "map":
		r.sets[id+" "+o.Name] = o.Elem
	case "chain":
		c := t.chain(o.Name)
		if o.Type == "nat" {
			return nil // it decides about addresses only
		}
		c.hook, c.priority = o.Hook, o.Prio
		c.device, _ = o.Dev.(string)
		if o.Policy == "drop" {
			c.policy = drop
		}
	case "rule":
		c := t.chain(o.Chain)
		text := r.texts[fmt.Sprintf("%s %s %d", id, o.Chain, o.Handle)]
		if text == "" {
			text = fmt.Sprintf("handle %d", o.Handle)
		}
		c.rules = append(c.rules, r.rules(id, text, o.Expr)...)
	}
	return nil
}

// table returns the table with an id, and creates it if necessary.
func (r *reader) table(id string) *table {
	if r.tables[id] == nil {
		r.order = append(r.order, id)
		r.tables[id] = &table{id: id, chains: map[string]*chain{}, insert: func(chain string, p *Packet) string {
			return fmt.Sprintf("nft insert rule %s %s %s dport %s accept", id, chain, p.Protocol, p.port())
		}}
	}
	return r.tables[id]
}

// chain returns the chain with a name, and creates it if necessary.
func (t *table) chain(name string) *chain {
	if t.chains[name] == nil {
		t.chains[name] = &chain{name: name}
	}
	return t.chains[name]
}

// rules translates the expressions of a rule. A verdict map becomes one rule for each of its elements.
func (r *reader) rules(id, text string, expressions []map[string]any) (out []rule) {
	one := rule{text: text}
	for _, x := range expressions {
		for name, body := range x {
			if name == "vmap" {
				for _, m := range r.mapped(id, body) {
					m.text, m.matches = text, slices.Concat(one.matches, m.matches)
					out = append(out, m)
				}
				continue
			}
			if verdict, target, ok := decision(name, body); ok {
				one.verdict, one.target = verdict, target
				continue
			}
			if m := r.condition(id, name, body); m != nil {
				one.matches = append(one.matches, m)
			}
		}
	}
	if one.verdict != next {
		out = append(out, one)
	}
	return out
}

// mapped returns a rule for each element of a verdict map.
func (r *reader) mapped(id string, body any) (out []rule) {
	m, _ := body.(map[string]any)
	for _, e := range r.elements(id, m["data"]) {
		pair, _ := e.([]any)
		if len(pair) != 2 {
			continue
		}
		key, to := pair[0], pair[1]
		verdicts, _ := to.(map[string]any)
		for name, body := range verdicts {
			if verdict, target, ok := decision(name, body); ok {
				out = append(out, rule{verdict: verdict, target: target, matches: []func(*Packet) answer{r.match(id, m["key"], "==", key)}})
			}
		}
	}
	return out
}

// decision translates a verdict.
func decision(name string, body any) (verdict kind, target string, ok bool) {
	verdict, ok = map[string]kind{"accept": accept, "drop": drop, "reject": drop, "return": back, "jump": jump, "goto": jumpFinal}[name]
	if to, is := body.(map[string]any); is {
		target, _ = to["target"].(string)
	}
	return verdict, target, ok
}

// texts finds the texts of rules, by table, chain and handle, in the output of nft -a -s list ruleset.
func texts(listing []byte) map[string]string {
	out := map[string]string{}
	table, chain := "", ""
	for line := range strings.Lines(string(listing)) {
		text, handle, ok := strings.Cut(strings.TrimSpace(line), " # handle ")
		switch fields := strings.Fields(text); {
		case !ok || len(fields) == 0:
		case fields[0] == "table" && len(fields) >= 3:
			table = fields[1] + " " + fields[2]
		case fields[0] == "chain" && strings.HasSuffix(text, "{"):
			chain = fields[1]
		default:
			out[table+" "+chain+" "+handle] = text
		}
	}
	return out
}
