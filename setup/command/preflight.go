// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/setup/preflight"
	"github.com/contiv/contiv/setup/preflight/peer"
	"github.com/contiv/contiv/trust"
)

// preflightOptions has the flags of contiv preflight.
type preflightOptions struct {
	place
	identity
	storeOptions
	join, peer, netmode, output, private string
	master, agent, listen, fix           bool
	timeout                              time.Duration
}

func newPreflight() *cobra.Command {
	o := &preflightOptions{}
	cmd := &cobra.Command{
		Use: "preflight", Short: "Check whether this machine can become a host of a cluster", Args: cobra.NoArgs,
		Long: "Check whether this machine can become a host of a cluster: the checks of contiv init, or with --join those of contiv join.\n\n" +
			"To test whether packets of tunnels pass between two machines, run it with --listen on one, and the command that it prints on the other. Nothing is changed, except by --fix.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return o.run(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	o.place.flags(f)
	o.identity.flags(f)
	f.StringVar(&o.join, "join", "", "netmaster of the cluster to join: ADDRESS, or TOKEN@ADDRESS, which also proves the netmaster")
	f.StringVar(&o.peer, "peer", "", "exchange packets of tunnels with another machine: CODE@ADDRESS, as contiv preflight --listen prints it")
	f.BoolVar(&o.listen, "listen", false, "wait for one machine that runs contiv preflight --peer, and exchange packets of tunnels with it")
	f.DurationVar(&o.timeout, "timeout", 10*time.Minute, "with --listen: maximum time to wait")
	f.BoolVar(&o.fix, "fix", false, "set the kernel settings and load the modules that checks name, now and at each boot; contiv leave reverts it")
	f.BoolVar(&o.master, "master", false, "with --join: the host also runs a netmaster")
	f.BoolVar(&o.agent, "agent", true, "the host runs an agent")
	f.StringVar(&o.netmode, "netmode", "vxlan", "network mode: vlan or vxlan")
	f.StringVar(&o.private, "private-subnet", "172.19.0.0/16", "private subnet of the cluster, between hosts and their containers")
	o.storeOptions.flags(f)
	f.StringVar(&o.ovs, "ovs-rundir", "", "directory of Open vSwitch's sockets (default /run/openvswitch)")
	f.StringVarP(&o.output, "output", "o", "table", "format: table or json")
	return cmd
}

func (o *preflightOptions) run(ctx context.Context, out, progress io.Writer) error {
	h, err := o.host()
	switch {
	case err != nil:
		return err
	case o.output != "table" && o.output != "json":
		return fmt.Errorf("--output: got %s, want table or json", o.output)
	case o.netmode != "vlan" && o.netmode != "vxlan":
		return fmt.Errorf("--netmode: got %s, want vlan or vxlan", o.netmode)
	case o.listen && (o.peer != "" || o.join != "" || o.fix):
		return errors.New("--listen excludes --peer, --join and --fix")
	}
	w := setup.Wish{}
	w.Settings.NetMode = o.netmode
	clock, at, err := o.clock()
	if err != nil {
		return err
	}
	if _, err := o.fill(h, &w, at); err != nil {
		return err
	}
	store, err := o.store()
	if err != nil {
		return err
	}
	master := o.master || o.join == ""
	s := o.subject(h, &w, master, o.agent, master && store.Kind == "embedded")
	s.Clock = clock
	if s.Private, err = netip.ParsePrefix(o.private); err != nil {
		return fmt.Errorf("--private-subnet: %w", err)
	}
	m := preflight.Local{}
	if o.listen {
		return o.await(ctx, out, progress, m, s)
	}
	if o.peer != "" {
		code, err := peer.ParseCode(o.peer)
		if err != nil {
			return fmt.Errorf("--peer: %w", err)
		}
		s.Peer = func(ctx context.Context) (peer.Report, error) {
			return exchange(ctx, m, s, func(socket peer.Socket, self peer.Side) (peer.Report, error) {
				return peer.Dial(ctx, code, s.VTEP, socket, self)
			})
		}
	}
	results := preflight.Run(ctx, m, s)
	if o.fix {
		did, err := h.Fix(ctx, fixes(results), setup.Commands)
		for _, line := range did {
			_, _ = fmt.Fprintln(progress, line)
		}
		if err != nil {
			return err
		}
		if len(did) > 0 {
			s.Peer = nil // its code is for one session
			results = preflight.Run(ctx, m, s)
		}
	}
	return o.print(out, s.Label, results)
}

// fixes returns what the results propose.
func fixes(results []preflight.Result) (out []setup.Fix) {
	for i := range results {
		if f := results[i].Fix; f != nil {
			out = append(out, setup.Fix(*f))
		}
	}
	return out
}

// clock returns how to read the clock of the netmaster that --join names, and the netmaster's address. Without a token nothing proves that
// the netmaster is one.
func (o *preflightOptions) clock() (read func(context.Context) (time.Time, error), address string, err error) {
	if o.join == "" {
		return nil, "", nil
	}
	if strings.Contains(o.join, "@") {
		i, err := setup.ParseInvitation(o.join)
		return func(ctx context.Context) (time.Time, error) { return date(ctx, &i) }, i.Address, err
	}
	address = o.join
	if _, _, err := net.SplitHostPort(address); err != nil {
		address = net.JoinHostPort(strings.Trim(address, "[]"), setup.MasterPort)
	}
	transport := &http.Transport{TLSClientConfig: trust.Trusting(func([]*x509.Certificate) error { return nil }), DisableKeepAlives: true}
	return func(ctx context.Context) (time.Time, error) {
		return dateOf(ctx, &http.Client{Transport: transport, Timeout: requestTimeout}, "https://"+address)
	}, address, nil
}

// exchange opens the socket of the tunnel address, and runs one end of a session.
func exchange(ctx context.Context, m preflight.Machine, s *preflight.Subject, run func(peer.Socket, peer.Side) (peer.Report, error)) (peer.Report, error) {
	mtu, _, err := m.MTU(s.VTEP)
	if err != nil {
		return peer.Report{}, err
	}
	socket, err := peer.Open(s.VTEP)
	if err != nil {
		return peer.Report{}, err
	}
	defer func() { _ = socket.Close() }()
	return run(socket, peer.Side{Host: s.Label, MTU: mtu, Now: m.Now, Filter: preflight.Dropped(ctx, m, s)})
}

// await waits for a peer, and prints the result of the exchange.
func (o *preflightOptions) await(ctx context.Context, out, progress io.Writer, m preflight.Machine, s *preflight.Subject) error {
	if preflight.InUserSpace(ctx, m, cmp.Or(s.Switch, filepath.Join("/run/openvswitch", "db.sock"))) {
		return errors.New("the agent of this host forwards in user space, where Open vSwitch takes packets of tunnels before the packet filter: netctl doctor shows whether they pass between agents")
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	r, err := exchange(ctx, m, s, func(socket peer.Socket, self peer.Side) (peer.Report, error) {
		l, err := o.open(ctx, s)
		if err != nil {
			return peer.Report{}, err
		}
		defer func() { _ = l.Close() }()
		where := out
		if o.output == "json" {
			where = progress
		}
		_, _ = fmt.Fprintf(where, "On the other machine, within %s:\n\n  contiv preflight --peer %s\n\n", o.timeout, l.Code())
		return l.Serve(ctx, socket, self)
	})
	if err != nil {
		return fmt.Errorf("no exchange with another machine: %w", err)
	}
	fine, wrong := preflight.Exchanged(&r)
	if len(wrong) == 0 {
		wrong = []preflight.Result{{State: preflight.OK, Summary: fine}}
	}
	for i := range wrong {
		wrong[i].Check = "peer"
	}
	return o.print(out, s.Label, wrong)
}

// open listens at the tunnel address, at the first free port of those that must pass between hosts in any case, or at any port.
func (o *preflightOptions) open(ctx context.Context, s *preflight.Subject) (*peer.Listener, error) {
	var last error
	for _, port := range []uint16{9999, 9090, 0} {
		l, err := peer.Listen(ctx, netip.AddrPortFrom(s.VTEP, port), time.Now())
		if err == nil {
			return l, nil
		}
		last = err
	}
	return nil, last
}

// preflightReport is the output of contiv preflight -o json.
type preflightReport struct {
	Host   string             `json:"host"`
	State  preflight.State    `json:"state"` // error, warning, unknown or ok: the first of these that a check has
	Checks []preflight.Result `json:"checks"`
}

// print prints results, and returns an error if one of them prevents the setup.
func (o *preflightOptions) print(out io.Writer, host string, results []preflight.Result) error {
	counts := map[preflight.State]int{}
	for i := range results {
		counts[results[i].State]++
	}
	r := preflightReport{Host: host, State: preflight.OK, Checks: results}
	for _, s := range []preflight.State{preflight.Unknown, preflight.Warning, preflight.Error} {
		if counts[s] > 0 {
			r.State = s
		}
	}
	if o.output == "json" {
		e := json.NewEncoder(out)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		if err := e.Encode(r); err != nil {
			return err
		}
	} else if err := table(out, results); err != nil {
		return err
	}
	if n := counts[preflight.Error]; n > 0 {
		return fmt.Errorf("%d checks failed: this machine cannot be a host of a cluster yet", n)
	}
	return nil
}

// table prints results as a table, with the remedy below.
func table(out io.Writer, results []preflight.Result) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(w, "State\tCheck\tSummary")
	for i := range results {
		r := &results[i]
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", r.State, r.Check, r.Summary)
		if r.Remedy != "" {
			_, _ = fmt.Fprintf(w, "\t\t  %s\n", r.Remedy)
		}
	}
	return w.Flush()
}
