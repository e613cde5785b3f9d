// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strings"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/netctl/term"
)

// showHealth prints findings, each with its evidence, its remedy and the next command.
func showHealth(f *Factory, h *model.Health, format term.Format) error {
	l := &listing{value: h}
	var out strings.Builder
	for _, x := range h.Findings {
		l.names = append(l.names, x.Object)
		fmt.Fprintf(&out, "%-8s %s  %s", strings.ToUpper(string(x.Severity)), x.Code, x.Object)
		if x.Host != "" && x.Object != "host/"+x.Host {
			fmt.Fprintf(&out, " on %s", x.Host)
		}
		fmt.Fprintf(&out, "  since %s\n         %s\n         do: %s\n", x.Since, x.Evidence, x.Remedy)
		if x.Next != "" {
			fmt.Fprintf(&out, "         see: %s\n", x.Next)
		}
	}
	if !format.Tabular() {
		return l.write(f, format)
	}
	if h.Worst() == "" {
		fmt.Fprintf(&out, "no problems found: %d netmasters, %d hosts, %d endpoints\n", h.Masters, h.Hosts, h.Endpoints)
	}
	return printf(f.Out, "%s", out.String())
}
