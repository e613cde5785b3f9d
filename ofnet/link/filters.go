// SPDX-License-Identifier: Apache-2.0

package link

import (
	"fmt"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
)

// drops lists the filters of a namespace that drop its incoming or outgoing packets: base chains of the input and output hooks whose policy
// is drop, and chains with rules that drop. It includes rules of iptables if iptables writes nftables, which is its default.
func drops(ns *Namespace) (out []string, err error) {
	c, end, err := ns.nftables()
	if err != nil {
		return nil, err
	}
	defer end()
	chains, err := c.ListChains()
	if err != nil {
		return nil, fmt.Errorf("list packet filters: %w", err)
	}
	for _, chain := range chains {
		called := fmt.Sprintf("chain %s of table %s", chain.Name, chain.Table.Name)
		if chain.Hooknum != nil && chain.Policy != nil && *chain.Policy == nftables.ChainPolicyDrop {
			out = append(out, called+" drops what no rule accepts")
		}
		rules, err := c.GetRules(chain.Table, chain)
		if err != nil {
			return nil, fmt.Errorf("list rules of %s: %w", called, err)
		}
		n := 0
		for _, rule := range rules {
			for _, e := range rule.Exprs {
				if v, ok := e.(*expr.Verdict); ok && v.Kind == expr.VerdictDrop {
					n++
				}
			}
		}
		if n > 0 {
			out = append(out, fmt.Sprintf("%s has %d rules that drop", called, n))
		}
	}
	return out, nil
}
