package command

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/lab"
	"github.com/contiv/contiv/lab/hostinit"
)

func newAttach(w *where) *cobra.Command {
	var c lab.Container
	cmd := &cobra.Command{
		Use: "attach HOST NAME --network NETWORK", Short: "Make a container on a host and connect it, by the CNI plugin",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			c.Host, c.Name = args[0], args[1]
			got, err := l.Attach(cmd.Context(), c)
			if err != nil {
				return err
			}
			for _, a := range got.IPs {
				fmt.Fprintln(w.s.Out, a)
			}
			return nil
		},
	}
	containerFlags(cmd, &c)
	return cmd
}

func containerFlags(cmd *cobra.Command, c *lab.Container) {
	cmd.Flags().StringVarP(&c.Network, "network", "n", "", "network of the container")
	cmd.Flags().StringVarP(&c.Tenant, "tenant", "t", "default", "tenant of the network")
	cmd.Flags().StringVarP(&c.Group, "group", "g", "", "endpoint group of the container")
	cmd.MarkFlagsOneRequired("network", "group")
}

func newDetach(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "detach NAME", Short: "Disconnect a container, by the CNI plugin, and delete it", Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			return l.Detach(cmd.Context(), args[0])
		},
	}
}

func newExec(w *where) *cobra.Command {
	return &cobra.Command{
		Use: "exec HOST|NAME -- COMMAND", Short: "Run a command on a host or in a container", Args: cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			run, err := l.In(cmd.Context(), args[0], args[1:]...)
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
}

type pingOptions struct {
	six             bool
	count           int
	interval, limit time.Duration
}

func newPing(w *where) *cobra.Command {
	o := &pingOptions{}
	cmd := &cobra.Command{
		Use: "ping FROM TO", Short: "Ping one container from another", Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			version := 4
			if o.six {
				version = 6
			}
			seconds := func(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', -1, 64) }
			run, err := l.Ping(cmd.Context(), args[0], args[1], version,
				"-c", strconv.Itoa(o.count), "-i", seconds(o.interval), "-W", seconds(o.limit))
			if err != nil {
				return err
			}
			return w.foreground(run)
		},
	}
	cmd.Flags().BoolVarP(&o.six, "ipv6", "6", false, "ping the IPv6 address")
	cmd.Flags().IntVarP(&o.count, "count", "c", 3, "how many times")
	cmd.Flags().DurationVarP(&o.interval, "interval", "i", 200*time.Millisecond, "pause between two")
	cmd.Flags().DurationVarP(&o.limit, "timeout", "W", time.Second, "how long to wait for an answer")
	return cmd
}

func newTCP(w *where) *cobra.Command {
	return newConnection(w, "tcp", "Connect one container to another and send a MiB there and back", "how long it may take",
		func() ends { return ends{"listen", "dial"} })
}

// newTalk is newTCP for a connection that stays open.
func newTalk(w *where) *cobra.Command {
	var stream bool
	cmd := newConnection(w, "talk", "Connect one container to another and print a line for every byte that came back, 100 a second",
		"how long the connection may take to open", func() ends {
			if stream {
				return ends{"stream", "hear"}
			}
			return ends{"listen", "talk"}
		})
	cmd.Flags().BoolVarP(&stream, "stream", "s", false, "over UDP: FROM asks once, and TO alone speaks from then on")
	return cmd
}

// ends are the ends of echo that two containers run.
type ends struct{ listen, dial string }

// newConnection makes a command that has one container listen and runs an end of echo in another.
func newConnection(w *where, name, short, patience string, of func() ends) *cobra.Command {
	var six bool
	var at string
	var limit time.Duration
	cmd := &cobra.Command{
		Use: name + " FROM TO PORT", Short: short, Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := w.open()
			if err != nil {
				return err
			}
			to, err := l.Container(args[1])
			if err != nil {
				return err
			}
			version := 4
			if six {
				version = 6
			}
			address, err := to.IPv(version)
			if err != nil {
				return err
			}
			ctx := cmd.Context()
			listen, err := l.In(ctx, args[1], l.Self(), "lab", "echo", of().listen, args[2])
			if err != nil {
				return err
			}
			listen.Stderr = w.s.Err
			out, err := listen.StdoutPipe()
			if err != nil {
				return err
			}
			// It ends when its input does. To kill it would leave it alive: the process here is only its parent.
			hold, err := listen.StdinPipe()
			if err != nil {
				return err
			}
			if err := listen.Start(); err != nil {
				return err
			}
			defer func() { _ = hold.Close(); _ = listen.Wait() }()
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				return fmt.Errorf("listen in %s: %w", args[1], err)
			}
			dial, err := l.In(ctx, args[0], l.Self(), "lab", "echo", of().dial,
				cmp.Or(at, net.JoinHostPort(address.String(), args[2])), limit.String())
			if err != nil {
				return err
			}
			return w.foreground(dial)
		},
	}
	cmd.Flags().BoolVarP(&six, "ipv6", "6", false, "use the IPv6 address")
	cmd.Flags().StringVar(&at, "at", "", "ADDRESS:PORT to connect to, such as that of a service; empty for that of TO")
	cmd.Flags().DurationVarP(&limit, "timeout", "W", 5*time.Second, patience)
	return cmd
}

