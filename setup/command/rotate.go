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
		Use: "rotate-authority [trust|sign|finish]", Short: "Replace the cluster's authority in three phases; without an argument, show the progress", Args: cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		ValidArgs: []string{string(record.PhaseTrust), string(record.PhaseSign), string(record.PhaseFinish)},
		Long: "Replace the cluster's authority by another one, with a key of its own, while daemons continue.\n\n" +
			"trust makes the next authority, and has all hosts trust it beside the present one. Then restart the netmasters one after the other: a member of the embedded store reads its authorities when it " +
			"starts. sign has the next authority sign; hosts and the user of the first host get certificates of it, and secrets in the store are sealed by it. finish ends the trust in the previous authority: it is " +
			"refused, with names, while anyone still proves anything by that one. Then restart the netmasters once more, and save a snapshot.\n\n" +
			"Each phase is safe to run again. Tokens that contiv token create made before the phase sign belong to the previous authority: create new ones.",
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, role, err := p.reach()
			if err != nil {
				return err
			}
			if role == trust.Agent {
				return errors.New("an agent's certificate cannot replace the authority: run this command on a host with a netmaster")
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
	cmd.Flags().BoolVar(&force, "force", false, "with sign: continue although daemons do not answer; those that do not trust the next authority must join again")
	return cmd
}

// showRotation prints how far a replacement is, and what is next.
func showRotation(out io.Writer, r *model.Rotation) (err error) {
	say := func(format string, args ...any) {
		if err == nil {
			_, err = fmt.Fprintf(out, format+"\n", args...)
		}
	}
	if r.Phase == "" {
		say("no replacement is in progress: contiv cert rotate-authority trust starts one")
		return err
	}
	say("phase %s since %s", r.Phase, moment(r.Since))
	say("  from %s\n  to   %s", r.From, r.To)
	for _, one := range r.Waiting {
		say("  waits for: %s", one)
	}
	switch record.Phase(r.Phase) {
	case record.PhaseTrust:
		say("next: restart the netmasters one after the other, each when the one before is ready; then contiv cert rotate-authority sign")
	case record.PhaseSign:
		say("next: when the list above is empty, contiv cert rotate-authority finish")
	case record.PhaseFinish:
		say("the authority is replaced; next: restart the netmasters one after the other, and contiv snapshot save")
	}
	return err
}
