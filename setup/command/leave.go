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
		Use: "leave [NAME]", Short: "Remove this host, or a lost one, from its cluster", Args: cobra.MaximumNArgs(1),
		Long: "Remove this host from its cluster: contiv stops the daemons, releases the label and the addresses, removes the member of the embedded store, and revokes the certificates. Then it " + "removes the bridge, the nftables rules and the files of contiv, restores kernel settings, and lists what remains, with the reason. While endpoints are on the host, " + "contiv leave refuses and names them; with --drain it waits until they are deleted, and the host accepts no new ones.\n\n" +
			"NAME removes another host whose machine is lost; with --master, only its netmaster, whose store is lost, so that contiv join --master can make it a member again. contiv refuses to remove a netmaster " + "that runs. If its machine does not answer, contiv cannot prove that the netmaster is stopped, and requires --force.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return other(cmd, &p, args[0], master, force)
			}
			if master {
				return errors.New("--master requires the NAME of another host: contiv leave without --master removes this host entirely")
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
					return errors.New("--drain waits up to --timeout until no container is on this host: it cannot be combined with --last or --force")
				}
				l.Drain, l.Progress = timeout, say
			}
			if _, byHand := starter.(setup.ByHand); !byHand { // else the agent may still run
				l.Uninstall = setup.Uninstaller(h)
			}
			if err := setup.Run(cmd.Context(), l.Steps(), say); err != nil {
				return fmt.Errorf("%w; run contiv leave again to continue from there", err)
			}
			return nil
		},
	}
	p.daemonFlags(cmd.Flags())
	cmd.Flags().BoolVar(&last, "last", false, "do not inform netmasters: this host is the last one, or contiv leave NAME runs on another host")
	cmd.Flags().BoolVar(&master, "master", false, "with NAME: remove only the netmaster of that host, whose store is lost, and keep its agent and containers")
	cmd.Flags().BoolVar(&drain, "drain", false, "accept no new containers on this host, and wait until the existing ones are deleted")
	cmd.Flags().DurationVar(&timeout, "timeout", timeout, "maximum time to wait for the containers, with --drain")
	cmd.Flags().BoolVar(&force, "force", false, "leave although containers of this host lose their network; with NAME and --master: continue although the machine does not answer")
	return cmd
}

// other takes a host out whose machine is gone for good, or its netmaster: the latter only if its machine says that it does not run, or by force.
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
		if err != nil && model.AsError(err).Code == model.CodeUnsupported { // no netmaster has a part of the store
			out, err = c.Depart(cmd.Context(), model.DepartRequest{Master: name})
		}
	case force:
		return errors.New("--force with NAME requires --master: add --master, or remove --force")
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
		_, _ = fmt.Fprintf(cmd.OutOrStdout(), "endpoint %s remains: netctl node forget --release %s deletes it\n", e, name)
	}
	return nil
}
