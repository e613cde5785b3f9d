// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/setup"
)

// joinOptions has the flags of contiv join.
type joinOptions struct {
	place
	identity
	storeOptions
	uplinks       []string
	master, agent bool
}

func newJoin() *cobra.Command {
	o := &joinOptions{}
	cmd := &cobra.Command{
		Use: "join TOKEN@ADDRESS", Short: "Make this machine a host of a cluster", Args: cobra.ExactArgs(1),
		Long: "Make this machine a host of the cluster that created the token: contiv init and contiv token create print the command.\n\n" +
			"The token identifies the cluster's authority, so that this machine trusts only its netmasters.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), cmd.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	o.daemonFlags(f)
	o.identity.flags(f)
	f.BoolVar(&o.force, "force", false, "continue even if checks fail")
	f.BoolVar(&o.master, "master", false, "also run a netmaster, with a member of the store if the cluster's store is embedded")
	o.storeOptions.flags(f)
	f.BoolVar(&o.agent, "agent", true, "run an agent")
	f.StringSliceVar(&o.uplinks, "vlan-uplinks", nil, "NICs that carry VLANs")
	f.StringVar(&o.ovs, "ovs-rundir", "", "directory of Open vSwitch's sockets (default /run/openvswitch)")
	return cmd
}

func (o *joinOptions) run(ctx context.Context, out io.Writer, text string) error {
	invitation, err := setup.ParseInvitation(text)
	if err != nil {
		return err
	}
	if !o.master && !o.agent {
		return errors.New("--agent=false is for hosts that run a netmaster: add --master")
	}
	h, err := o.host()
	if err != nil {
		return err
	}
	starter, err := o.starter(h)
	if err != nil {
		return err
	}
	store, err := o.store()
	if err != nil {
		return err
	}
	w := setup.Wish{Uplinks: o.uplinks, Access: o.access}
	hostname, err := o.fill(h, &w, invitation.Address)
	if err != nil {
		return err
	}
	clock := func(ctx context.Context) (time.Time, error) { return date(ctx, &invitation) }
	if err := o.check(ctx, out, h, &w, o.master, o.agent, o.master && store.Kind == "embedded", clock); err != nil {
		return err
	}
	j := &setup.Join{Host: h, Wish: w, Invitation: invitation, Master: o.master, Agent: o.agent, Hostname: hostname, Starter: starter, Store: o.own(store)}
	if err := setup.Run(ctx, j.Steps(), lines(out)); err != nil {
		return fmt.Errorf("%w; the same command continues from there, contiv leave undoes everything", err)
	}
	return nil
}

// date returns the time of an invitation's netmaster, from the Date header of its responses (RFC 9110, section 6.6.1). The clock is
// checked before certificates are, so that a wrong clock is reported as such.
func date(ctx context.Context, i *setup.Invitation) (time.Time, error) {
	return dateOf(ctx, i.Visit(nil, func(*x509.Certificate) {}).HTTP, "https://"+i.Address)
}

// dateOf returns the time of the netmaster at a URL.
func dateOf(ctx context.Context, c *http.Client, base string) (time.Time, error) {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/healthz", nil)
	if err != nil {
		return time.Time{}, err
	}
	answer, err := c.Do(q)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	return http.ParseTime(answer.Header.Get("Date"))
}
