// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"

	"github.com/spf13/cobra"
)

func newUpgradeCheck(p *place) *cobra.Command {
	return &cobra.Command{
		Use: "check", Short: "Report whether the netmaster of this host can be restarted now", Args: cobra.NoArgs,
		Long: "Report whether the netmaster of this host can be restarted now: a majority of the members of an embedded store, or another netmaster beside an external store, must remain. " +
			"It exits with 1 if not. Packages ask it before they restart an upgraded netmaster.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := p.host()
			if err != nil {
				return err
			}
			why, err := h.MayRestart(cmd.Context())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), why)
			return err
		},
	}
}
