// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/setup"
)

func newReaddress() *cobra.Command {
	var p place
	vtep, dry, operator := "", false, false
	cmd := &cobra.Command{
		Use: "readdress [ADDRESS]", Short: "Change the address of this host", Args: cobra.MaximumNArgs(1),
		Long: "Change the address of this host's netmaster, its member of the embedded store and its agent to ADDRESS. Add the new address to the machine beside the previous one, run " +
			"this command, and remove the previous address when it has ended. Containers of other hosts are not affected.\n\n" +
			"Netmasters accept the address by this host's certificate, from a connection that comes from the address. Until the change is complete this host has certificates for both; then those for the " +
			"previous address are revoked. Safe to run again: it continues where it stopped.\n\n" +
			"Without ADDRESS it updates the lists of netmasters and of members in this host's settings, after another host has changed its address.",
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := p.host()
			if err != nil {
				return err
			}
			label, err := h.Labelled()
			if err != nil {
				return err
			}
			starter, err := p.starter(h)
			if err != nil {
				return err
			}
			r := &setup.Readdress{Host: h, Label: label, Starter: starter, Operator: operator, Machine: machineAddresses}
			if len(args) == 0 {
				args = []string{h.Address()}
			}
			if r.Address, err = own("address", args[0]); err != nil {
				return err
			}
			if vtep != "" {
				if r.VTEP, err = own("vtep-ip", vtep); err != nil {
					return err
				}
			}
			say := lines(cmd.OutOrStdout())
			if !dry {
				return setup.Run(cmd.Context(), r.Steps(), say)
			}
			later, err := r.Preview(cmd.Context(), say)
			for _, name := range later {
				say("would do: " + name)
			}
			return err
		},
	}
	p.daemonFlags(cmd.Flags())
	cmd.Flags().StringVar(&vtep, "vtep-ip", "", "tunnel endpoint address of this host (default: ADDRESS if it was the previous address, else unchanged)")
	cmd.Flags().BoolVar(&dry, "dry-run", false, "check the addresses and list the steps, without changing anything")
	cmd.Flags().BoolVar(&operator, "as-operator", false, "authenticate to netmasters with the certificate of this host's user; required if addresses are translated on the path to them")
	return cmd
}

// own parses an address that this machine must have.
func own(field, text string) (netip.Addr, error) {
	a, err := netip.ParseAddr(text)
	if err != nil || a.Zone() != "" {
		return a, fmt.Errorf("%s: got %q, want an address of this machine; ip -brief address lists them", field, cmp.Or(text, "none"))
	}
	return a.Unmap(), nil
}

// machineAddresses lists the addresses of this machine's interfaces at which others can reach it.
func machineAddresses() (out []netip.Addr, err error) {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return nil, err
	}
	for _, one := range all {
		if p, err := netip.ParsePrefix(one.String()); err == nil && !p.Addr().IsLoopback() && !p.Addr().IsLinkLocalUnicast() {
			out = append(out, p.Addr().Unmap())
		}
	}
	return out, nil
}
