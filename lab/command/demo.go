// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

// demoName is the default name of the demo's lab.
const demoName = "demo"

// newDemo returns the command that demonstrates Contiv on this machine.
func newDemo(w *where) *cobra.Command {
	o := &upOptions{plan: lab.Plan{Hosts: 3, Store: lab.StoreEmbedded, Joined: true}}
	cmd := &cobra.Command{
		Use: "demo", Short: "Start three hosts, connect containers, prove who talks to whom, and leave it running",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.name = cmp.Or(w.name, demoName)
			return runDemo(cmd.Context(), w, o)
		},
	}
	datapathFlag(cmd.Flags(), &o.plan)
	return cmd
}

// demoContainers are the containers of the demo. The networks called blue have the same IPv4 subnet in both tenants, unless there are pods;
// a group pool keeps the addresses in use apart, so that an answer identifies the sender.
func demoContainers() []lab.Container {
	return []lab.Container{
		{Name: "web", Host: "h1", Tenant: "default", Network: "blue", Group: "front"},
		{Name: "db", Host: "h2", Tenant: "default", Network: "blue", Group: "back"},
		{Name: "app", Host: "h1", Tenant: "default", Network: "green"},
		{Name: "cache", Host: "h3", Tenant: "default", Network: "green"},
		{Name: "shop", Host: "h1", Tenant: "acme", Network: "blue", Group: "pool"},
		{Name: "till", Host: "h3", Tenant: "acme", Network: "blue", Group: "pool"},
	}
}

func runDemo(ctx context.Context, w *where, o *upOptions) error {
	start := time.Now()
	_, none := exec.LookPath("dockerd")
	o.plan.Docker = none == nil
	without := o.demoKubernetes()
	fmt.Fprintln(w.s.Out, "Three hosts, each a network namespace with its own Open vSwitch, netmaster and netplugin:")
	if err := runUp(ctx, w, o); err != nil {
		return err
	}
	l, err := w.open()
	if err != nil {
		return err
	}
	c, err := l.Client()
	if err != nil {
		return err
	}
	c.Timeout, c.Actor, c.Program = 10*time.Second, func() string { return demoName }, "contiv"
	if err := demoObjects(ctx, c, without == nil); err != nil {
		return err
	}
	var containers []*lab.Container
	for _, want := range demoContainers() {
		made, err := l.Attach(ctx, want)
		if err != nil {
			return fmt.Errorf("attach %s: %w", want.Name, err)
		}
		containers = append(containers, made)
	}
	if err := demoList(w.s.Out, containers); err != nil {
		return err
	}
	wrong, err := demoProof(ctx, w.s.Out, l, containers, without == nil)
	if err != nil {
		return err
	}
	denied, err := demoPolicy(ctx, w)
	if err != nil {
		return err
	}
	wrong += denied
	if none == nil {
		denied, err := demoDocker(ctx, w, l)
		if err != nil {
			return err
		}
		wrong += denied
	}
	if without == nil {
		denied, err := demoPods(ctx, w, l)
		if err != nil {
			return err
		}
		wrong += denied
	} else {
		fmt.Fprintf(w.s.Out, "\nNo pods: %v.\n", without)
	}
	env, err := l.Env()
	if err != nil {
		return err
	}
	if err := demoNext(w, strings.Join(env, " "), time.Since(start), without == nil); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%d of the pings and connections did not do what they should; contiv lab --name %s logs HOST agent shows the agent's log", wrong, w.name)
	}
	return nil
}

// demoObjects makes the tenants and networks. In a cluster of Kubernetes addresses of pods are unique whatever their tenants, so with pods
// no two tenants have the same subnet.
func demoObjects(ctx context.Context, c *client.Client, pods bool) error {
	acme := "10.1.1"
	if pods {
		acme = "10.1.3"
	}
	objects := []model.Object{
		&model.Tenant{TenantName: "acme"},
		&model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24", Gateway: "10.1.1.254", Ipv6Subnet: "2001:db8:1::/64", Ipv6Gateway: "2001:db8:1::fe"},
		&model.Network{TenantName: "default", NetworkName: "green", Encap: "vlan", Subnet: "10.2.1.0/24", Ipv6Subnet: "2001:db8:2::/64"},
		&model.Network{TenantName: "acme", NetworkName: "blue", Encap: "vxlan", Subnet: acme + ".0/24", Ipv6Subnet: "2001:db8:3::/64"},
		&model.Policy{TenantName: "default", PolicyName: "db-only"},
		&model.EndpointGroup{TenantName: "default", NetworkName: "blue", GroupName: "front"},
		&model.EndpointGroup{TenantName: "default", NetworkName: "blue", GroupName: "back", Policies: []string{"db-only"}},
		&model.Rule{TenantName: "default", PolicyName: "db-only", RuleId: "1", Direction: "in", Protocol: "tcp", Action: "deny", Priority: 1},
		&model.Rule{TenantName: "default", PolicyName: "db-only", RuleId: "2", Direction: "in", Protocol: "tcp", Port: 5432, FromEndpointGroup: "front",
			Action: "allow", Priority: 10},
		&model.EndpointGroup{TenantName: "acme", NetworkName: "blue", GroupName: "pool", IpPool: acme + ".100-" + acme + ".110"},
	}
	for _, o := range objects {
		if _, err := c.Put(ctx, o); err != nil {
			return fmt.Errorf("create %s %s: %w", o.Kind().Name, o.ObjectKey(), err)
		}
	}
	return nil
}

