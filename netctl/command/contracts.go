// SPDX-License-Identifier: Apache-2.0

package command

import (
	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// addContracts adds create to the command of external contracts groups: one of two flags sets their type.
func addContracts(f *Factory, k *model.Kind, c *cobra.Command) {
	create, o := newCreate(f, k)
	var consumed, provided bool
	create.Flags().BoolVarP(&consumed, "consumed", "c", false, "the groups consume the contracts")
	create.Flags().BoolVarP(&provided, "provided", "p", false, "the groups provide the contracts")
	o.prepare = func(fields map[string]any) error {
		if consumed == provided {
			return term.BadUsage("exactly one of --consumed and --provided is required")
		}
		fields["contractsType"] = "provided"
		if consumed {
			fields["contractsType"] = "consumed"
		}
		return nil
	}
	c.AddCommand(create)
}
