// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/netctl/term"
)

// networkFlags select the network of an address.
type networkFlags struct{ tenant, network string }

func (p *networkFlags) register(c *cobra.Command) {
	c.Flags().StringVarP(&p.tenant, "tenant", "t", "", "tenant of the network (with --network, the default is default)")
	c.Flags().StringVarP(&p.network, "network", "n", "", "only this network")
}

// query selects an address, on one network or on all that have it.
func (p *networkFlags) query(address string) client.AddressQuery {
	q := client.AddressQuery{Tenant: p.tenant, Network: p.network, Address: address}
	if q.Network != "" && q.Tenant == "" {
		q.Tenant = "default"
	}
	return q
}

func newIP(f *Factory) *cobra.Command {
	c := newIPOwner(f)
	c.Use, c.Short = "ip [ADDRESS]", "Show and reserve addresses, with their present and past owners"
	c.Long = "Show and reserve addresses, with their present and past owners. With an address, it is the same as netctl ip who ADDRESS."
	owner := c.RunE
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		if _, err := netip.ParseAddr(args[0]); err != nil {
			return unknownCommand(c, args[0])
		}
		return exactly("ADDRESS")(c, args)
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return c.Help()
		}
		return owner(c, args)
	}
	c.AddCommand(newIPShow(f), newIPHistory(f), newIPOwner(f), newIPQuarantine(f), newIPRelease(f))
	return c
}

