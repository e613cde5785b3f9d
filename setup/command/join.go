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

// joinOptions are the flags of contiv join.
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
		Long: "Make this machine a host of the cluster that has made the token: contiv init and contiv token create print what is to be typed.\n\n" +
			"The token tells this machine the cluster's authority, so that it trusts no one else.",
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd.Context(), cmd.OutOrStdout(), args[0]) },
	}
	f := cmd.Flags()
	o.daemonFlags(f)
	o.identity.flags(f)
	f.BoolVar(&o.force, "force", false, "go on though checks have failed")
	f.BoolVar(&o.master, "master", false, "run a netmaster too, with a member of the embedded store, if that is the cluster's")
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
	hostname, err := o.fill(&w)
	if err != nil {
		return err
	}
	clock := func(ctx context.Context) (time.Time, error) { return date(ctx, &invitation) }
	if err := o.check(ctx, out, h, &w, o.master, o.agent, o.master && store.Kind == "embedded", clock); err != nil {
		return err
	}
	j := &setup.Join{Host: h, Wish: w, Invitation: invitation, Master: o.master, Agent: o.agent, Hostname: hostname, Starter: starter, Store: o.own(store)}
	if err := setup.Run(ctx, j.Steps(), lines(out)); err != nil {
		return fmt.Errorf("%w; the same command goes on from there, contiv leave takes everything back", err)
	}
	return nil
}

// date is the time of the netmaster of an invitation, as its answers say (RFC 9110, section 6.6.1). The clock is compared before certificates are, so that a
// wrong one is told as such.
func date(ctx context.Context, i *setup.Invitation) (time.Time, error) {
	c := i.Visit(nil, func(*x509.Certificate) {})
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+i.Address+"/healthz", nil)
	if err != nil {
		return time.Time{}, err
	}
	answer, err := c.HTTP.Do(q)
	if err != nil {
		return time.Time{}, err
	}
	defer func() { _ = answer.Body.Close() }()
	return http.ParseTime(answer.Header.Get("Date"))
}
