package catalog

import "github.com/contiv/contiv/daemon/record"

func (v *View) putGlobal(g *record.Global) error {
	v.global = g
	return nil
}

func (v *View) dropGlobal(string) { v.global = nil }