func newIPShow(f *Factory) *cobra.Command {
	o, p, at := &output{}, &networkFlags{}, ""
	c := &cobra.Command{
		Use: "show NETWORK|ADDRESS", Short: "List the used addresses of a network, or show one address", Args: exactly("NETWORK or ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error { return runIPShow(cmd.Context(), f, o, p, at, args[0]) },
	}
	o.register(c)
	p.register(c)
	c.Flags().StringVar(&at, "at", "", "show the state at this moment: "+momentUsage)
	return c
}

func runIPShow(ctx context.Context, f *Factory, o *output, p *networkFlags, at, what string) error {
	format, err := o.parse()
	if err != nil {
		return err
	}
	q := p.query(what)
	if _, err := netip.ParseAddr(what); err != nil {
		q = (&networkFlags{p.tenant, what}).query("")
	}
	if q.At, err = momentOf(f, "at", at); err != nil {
		return err
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	if q.Address == "" && q.At == "" {
		if _, err := c.Networks().Get(ctx, q.Tenant, q.Network); err != nil {
			return err
		}
	}
	states, err := c.Addresses(ctx, q)
	if err != nil {
		return err
	}
	l := &term.Listing{Table: term.Table{Columns: columns("Network", "Address", "State", "Owner", "Host", "Since", "Until")}, Value: states}
	for _, s := range states {
		owner, host, since, until := "", "", "", ""
		if s.Owner != nil {
			owner, host = strings.TrimSpace(s.Owner.ID+" "+bracketed(s.Owner.Reason)), s.Owner.Host
			if s.Owner.Until != nil {
				until = s.Owner.Until.UTC().Format(time.RFC3339)
			}
		}
		if s.Since != nil {
			since = s.Since.UTC().Format(time.RFC3339)
		}
		l.Row(s.Address, []string{s.Network, s.Address, s.State, owner, host, since, until})
	}
	return f.print(l, format)
}

func bracketed(s string) string {
	if s == "" {
		return ""
	}
	return "(" + s + ")"
}

func newIPHistory(f *Factory) *cobra.Command {
	o, p, limit := &output{}, &networkFlags{}, 0
	c := &cobra.Command{
		Use: "history ADDRESS", Short: "Show the owners of an address over time, newest last", Args: exactly("ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runIPHistory(cmd.Context(), f, o, p, limit, args[0])
		},
	}
	o.register(c)
	p.register(c)
	c.Flags().IntVar(&limit, "limit", 50, "maximum number of entries, newest first (0: all)")
	return c
}

func runIPHistory(ctx context.Context, f *Factory, o *output, p *networkFlags, limit int, address string) error {
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	q := p.query(address)
	q.Limit = limit
	entries, err := c.Ledger(ctx, q)
	if err != nil {
		return err
	}
	l := &term.Listing{Table: term.Table{Columns: columns("Time", "Revision", "By", "Verb", "Network", "Address", "Was", "Is")}, Value: entries}
	for _, e := range entries {
		l.Row(e.Address, []string{e.Time.UTC().Format(time.RFC3339), strconv.FormatUint(e.Revision, 10), e.By.String(), e.Verb, e.Network, e.Address, e.Was.String(), e.Now.String()})
	}
	return f.print(l, format)
}

func newIPOwner(f *Factory) *cobra.Command {
	o, p, at := &output{}, &networkFlags{}, ""
	c := &cobra.Command{
		Use: "who ADDRESS", Short: "Show the owner of an address, since when, and the previous owner", Args: exactly("ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error { return runIPOwner(cmd.Context(), f, o, p, at, args[0]) },
	}
	o.registerOutput(c, "table")
	p.register(c)
	c.Flags().StringVar(&at, "at", "", "show the owner at this moment: "+momentUsage)
	return c
}

func runIPOwner(ctx context.Context, f *Factory, o *output, p *networkFlags, at, address string) error {
	q := p.query(address)
	var err error
	if q.At, err = momentOf(f, "at", at); err != nil {
		return err
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	states, err := c.Addresses(ctx, q)
	if err != nil {
		return err
	}
	if len(states) == 0 {
		return model.Errorf(model.CodeNotFound, "address", "no network includes address %s", address).Try("list the subnets with netctl network ls --all")
	}
	a := answer{value: states}
	for _, s := range states {
		a.text += f.sentence(s)
		if a.names = append(a.names, s.State); s.Owner != nil {
			a.names[len(a.names)-1] = s.Owner.Kind + "/" + s.Owner.ID
		}
	}
	return f.answer(a, format)
}

// sentence describes the state of one address.
func (f *Factory) sentence(s model.AddressState) string {
	text := s.Address + " of " + s.Network + ": "
	switch {
	case s.Owner != nil:
		text += s.Owner.String()
	case s.State == "outside":
		text += "never allocated"
	default:
		text += s.State
	}
	if s.Pool != "" {
		text += ", of the pool of group " + s.Pool
	}
	text += "\n"
	if s.Since != nil {
		text += "  since  " + f.stamp(*s.Since) + ", by " + s.By.String() + "\n"
		text += "  before " + s.Before.String() + "\n"
	}
	return text
}

func newIPQuarantine(f *Factory) *cobra.Command {
	o, p, lasting, reason := &writing{}, &networkFlags{}, time.Duration(0), ""
	c := &cobra.Command{
		Use: "quarantine ADDRESS", Short: "Reserve a free address, so that it is not allocated", Args: exactly("ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := model.QuarantineRequest{Network: p.id(), Address: args[0], Reason: reason, Seconds: int64(lasting / time.Second)}
			return runIPQuarantine(cmd.Context(), f, o, q, lasting)
		},
	}
	p.register(c)
	c.Flags().DurationVar(&lasting, "for", 0, "duration of the reservation (0: until it is released)")
	c.Flags().StringVar(&reason, "reason", "", "reason for the reservation")
	o.registerTrial(c)
	return c
}

// id returns the identity of the network; "" if none is given.
func (p *networkFlags) id() string {
	if q := p.query(""); q.Network != "" {
		return model.Key(q.Tenant, q.Network)
	}
	return ""
}

func runIPQuarantine(ctx context.Context, f *Factory, o *writing, q model.QuarantineRequest, lasting time.Duration) error {
	switch {
	case q.Network == "":
		return term.BadUsage("--network is required: several networks may include the address")
	case lasting < 0 || lasting%time.Second != 0:
		return term.BadUsage("--for: got %s, want at least 1s, such as 90s or 2h", lasting)
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if o.dryRun.on() {
		return f.reserved(ctx, c, format, q.Network, q.Address, "is free, and would be reserved", false)
	}
	owner, _, err := c.Quarantine(ctx, q)
	if err != nil {
		return err
	}
	return f.answer(answer{fmt.Sprintf("%s of %s: %s\n", q.Address, q.Network, owner.String()), []string{q.Address}, owner}, format)
}

func newIPRelease(f *Factory) *cobra.Command {
	o, p := &writing{}, &networkFlags{}
	c := &cobra.Command{
		Use: "release ADDRESS", Short: "End a reservation or a quarantine of an address", Args: exactly("ADDRESS"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runIPRelease(cmd.Context(), f, o, model.ReleaseRequest{Network: p.id(), Address: args[0]})
		},
	}
	p.register(c)
	o.registerTrial(c)
	return c
}

func runIPRelease(ctx context.Context, f *Factory, o *writing, q model.ReleaseRequest) error {
	if q.Network == "" {
		return term.BadUsage("--network is required: several networks may include the address")
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	if o.dryRun.on() {
		return f.reserved(ctx, c, format, q.Network, q.Address, "would be released", true)
	}
	released, _, err := c.FreeAddress(ctx, q)
	if err != nil {
		return err
	}
	said := "is free"
	if !released {
		said = "was already free"
	}
	value := map[string]any{"address": q.Address, "network": q.Network, "released": released}
	return f.answer(answer{fmt.Sprintf("%s of %s %s\n", q.Address, q.Network, said), []string{q.Address}, value}, format)
}

// reserved answers a dry run of a reservation, or of its end: it is refused if the address has another state than these require.
func (f *Factory) reserved(ctx context.Context, c *client.Client, format term.Format, network, address, said string, owned bool) error {
	tenant, name, _ := identity.Cut(network)
	states, err := c.Addresses(ctx, client.AddressQuery{Tenant: tenant, Network: name, Address: address})
	if err != nil {
		return err
	}
	if len(states) == 0 {
		return model.Errorf(model.CodeNotFound, "address", "network %s does not include address %s", network, address).Try("list the subnets with netctl network ls --all")
	}
	s := states[0]
	reserves := s.Owner != nil && (s.Owner.Kind == model.OwnerHold || s.Owner.Kind == model.OwnerQuarantine)
	switch {
	case !owned && s.Owner != nil:
		return model.Errorf(model.CodeConflict, "address", "address %s of %s belongs to %s", address, network, s.Owner)
	case owned && s.Owner != nil && !reserves:
		return model.Errorf(model.CodeConflict, "address", "address %s of %s belongs to %s, which is no reservation", address, network, s.Owner)
	case owned && s.Owner == nil:
		said = "is already free"
	}
	return f.answer(answer{fmt.Sprintf("%s of %s %s (dry run)\n", address, network, said), []string{address}, s}, format)
}
