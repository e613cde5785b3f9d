package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/lab"
)

// demoName is the name of the demo's lab, unless another is given.
const demoName = "demo"

// newDemo makes the command that shows what Contiv does, on this machine.
func newDemo(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "demo", Short: "Start three hosts, connect containers, prove who talks to whom, and leave it running",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w.name = cmp.Or(w.name, demoName)
			return runDemo(cmd.Context(), w)
		},
	}
}

// demoContainers are the containers of the demo. The networks called blue have the same IPv4 subnet in both tenants; a
// group pool keeps the addresses in use apart, so that an answer tells who answered.
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

func runDemo(ctx context.Context, w *where) error {
	start := time.Now()
	fmt.Fprintln(w.s.Out, "Three hosts, each a network namespace with its own Open vSwitch, netmaster and netplugin:")
	_, none := exec.LookPath("dockerd")
	if err := runUp(ctx, w, &upOptions{plan: lab.Plan{Hosts: 3, Store: lab.StoreEmbedded, Docker: none == nil}}); err != nil {
		return err
	}
	l, err := w.open()
	if err != nil {
		return err
	}
	urls, err := l.MasterURLs()
	if err != nil {
		return err
	}
	c := &client.Client{Base: urls, Patience: 10 * time.Second, Actor: func() string { return demoName }, Program: "contiv"}
	if err := demoObjects(ctx, c); err != nil {
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
	wrong, err := demoProof(ctx, w.s.Out, l, containers)
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
	if err := demoNext(w, urls, time.Since(start)); err != nil {
		return err
	}
	if wrong > 0 {
		return fmt.Errorf("%d of the pings and connections did not do what they should; contiv lab --name %s logs HOST agent says more", wrong, w.name)
	}
	return nil
}

// demoObjects makes the tenants and networks.
func demoObjects(ctx context.Context, c *client.Client) error {
	objects := []model.Object{
		&model.Tenant{TenantName: "acme"},
		&model.Network{TenantName: "default", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24", Gateway: "10.1.1.254", Ipv6Subnet: "2001:db8:1::/64", Ipv6Gateway: "2001:db8:1::fe"},
		&model.Network{TenantName: "default", NetworkName: "green", Encap: "vlan", Subnet: "10.2.1.0/24", Ipv6Subnet: "2001:db8:2::/64"},
		&model.Network{TenantName: "acme", NetworkName: "blue", Encap: "vxlan", Subnet: "10.1.1.0/24", Ipv6Subnet: "2001:db8:3::/64"},
		&model.Policy{TenantName: "default", PolicyName: "db-only"},
		&model.EndpointGroup{TenantName: "default", NetworkName: "blue", GroupName: "front"},
		&model.EndpointGroup{TenantName: "default", NetworkName: "blue", GroupName: "back", Policies: []string{"db-only"}},
		&model.Rule{TenantName: "default", PolicyName: "db-only", RuleId: "1", Direction: "in", Protocol: "tcp", Action: "deny", Priority: 1},
		&model.Rule{TenantName: "default", PolicyName: "db-only", RuleId: "2", Direction: "in", Protocol: "tcp", Port: 5432, FromEndpointGroup: "front",
			Action: "allow", Priority: 10},
		&model.EndpointGroup{TenantName: "acme", NetworkName: "blue", GroupName: "pool", IpPool: "10.1.1.100-10.1.1.110"},
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

// verdict is what one ping showed.
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

// demoProof pings every container from every other, over IPv4 and IPv6, and prints who talks to whom.
func demoProof(ctx context.Context, w io.Writer, l *lab.Lab, containers []*lab.Container) (wrong int, err error) {
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
						verdicts[i][j] = verdict{from.Tenant == to.Tenant && from.Network == to.Network, got}
					}
				}
			})
		}
		wait.Wait()
		if err := errors.Join(errs...); err != nil {
			return 0, err
		}
		fmt.Fprintf(w, "\nWho talks to whom over IPv%d (ping; blue is VXLAN, green is VLAN, tenants are apart):\n", version)
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

// demoPolicy opens connections that the policy of the group back is about, and prints which of them it lets through.
func demoPolicy(ctx context.Context, w *where) (wrong int, err error) {
	fmt.Fprintln(w.s.Out, "\nWhat the policy db-only lets into the group back (tcp; web is in the group front, db in back):")
	return demoConnections(ctx, w, []connection{
		{"web", "db", "5432", "rule 2 allows port 5432 from front", true},
		{"web", "db", "80", "rule 1 denies all other tcp", false},
		{"db", "web", "80", "front has no policy", true},
	})
}

// connection is one that is to open or not, and the rule that says so.
type connection struct {
	from, to, port, rule string
	want                 bool
}

// demoConnections tries connections and prints what became of each.
func demoConnections(ctx context.Context, w *where, list []connection) (wrong int, err error) {
	t := tabwriter.NewWriter(w.s.Out, 0, 2, 2, ' ', 0)
	for _, row := range list {
		v := verdict{row.want, connects(ctx, w, row.from, row.to, row.port)}
		if v.want != v.got {
			wrong++
		}
		fmt.Fprintf(t, "  %s to %s port %s\t%s\t%s\n", row.from, row.to, row.port, v, row.rule)
	}
	return wrong, t.Flush()
}

// connects tells whether a connection opens and carries data.
func connects(ctx context.Context, w *where, from, to, port string) bool {
	quiet := *w
	quiet.s.Out, quiet.s.Err = io.Discard, io.Discard
	cmd := newTCP(&quiet)
	cmd.SetArgs([]string{from, to, port, "-W", "2s"})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	return cmd.ExecuteContext(ctx) == nil
}

// reaches tells whether to answers from.
func reaches(ctx context.Context, l *lab.Lab, from, to *lab.Container, version int) (bool, error) {
	ping, err := l.Ping(ctx, from.Name, to.Name, version, "-q", "-c", "3", "-i", "0.1", "-W", "1")
	if err != nil {
		return false, err
	}
	return ping.Run() == nil, nil
}

// flags are those that choose this lab, each behind a space.
func (w *where) flags() string {
	out := " --name " + w.name
	if w.dir != lab.DefaultDir {
		out += " --dir " + w.dir
	}
	return out
}

func demoNext(w *where, urls string, took time.Duration) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bin := filepath.Dir(self)
	of, down := w.flags(), "make demo-down                                   "
	if w.name != demoName || w.dir != lab.DefaultDir {
		down = "contiv lab" + of + " down"
	}
	_, err = fmt.Fprintf(w.s.Out, `
Ready after %.1f s, and left running. Next:

  export NETMASTER=%s PATH=%s:$PATH

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

  %[5]s removes every trace
`, took.Seconds(), urls, bin, of, down)
	return err
}
