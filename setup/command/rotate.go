// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// newCertRotate replaces the cluster's authority.
func newCertRotate(p *place) *cobra.Command {
	force := false
	cmd := &cobra.Command{
		Use: "rotate-authority [trust|sign|finish]", Short: "Replace the cluster's authority, in three phases; without a phase: show the progress", Args: cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{string(record.PhaseTrust), string(record.PhaseSign), string(record.PhaseFinish)},
		Long: "Replace the cluster's authority and its key while daemons continue to run.\n\n" +
			"trust creates the next authority, and has all hosts trust it in addition to the present one. Then restart the netmasters one after the other: a member of the embedded store reads its authorities when it " +
			"starts. sign makes the next authority the signing one; hosts and the user of the first host get certificates of it, and it seals the secrets in the store. finish ends the trust in the previous authority: it is " +
			"refused, with names, while certificates of that one are in use. Then restart the netmasters once more, and save a snapshot.\n\n" +
			"Each phase is safe to repeat. Tokens created before sign are for the previous authority: create others with contiv token create.",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, role, err := p.reach()
			if err != nil {
				return err
			}
			if role == trust.Agent {
				return errors.New("an agent's certificate cannot replace the authority: run the command on a host with a netmaster")
			}
			var r model.Rotation
			if len(args) == 0 {
				r, err = c.Rotation(cmd.Context())
			} else {
				r, err = c.RotateAuthority(cmd.Context(), model.RotateRequest{Phase: args[0], Force: force})
			}
			if err != nil {
				return err
			}
			return showRotation(cmd.OutOrStdout(), &r)
		},
	}
	cmd.Flags().BoolVar(&force, "force", false, "with sign: continue even if daemons do not answer; those that do not trust the next authority must join again")
	return cmd
}

// showRotation prints the progress of a replacement, and the next step.
func showRotation(out io.Writer, r *model.Rotation) (err error) {
	say := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(out, format+"\n", args...)
		}
	}
	if r.Phase == "" {
		say("no replacement of the authority is in progress: contiv cert rotate-authority trust begins one")
		return err
	}
	say("phase %s since %s", r.Phase, moment(r.Since))
	say("  from %s\n  to   %s", r.From, r.To)
	for _, one := range r.Waiting {
		say("  waiting for: %s", one)
	}
	switch record.Phase(r.Phase) {
	case record.PhaseTrust:
		say("next: restart the netmasters one after the other, each when the previous one is ready; then contiv cert rotate-authority sign")
	case record.PhaseSign:
		say("next: when the waiting list is empty, contiv cert rotate-authority finish")
	case record.PhaseFinish:
		say("the authority is replaced; next: restart the netmasters one after the other, and contiv snapshot save")
	}
	return err
}