// newHost is process 1 of a host; New's caller never types it.
func newHost() *cobra.Command {
	return &cobra.Command{
		Use: "host DIR NAME", Hidden: true, Args: cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error { return hostinit.Run(args[0], args[1]) },
	}
}

// newCNI calls the CNI plugin: with a folder and a container as JSON on the host itself, which is how the lab calls it,
// or with a host and a name from outside, without making or deleting the container.
func newCNI(w *where) *cobra.Command {
	var c lab.Container
	cmd := &cobra.Command{
		Use: "cni add|del|check HOST NAME", Short: "Call the CNI plugin and nothing else", Hidden: true, Args: cobra.ExactArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if args[1] != "" && args[1][0] == '/' {
				if err := json.Unmarshal([]byte(args[2]), &c); err != nil {
					return err
				}
				return lab.CNIOnHost(cmd.Context(), args[0], args[1], c, w.s.Out)
			}
			l, err := w.open()
			if err != nil {
				return err
			}
			c.Host, c.Name = args[1], args[2]
			r, err := l.CNI(cmd.Context(), args[0], c)
			for _, ip := range r.IPs {
				fmt.Fprintln(w.s.Out, ip.Address.Addr())
			}
			return err
		},
	}
	cmd.Flags().StringVarP(&c.Network, "network", "n", "", "network of the container")
	cmd.Flags().StringVarP(&c.Tenant, "tenant", "t", "default", "tenant of the network")
	cmd.Flags().StringVarP(&c.Group, "group", "g", "", "endpoint group of the container")
	return cmd
}

// newEcho is the ends of the commands tcp and talk.
func newEcho(w *where) *cobra.Command {
	cmd := &cobra.Command{Use: "echo", Hidden: true}
	listener := func(name string, run func(ctx context.Context, port int, out io.Writer) error) *cobra.Command {
		return &cobra.Command{Use: name + " PORT", Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			port, err := strconv.Atoi(args[0])
			if err != nil {
				return err
			}
			ctx, cancel := untilInputEnds(cmd.Context(), w.s.In)
			defer cancel()
			return run(ctx, port, w.s.Out)
		}}
	}
	dialer := func(name string, run func(ctx context.Context, address string, limit time.Duration) error) *cobra.Command {
		return &cobra.Command{Use: name + " ADDRESS TIMEOUT", Args: cobra.ExactArgs(2), RunE: func(cmd *cobra.Command, args []string) error {
			limit, err := time.ParseDuration(args[1])
			if err != nil {
				return err
			}
			return run(cmd.Context(), args[0], limit)
		}}
	}
	cmd.AddCommand(listener("listen", lab.EchoOnce), listener("stream", lab.StreamOnce), dialer("dial", lab.EchoDial),
		dialer("talk", func(ctx context.Context, address string, limit time.Duration) error {
			return lab.EchoTalk(ctx, address, limit, w.s.Out)
		}),
		dialer("hear", func(ctx context.Context, address string, limit time.Duration) error {
			return lab.Listen(ctx, address, limit, w.s.Out)
		}))
	cmd.AddCommand(newEnds(w)...)
	return cmd
}
