// SPDX-License-Identifier: Apache-2.0

package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	xterm "golang.org/x/term"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/moment"
	"github.com/contiv/contiv/netctl/term"
)

// framesASecond bounds how often the screen is written. The library looks that often whether there is anything to write,
// which is most of what a console at rest costs.
const framesASecond = 15

type options struct {
	netmaster, screen, theme string
	context                  string
	explicit                 bool // --netmaster is on the command line
	ascii, once, svg, write  bool
	insecure, mouse, plain   bool
	width, height            int
	record, replay, at       string
	bundle                   string
	serve, keys, hostKey     string
	recordLimit              int // MiB
}

// NewCommand makes the "console" command. getenv reads the environment; host returns the netmasters of this host's cluster, "" if it belongs to none.
func NewCommand(in io.Reader, out io.Writer, getenv func(string) string, host func() string) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use: "console", Short: "Show the cluster live in the terminal: hosts, addresses, objects, events", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.explicit = cmd.Flags().Changed("netmaster")
			return run(cmd.Context(), in, out, getenv, o)
		},
	}
	netmaster := getenv("NETMASTER")
	if netmaster == "" {
		netmaster = host()
	}
	if netmaster == "" {
		netmaster = client.DefaultBase
	}
	f := cmd.Flags()
	f.StringVar(&o.netmaster, "netmaster", netmaster, "base URLs of netmasters, separated by commas: if one does not answer, the next is tried (default on a host of a cluster: its netmasters) [$NETMASTER]")
	f.StringVar(&o.context, "context", "", "context of netctl config to use (default: the current one, unless --netmaster or $NETMASTER is set)")
	f.BoolVar(&o.insecure, "insecure", term.Insecure(getenv), "accept any server certificate [$INSECURE]")
	f.StringVar(&o.screen, "screen", "overview", "first page, a path within it, such as addresses/TENANT/NETWORK, flows/HOST/TABLE, endpoint/ID:describe, or a view of your own")
	f.StringVar(&o.theme, "theme", "", "dark, light, sixteen (colours), mono, or a skin of your own (default: according to the terminal and its background, or mono with $NO_COLOR)")
	f.BoolVar(&o.ascii, "ascii", false, "draw only with ASCII characters")
	f.BoolVar(&o.write, "write", false, "allow changes: e edits in $EDITOR, ctrl+d deletes; each change is shown and confirmed first")
	f.BoolVar(&o.mouse, "mouse", false, "use the mouse to scroll, select, sort and change pages; select text with shift; ctrl+t switches the mouse on and off")
	f.BoolVar(&o.plain, "plain", false, "read commands from lines and print pages as text, for screen readers and terminals that move no cursor")
	f.BoolVar(&o.once, "once", false, "print one frame as plain text and exit")
	f.BoolVar(&o.svg, "svg", false, "with --once: print the frame as an SVG image, in the colours of the theme")
	f.StringVar(&o.record, "record", "", "record all received data in this file, for --replay; it must not exist")
	f.IntVar(&o.recordLimit, "record-limit", 64, "maximum size of the recording in MiB")
	f.StringVar(&o.replay, "replay", "", "play this recording instead of connecting to a netmaster")
	f.StringVar(&o.bundle, "bundle", "", "show this support bundle (of netctl support-bundle) instead of a live cluster (requires the netmaster binary, next to contiv or in $PATH)")
	f.StringVar(&o.at, "at", "", "show the cluster at an earlier moment: "+moment.Forms+"; with --replay: start at a time (2006-01-02T15:04:05Z or 15:04:05), an offset (90s), or an offset from the end (-10s)")
	f.StringVar(&o.serve, "serve", "", "serve the console over SSH at this address, such as :2222, to users with a password or a key")
	f.StringVar(&o.keys, "authorized-keys", "", "with --serve: file of public keys, each behind context=\"NAME\", whose context has the rights of the key")
	f.StringVar(&o.hostKey, "host-key", "", "with --serve: file of the server's private key, made if it is missing (default: contiv/ssh_host_ed25519_key beside the file of contexts)")
	_ = cmd.RegisterFlagCompletionFunc("at", cobra.FixedCompletions([]string{"10m", "1h", "1d", "yesterday"}, cobra.ShellCompDirectiveNoFileComp))
	f.IntVar(&o.width, "width", 100, "width of --once in cells, at least 80")
	f.IntVar(&o.height, "height", 30, "height of --once in lines, at least 24")
	return cmd
}

