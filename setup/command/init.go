// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/flags"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

// initOptions has the flags of contiv init.
type initOptions struct {
	place
	identity
	storeOptions
	settings model.ClusterSettings
	uplinks  []string
}

func newInit() *cobra.Command {
	o := &initOptions{}
	cmd := &cobra.Command{
		Use: "init", Short: "Make this machine the first host of a new cluster", Args: cobra.NoArgs,
		Long: "Make this machine the first host of a new cluster: an authority, certificates, a netmaster with its store, and an agent.\n\n" +
			"After a failure, run it again: it continues where it stopped. It refuses a host that is part of a cluster.",
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd.Context(), cmd.OutOrStdout()) },
	}
	f := cmd.Flags()
	o.daemonFlags(f)
	o.identity.flags(f)
	f.BoolVar(&o.force, "force", false, "continue even if checks fail")
	f.StringVar(&o.settings.Mode, "mode", flags.ModeAuto, flags.ModeUsage)
	f.StringVar(&o.settings.NetMode, "netmode", "vxlan", "network mode: vlan or vxlan")
	f.StringVar(&o.settings.FwdMode, "fwdmode", "routing", "forwarding mode: bridge or routing")
	f.StringSliceVar(&o.uplinks, "vlan-uplinks", nil, "NICs that carry VLANs")
	o.storeOptions.flags(f)
	f.StringVar(&o.ovs, "ovs-rundir", "", "directory of Open vSwitch's sockets (default /run/openvswitch)")
	return cmd
}

func (o *initOptions) run(ctx context.Context, out io.Writer) error {
	h, err := o.host()
	if err != nil {
		return err
	}
	starter, err := o.starter(h)
	if err != nil {
		return err
	}
	store, err := o.store()
	if err == nil {
		err = o.access.Check(store)
	}
	if err != nil {
		return err
	}
	w := setup.Wish{Uplinks: o.uplinks, Settings: o.settings, Access: o.access}
	hostname, err := o.fill(h, &w, "")
	if err != nil {
		return err
	}
	if err := o.check(ctx, out, h, &w, true, true, store.Kind == "embedded", nil); err != nil {
		return err
	}
	steps := (&setup.Init{Host: h, Wish: w, Store: store, Hostname: hostname, Starter: starter, Now: time.Now}).Steps()
	if err := setup.Run(ctx, steps, lines(out)); err != nil {
		if h.Complete() {
			return err
		}
		return fmt.Errorf("%w; contiv init continues from there, contiv leave --last undoes everything", err)
	}
	if _, byHand := starter.(setup.ByHand); byHand {
		_, _ = fmt.Fprintln(out, "When the daemons run, continue with: contiv token create")
		return h.Finished()
	}
	c, err := h.Client(trust.User, requestTimeout, h.Netmasters()...)
	if err != nil {
		return err
	}
	if err := firstAdmin(ctx, c, out); err != nil {
		return err
	}
	many := 0
	made, err := c.MakeJoinToken(ctx, model.JoinTokenRequest{Uses: &many})
	if err != nil {
		return err
	}
	_, _ = fmt.Fprintf(out, "\nUntil %s, any number of other hosts can join with:\n\n  %s\n\n"+
		"For a host that also runs a netmaster, run this here, and run the command that it prints there:\n\n  contiv token create --master\n\nThe cluster, as this host sees it:\n\n  netctl node ls\n  contiv console\n",
		made.Expires.Local().Format("2006-01-02 15:04"), joinCommand(made, false))
	return h.Finished()
}

// joinCommand returns the command that the operator runs on another host.
func joinCommand(t model.JoinToken, master bool) string {
	at := "NETMASTER"
	if len(t.Netmasters) > 0 {
		at = t.Netmasters[0]
	}
	flag := ""
	if master {
		flag = "--master "
	}
	if t.Replaces != "" {
		flag += "--label " + t.Replaces + " "
	}
	return "contiv join " + flag + t.Token + "@" + at
}

// firstAdmin creates the first user, and prints the password, which is not shown again. It prints nothing if netmaster has no
// users, or has this user already.
func firstAdmin(ctx context.Context, c *client.Client, out io.Writer) error {
	var answer json.RawMessage
	_, err := c.Post(ctx, "/api/v1/auth/first-admin", struct{}{}, &answer)
	var e *model.Error
	if errors.As(err, &e) && (e.Code == model.CodeNotFound || e.Code == model.CodeConflict) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the first user: %w", err)
	}
	var made model.Login
	if err := json.Unmarshal(answer, &made); err != nil || made.Password == "" {
		return nil
	}
	_, _ = fmt.Fprintf(out, "\nThe first user is %s, with the password %s, which is not shown again.\n", made.Username, made.Password)
	return nil
}
