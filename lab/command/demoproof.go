// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"text/tabwriter"

	"github.com/contiv/contiv/lab"
)

// verdict is the result of one ping.
type verdict struct{ want, got bool }

// String is the verdict as the table shows it.
func (v verdict) String() string {
	word := "-"
	if v.got {
		word = "talks"
	}
	if v.want != v.got {
		word += " WRONG"
	}
	return word
}

// demoProof pings every container from every other, over IPv4 and IPv6, and prints which of them communicate. The network green has no
// gateway; with pods, the switch is the gateway of all such networks, and so those of a tenant communicate.
func demoProof(ctx context.Context, w io.Writer, l *lab.Lab, containers []*lab.Container, pods bool) (wrong int, err error) {
	about := "blue is VXLAN, green is VLAN, tenants are apart"
	if pods {
		about = "blue is VXLAN, green is VLAN, networks of a tenant are routed as pods want it, tenants are apart"
	}
	for _, version := range []int{4, 6} {
		n := len(containers)
		verdicts := make([][]verdict, n)
		var wait sync.WaitGroup
		errs := make([]error, n)
		for i, from := range containers {
			verdicts[i] = make([]verdict, n)
			wait.Go(func() {
				for j, to := range containers {
					if i != j {
						got, err := reaches(ctx, l, from, to, version)
						errs[i] = errors.Join(errs[i], err)
						verdicts[i][j] = verdict{from.Tenant == to.Tenant && (pods || from.Network == to.Network), got}
					}
				}
			})
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			return 0, err
		}
		fmt.Fprintf(w, "\nWho talks to whom over IPv%d (ping; %s):\n", version, about)
		t := tabwriter.NewWriter(w, 0, 2, 2, ' ', 0)
		fmt.Fprint(t, "  from \\ to")
		for _, c := range containers {
			fmt.Fprintf(t, "\t%s", c.Name)
		}
		fmt.Fprintln(t)
		for i, from := range containers {
			fmt.Fprintf(t, "  %s (%s %s/%s)", from.Name, from.Host, from.Tenant, from.Network)
			for j := range containers {
				if i == j {
					fmt.Fprint(t, "\t.")
					continue
				}
				fmt.Fprintf(t, "\t%s", verdicts[i][j])
				if verdicts[i][j].want != verdicts[i][j].got {
					wrong++
				}
			}
			fmt.Fprintln(t)
		}
		if err := t.Flush(); err != nil {
			return wrong, err
		}
	}
	return wrong, nil
}

// reaches reports whether to answers from.
func reaches(ctx context.Context, l *lab.Lab, from, to *lab.Container, version int) (bool, error) {
	ping, err := l.Ping(ctx, from.Name, to.Name, version, "-q", "-c", "3", "-i", "0.1", "-W", "1")
	if err != nil {
		return false, err
	}
	return ping.Run() == nil, nil
}