func demoList(w io.Writer, containers []*lab.Container) error {
	fmt.Fprintln(w, "\nContainers, connected by the CNI plugin contivk8s:")
	t := tabwriter.NewWriter(w, 0, 2, 2, ' ', 0)
	fmt.Fprintln(t, "  name\thost\ttenant\tnetwork\tIPv4\tIPv6")
	for _, c := range containers {
		four, _ := c.IPv(4)
		six, _ := c.IPv(6)
		fmt.Fprintf(t, "  %s\t%s\t%s\t%s\t%s\t%s\n", c.Name, c.Host, c.Tenant, c.Network, four, six)
	}
	return t.Flush()
}

// demoPolicy opens connections that the policy of the group back judges, and prints which of them it allows.
func demoPolicy(ctx context.Context, w *where) (wrong int, err error) {
	fmt.Fprintln(w.s.Out, "\nWhat the policy db-only lets into the group back (tcp; web is in the group front, db in back):")
	return demoConnections(ctx, w, []connection{
		{"web", "db", "5432", "rule 2 allows port 5432 from front", true},
		{"web", "db", "80", "rule 1 denies all other tcp", false},
		{"db", "web", "80", "front has no policy", true},
	})
}

// connection is a connection with its expected result, and the rule that decides.
type connection struct {
	from, to, port, rule string
	want                 bool
}

// demoConnections tries connections and prints the results.
func demoConnections(ctx context.Context, w *where, list []connection) (wrong int, err error) {
	t := tabwriter.NewWriter(w.s.Out, 0, 2, 2, ' ', 0)
	for _, row := range list {
		v := verdict{row.want, connects(ctx, w, row.from, row.to, row.port, row.timeout())}
		if v.want != v.got {
			wrong++
		}
		fmt.Fprintf(t, "  %s to %s port %s\t%s\t%s\n", row.from, row.to, row.port, v, row.rule)
	}
	return wrong, t.Flush()
}

// timeout returns the maximum time of a connection. A connection that should open gets the time that a slow machine needs.
func (c *connection) timeout() time.Duration {
	if c.want {
		return 15 * time.Second
	}
	return 2 * time.Second
}

// connects reports whether a connection opens and carries data within the time given.
func connects(ctx context.Context, w *where, from, to, port string, patience time.Duration) bool {
	quiet := *w
	quiet.s.Out, quiet.s.Err = io.Discard, io.Discard
	cmd := newTCP(&quiet)
	cmd.SetArgs([]string{from, to, port, "-W", patience.String()})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(ctx) == nil
}

// flags are those that select this lab, each preceded by a space.
func (w *where) flags() string {
	out := " --name " + w.name
	if w.dir != lab.DefaultDir {
		out += " --dir " + w.dir
	}
	return out
}

func demoNext(w *where, env string, took time.Duration, pods bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Dir(self)
	of, down := w.flags(), "make demo-down                                   "
	if w.name != demoName || w.dir != lab.DefaultDir {
		down = "contiv lab" + of + " down"
	}
	more := ""
	if pods {
		more = demoPodsNext(of)
	}
	_, err = fmt.Fprintf(w.s.Out, `
Ready after %.1f s, and left running. Next:

  export %s PATH=%s:$PATH

  contiv console                                    the cluster live, in this terminal (? helps, q ends)
  netctl node ls                                    masters and agents, who leads, who lags
  netctl network ls --all -o wide                   networks
  netctl endpoint ls                                containers and where they are
  netctl network inspect blue                       addresses in use, tags, endpoints
  netctl why web db tcp 80                          may it, and does it? hop by hop
  netctl flows h2 --table policy_in                 the rules in the switch, with what they met
  netctl history                                    who changed what
  contiv lab%[4]s attach h2 cart --network green       one more container
  contiv lab%[4]s ping cart app              does it reach the others?
  contiv lab%[4]s kill h3 master             end a netmaster; netctl node ls shows who leads then
  netctl events --follow                            every change, as it happens
%[6]s
  %[5]s removes every trace
`, took.Seconds(), env, bin, of, down, more)
	return err
}
