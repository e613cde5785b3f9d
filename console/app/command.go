package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/build"
	"github.com/contiv/contiv/console/feed"
	"github.com/contiv/contiv/console/picture"
	"github.com/contiv/contiv/console/theme"
	"github.com/contiv/contiv/netctl/term"
)

// framesASecond bounds how often the screen is written. The library looks that often whether there is anything to write,
// which is most of what a console at rest costs.
const framesASecond = 30

type options struct {
	netmaster, screen, theme string
	ascii, once, svg, write  bool
	width, height            int
}

// NewCommand makes the "console" command. getenv reads the environment.
func NewCommand(in io.Reader, out io.Writer, getenv func(string) string) *cobra.Command {
	o := &options{}
	cmd := &cobra.Command{
		Use: "console", Short: "The cluster live in this terminal: hosts, addresses, objects, events", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return run(cmd.Context(), in, out, getenv, o) },
	}
	netmaster := getenv("NETMASTER")
	if netmaster == "" {
		netmaster = client.DefaultBase
	}
	f := cmd.Flags()
	f.StringVar(&o.netmaster, "netmaster", netmaster, "base URL of any netmaster, or of several, joined by commas: the next is asked when one does not answer [$NETMASTER]")
	f.StringVar(&o.screen, "screen", "overview", "page to begin with")
	f.StringVar(&o.theme, "theme", "", "dark, light or mono (default as the terminal's background, mono with $NO_COLOR)")
	f.BoolVar(&o.ascii, "ascii", false, "draw with ASCII alone")
	f.BoolVar(&o.write, "write", false, "permit changes: e edits in $EDITOR, ctrl+d deletes, each shown and confirmed first")
	f.BoolVar(&o.once, "once", false, "print one frame as plain text and end")
	f.BoolVar(&o.svg, "svg", false, "with --once: print the frame as an SVG image, in the colours of the theme")
	f.IntVar(&o.width, "width", 100, "cells a line of --once, at least 80")
	f.IntVar(&o.height, "height", 30, "lines of --once, at least 24")
	return cmd
}

func run(ctx context.Context, in io.Reader, out io.Writer, getenv func(string) string, o *options) error {
	name := o.theme
	switch {
	case name == "" && getenv("NO_COLOR") != "":
		name = "mono"
	case name == "":
		name = "dark"
	}
	t, err := theme.New(name, o.ascii)
	if err != nil {
		return err
	}
	entry, ok := byName(complete(o.screen))
	if !ok {
		return fmt.Errorf("there is no page %q: %s are there", o.screen, names())
	}
	masters, err := urls(o.netmaster)
	if err != nil {
		return err
	}
	f := feed.New(&client.Client{Base: masters[0], Masters: func(context.Context) []string { return masters }, Actor: term.Actor(), Program: "console/" + build.Info().Version}, time.Now)
	var editor []string
	if o.write {
		editor = editorOf(getenv)
	}
	m := New(ctx, f, t, entry.Make(), time.Now(), editor...)
	if o.theme == "" && t.Name == "dark" {
		if m.light, err = theme.New("light", o.ascii); err != nil {
			return err
		}
	}
	if o.once {
		return once(ctx, out, f, m, o)
	}
	return live(ctx, in, out, f, m)
}

// urls reads a comma list of base URLs; the later ones are asked when those before do not answer.
func urls(list string) ([]string, error) {
	var out []string
	for _, url := range strings.Split(list, ",") {
		url = strings.TrimSpace(url)
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			return nil, fmt.Errorf("netmaster URL %q is not valid: it starts with http:// or https://", url)
		}
		out = append(out, url)
	}
	return out, nil
}

// once prints a single frame.
func once(ctx context.Context, out io.Writer, f *feed.Feed, m *Model, o *options) error {
	s, err := f.Once(ctx, m.Questions)
	if err != nil {
		return err
	}
	m.Update(s)
	m.Update(tea.WindowSizeMsg{Width: o.width, Height: o.height})
	if o.svg {
		_, err = io.WriteString(out, picture.SVG(m.Frame(), picture.Grounds(m.theme.Name)))
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

// live runs the program until the user quits or ctx ends.
func live(ctx context.Context, in io.Reader, out io.Writer, f *feed.Feed, m *Model) error {
	if file, ok := in.(*os.File); !ok || !isTerminal(file) {
		return errors.New("the console needs a terminal; --once prints one frame without")
	}
	ctx, cancel := context.WithCancel(ctx)
	program := tea.NewProgram(m, tea.WithContext(ctx), tea.WithInput(in), tea.WithOutput(out), tea.WithFPS(framesASecond))
	m.Aside(func() { program.Send(ready{}) })
	fed := make(chan error, 1)
	go func() { fed <- f.Run(ctx, func(s *feed.Snapshot) { program.Send(s) }) }()
	_, err := program.Run()
	cancel()
	if errors.Is(err, tea.ErrProgramKilled) { // ctx ended
		err = nil
	}
	return errors.Join(err, <-fed)
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
