// SPDX-License-Identifier: Apache-2.0

package command

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/setup"
)

func newLeave() *cobra.Command {
	var p place
	last, force, master, drain, timeout := false, false, false, false, 10*time.Minute
	cmd := &cobra.Command{
		Use: "leave [NAME]", Short: "Remove this host from its cluster, or another host that is gone for good", Args: cobra.MaximumNArgs(1),
		Long: "Remove this host from its cluster: its daemons stop, its label and addresses become free, its member of the embedded store is removed, and its certificates are revoked. Then " +
			"the bridge, the rules of nftables and the files of contiv are removed, and kernel settings are restored; what remains is printed with the reason. While endpoints are on the host " +
			"contiv leave refuses and names them; with --drain it waits for them instead, and the host takes no new ones meanwhile.\n\n" +
			"With NAME it removes another host, whose machine is gone for good; with --master only its netmaster, whose store is lost, so that contiv join --master makes it a member again. A running netmaster " +
			"is refused; if its machine does not answer, it may still run, and --force is required.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return other(cmd, &p, args[0], master, force)
			}
			if master {
				return errors.New("--master needs the NAME of another host: contiv leave without --master removes this host as a whole")
			}
			h, err := p.host()
			if err != nil {
				return err
			}
			starter, err := p.starter(h)
			if err != nil {
				return err
			}
			label, err := h.Labelled()
			if err != nil && !last {
				return err
			}
			say := lines(cmd.OutOrStdout())
			l := &setup.Leave{Host: h, Label: label, Starter: starter, Last: last, Force: force}
			if drain {
				if last || force || timeout <= 0 {
					return errors.New("--drain excludes --last and --force: it waits until no container is on this host, at most --timeout")
				}
				l.Drain, l.Progress = timeout, say
			}
			if _, byHand := starter.(setup.ByHand); !byHand { // else the agent may still run
				l.Uninstall = setup.Uninstaller(h)
			}
			if err := setup.Run(cmd.Context(), l.Steps(), say); err != nil {
				return fmt.Errorf("%w; contiv leave continues from there", err)
			}
			return nil
		},
	}
	p.daemonFlags(cmd.Flags())
	cmd.Flags().BoolVar(&last, "last", false, "do not contact netmasters: the cluster ends with this host, or another host reports the removal with contiv leave NAME")
	cmd.Flags().BoolVar(&master, "master", false, "with NAME: remove the netmaster of that host, whose store is lost, and keep its agent and containers")
	cmd.Flags().BoolVar(&drain, "drain", false, "accept no new containers on this host, and wait until its containers are deleted")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "with --drain: maximum time to wait for the containers")
	cmd.Flags().BoolVar(&force, "force", false, "leave even if containers of this host lose their network; with NAME and --master: continue even if the machine does not answer")
	return cmd
}

// other removes a host whose machine is gone for good, or its netmaster: the latter only if its machine shows that it does not run,
// or by force.
func other(cmd *cobra.Command, p *place, name string, master, force bool) error {
	c, _, _, err := p.reach()
	if err != nil {
		return err
	}
	who, out := name, model.Departed{}
	switch {
	case master:
		who = "the netmaster of " + name
		out, err = departed(cmd.Context(), c, model.DepartRequest{Master: name, Lost: true, Force: force})
		if err != nil && model.AsError(err).Code == model.CodeUnsupported { // the store is not embedded
			out, err = c.Depart(cmd.Context(), model.DepartRequest{Master: name})
		}
	case force:
		return errors.New("--force with NAME requires --master: add --master, or omit --force")
	default:
		out, err = c.Depart(cmd.Context(), model.DepartRequest{Agent: name, Master: name})
	}
	if err != nil {
		return err
	}
	if out.Evidence != "" {
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "netmaster of %s: %s\n", name, out.Evidence)
	}
	_, _ = fmt.Fprintf(cmd.OutOrStdout(), "removed %s from the cluster, and revoked %d certificates\n", who, len(out.Revoked))
	if out.Member != "" {
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "removed member %s of the store\n", out.Member)
	}
	for _, e := range out.Endpoints {
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "endpoint %s remains: netctl node forget --release %s\n", e, name)
	}
	return nil
}