func run(ctx context.Context, in io.Reader, out io.Writer, getenv func(string) string, o *options) error {
	own, file, err := ownPreferences(getenv)
	if err != nil {
		return err
	}
	if err := o.replayOptions(); err != nil {
		return err
	}
	if o.serve != "" {
		return serve(ctx, out, getenv, own, o)
	}
	m, err := o.model(ctx, getenv, own)
	if err != nil {
		return err
	}
	if o.write && !o.plain {
		m.editor = term.EditorCommand(getenv)
	}
	m.personal.keep = keepIn(file)
	if o.replay != "" {
		return replay(ctx, in, out, m, o)
	}
	if o.bundle != "" {
		return showBundle(ctx, in, out, m, o)
	}
	target, err := term.Choice{Netmaster: o.netmaster, Explicit: o.explicit, Context: o.context, Home: getenv("HOME"), Getenv: getenv}.Target()
	if err != nil {
		return err
	}
	base, err := client.Bases(target.Servers)
	if err != nil {
		return err
	}
	c, err := connect(base, target, getenv, o.insecure)
	if err != nil {
		return err
	}
	f := feed.New(c, time.Now)
	m.cluster = f
	if err := o.travel(m); err != nil {
		return err
	}
	if o.record == "" {
		return o.show(ctx, in, out, f, m)
	}
	w, err := record(f, o, base)
	if err != nil {
		return err
	}
	if !o.once {
		m.recorder = w
	}
	return errors.Join(o.show(ctx, in, out, f, m), w.Close())
}

// travel has the model begin at the moment of --at.
func (o *options) travel(m *Model) error {
	if o.at == "" {
		return nil
	}
	to, err := moment.Parse(o.at, m.clock, m.clock.Location())
	if err != nil {
		return fmt.Errorf("--at: %w", err)
	}
	m.travel(to)
	return nil
}

// replay plays a recording.
func replay(ctx context.Context, in io.Reader, out io.Writer, m *Model, o *options) error {
	var err error
	if m.replay, err = play(o); err != nil {
		return err
	}
	m.cluster = m.replay.player
	if o.once {
		m.replay.showOnce(m)
		return draw(out, m, o)
	}
	return o.show(ctx, in, out, nil, m)
}

// show shows the model in the way of the options. f feeds it; nil: it plays a recording. It blocks until the user or ctx ends it.
func (o *options) show(ctx context.Context, in io.Reader, out io.Writer, f *feed.Feed, m *Model) error {
	switch {
	case o.once:
		return once(ctx, out, f, m, o)
	case o.plain:
		return runPlain(ctx, in, out, f, m, o)
	}
	return live(ctx, in, out, f, m)
}

// connect makes the client. The console reuses the session of netctl login at https URLs.
func connect(base string, target term.Target, getenv func(string) string, insecure bool) (*client.Client, error) {
	token, err := target.Token()
	if err != nil {
		return nil, err
	}
	transport, err := term.Transport{Home: getenv("HOME"), Getenv: getenv, Insecure: insecure, Context: target.Context}.Transport(base)
	if err != nil {
		return nil, err
	}
	return &client.Client{Base: base, Token: token, HTTP: &http.Client{Transport: transport},
		Actor: term.Actor, Program: "console/" + build.Info().Version}, nil
}

// once prints a single frame.
func once(ctx context.Context, out io.Writer, f *feed.Feed, m *Model, o *options) error {
	m.width, m.height = o.width, o.height
	s, err := f.Once(ctx, m.Questions)
	if err != nil {
		return err
	}
	m.Update(s)
	return draw(out, m, o)
}

// draw prints the frame.
func draw(out io.Writer, m *Model, o *options) (err error) {
	m.Update(tea.WindowSizeMsg{Width: o.width, Height: o.height})
	if o.svg {
		_, err = io.WriteString(out, svg(m.Frame(), groundOf(m.theme.Base)))
		return err
	}
	_, err = fmt.Fprintln(out, Plain(m.Frame()))
	return err
}

// Plain is a frame without colours and without blanks at the ends of lines.
func Plain(frame string) string {
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// live runs the program until the user quits or ctx ends. f feeds it; nil: it plays a recording.
func live(ctx context.Context, in io.Reader, out io.Writer, f *feed.Feed, m *Model) error {
	file, ok := in.(*os.File)
	if !ok || !isTerminal(in) || !isTerminal(out) {
		return fmt.Errorf("contiv console requires a terminal; use %s, or print one frame with contiv console --once", m.page().Command)
	}
	ctx, cancel := context.WithCancel(ctx)
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithFPS(framesASecond))
	m.InBackground(func() { program.Send(readyMsg{}) })
	m.pause = panePause
	fed := make(chan error, 1)
	if f == nil {
		fed <- nil
	} else {
		go func() { fed <- f.Run(ctx, func(s *feed.Snapshot) { program.Send(s) }) }()
	}
	watched := make(chan error, 1)
	go func() {
		gone, err := hungUp(ctx, file)
		if gone {
			cancel()
		}
		watched <- err
	}()
	_, err := program.Run()
	cancel()
	if errors.Is(err, tea.ErrProgramKilled) { // ctx ended
		err = nil
	}
	return errors.Join(err, <-fed, <-watched)
}

// isTerminal reports whether a stream is a terminal; a device such as /dev/null is none.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}
