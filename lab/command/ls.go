// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/identity"
	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/hostinit"
)

// listing is the output of ls.
type listing struct {
	Name       string          `json:"name"`
	Store      string          `json:"store"`
	Hosts      []hostRow       `json:"hosts"`
	Containers []lab.Container `json:"containers"`
}

type hostRow struct {
	Name  string          `json:"name"`
	IP    string          `json:"ip"`
	VTEP  string          `json:"vtep"`
	Error string          `json:"error,omitempty"`
	Parts []hostinit.Part `json:"parts,omitempty"`
}

func newLs(w *where) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "ls", Short: "List hosts, their parts, and containers", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if format != "table" && format != "json" {
				return fmt.Errorf("--output %s: want table or json", format)
			}
			l, err := w.open()
			if err != nil {
				return err
			}
			list, err := look(l)
			if err != nil {
				return err
			}
			if format == "json" {
				enc := json.NewEncoder(w.s.Out)
				enc.SetIndent("", "  ")
				return enc.Encode(list)
			}
			return list.table(w.s.Out)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "table", "table or json")
	return cmd
}

func look(l *lab.Lab) (listing, error) {
	list := listing{Name: l.Name, Store: l.Store, Containers: []lab.Container{}}
	for _, h := range l.HostList() {
		row := hostRow{Name: h.Name, IP: h.IP, VTEP: h.VTEP}
		parts, err := l.Parts(h.Name)
		if err != nil {
			row.Error = err.Error()
		}
		for _, name := range lab.PartNames {
			for _, p := range parts {
				if p.Name == name {
					row.Parts = append(row.Parts, p)
				}
			}
		}
		list.Hosts = append(list.Hosts, row)
	}
	containers, err := l.Containers()
	list.Containers = append(list.Containers, containers...)
	return list, err
}

func (l listing) table(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "HOST\tIP\tVTEP\tPARTS")
	for _, h := range l.Hosts {
		var parts []string
		for _, p := range h.Parts {
			text := p.Name
			if !p.Running() {
				text += " (" + p.Outcome + ")"
			}
			parts = append(parts, text)
		}
		if h.Error != "" {
			parts = []string{h.Error}
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", h.Name, h.IP, h.VTEP, strings.Join(parts, ", "))
	}
	if len(l.Containers) > 0 {
		fmt.Fprintln(t, "\nCONTAINER\tHOST\tNETWORK\tADDRESSES")
	}
	for _, c := range l.Containers {
		var ips []string
		for _, a := range c.IPs {
			ips = append(ips, a.String())
		}
		network := identity.Network{Tenant: c.Tenant, Name: c.Network}.String()
		if c.Group != "" {
			network += " (" + c.Group + ")"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, c.Host, network, strings.Join(ips, ", "))
	}
	return t.Flush()
}
