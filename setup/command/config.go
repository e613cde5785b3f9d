// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/setup"
)

func newConfig() *cobra.Command {
	c := &cobra.Command{
		Use: "config", Short: "Check and print the configuration of this host's daemons", Args: cobra.NoArgs,
		Long: `Check and print the configuration of this host's daemons.

Settings of netmaster are in /etc/contiv/netmaster.yaml, those of netplugin in /etc/contiv/netplugin.yaml, and those of both in
/etc/contiv/conf.d/*.yaml. systemctl reload contiv-netmaster contiv-netplugin applies changes that need no restart.`,
	}
	c.AddCommand(newConfigCheck(), newConfigPrint(), newConfigSchema())
	return c
}

// daemonArgs accepts the names of daemons.
func daemonArgs(least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("expected %s, got %d arguments", strings.Join(setup.Daemons(), " or "), len(args))
		}
		for _, name := range args {
			if !slices.Contains(setup.Daemons(), name) {
				return fmt.Errorf("daemon: got %s, want %s", name, strings.Join(setup.Daemons(), " or "))
			}
		}
		return nil
	}
}

// programFlags are the flags about files and programs.
func (p *place) programFlags(c *cobra.Command) {
	p.flags(c.Flags())
	c.Flags().StringVar(&p.bin, "bin", "", "directory of netmaster and netplugin (default: that of contiv)")
}

// configured returns the daemons in args, or those that the host has or has a configuration file for.
func configured(h *setup.Host, args []string) ([]string, error) {
	if len(args) > 0 {
		return args, nil
	}
	var out []string
	for _, daemon := range setup.Daemons() {
		_, err := os.Lstat(h.ConfigFile(daemon))
		if h.Variables(daemon) != nil || err == nil {
			out = append(out, daemon)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("this host has no daemon and no configuration file in %s: name netmaster or netplugin", h.ConfigDir())
	}
	return out, nil
}

func newConfigCheck() *cobra.Command {
	p := &place{}
	c := &cobra.Command{
		Use: "check [netmaster|netplugin]", Short: "Check the configuration without starting a daemon", Args: daemonArgs(0, 1),
		Long: "Check the configuration without starting a daemon: the files, the variables with which the daemon is started, and what its flags require.\n\nIt prints all errors, and exits with code 0 only if there are none.",
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := p.host()
			if err != nil {
				return err
			}
			daemons, err := configured(h, args)
			if err != nil {
				return err
			}
			count := 0
			for _, daemon := range daemons {
				text, err := h.Ask(cmd.Context(), daemon, "--check-config")
				n, err := printAnswer(cmd.OutOrStdout(), daemon, text, err)
				if err != nil {
					return err
				}
				count += n
			}
			if count > 0 {
				return fmt.Errorf("the configuration has errors: %d", count)
			}
			return nil
		},
	}
	p.programFlags(c)
	return c
}

// printAnswer prints what a daemon's program has found, and returns the number of errors.
func printAnswer(out io.Writer, daemon string, text []byte, err error) (int, error) {
	var wrong *setup.ConfigError
	if err != nil && !errors.As(err, &wrong) {
		return 0, err
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if wrong != nil {
		lines = wrong.Lines
	}
	for _, line := range lines {
		if _, err := fmt.Fprintf(out, "%s: %s\n", daemon, line); err != nil {
			return 0, err
		}
	}
	if wrong == nil {
		return 0, nil
	}
	return len(lines), nil
}

func newConfigPrint() *cobra.Command {
	p, format := &place{}, ""
	c := &cobra.Command{
		Use: "print [netmaster|netplugin]", Short: "Print every setting with its origin", Args: daemonArgs(0, 1),
		Long: "Print every setting with its origin: default, host settings (which contiv init and contiv join write), the file and line, the environment variable, and what it overrides.\n\n" +
			"The YAML of one daemon can be used as its configuration file.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "yaml" && format != "json" {
				return fmt.Errorf("-o: got %s, want yaml or json", format)
			}
			h, err := p.host()
			if err != nil {
				return err
			}
			daemons, err := configured(h, args)
			if err != nil {
				return err
			}
			all, wrong := map[string]json.RawMessage{}, []error{}
			for i, daemon := range daemons {
				text, err := h.Ask(cmd.Context(), daemon, "--print-config="+format)
				if err != nil {
					wrong = append(wrong, fmt.Errorf("%s: %w", daemon, err))
				}
				if format == "json" && json.Valid(text) {
					all[daemon] = text
					continue
				}
				if len(daemons) > 1 {
					text = fmt.Appendf(nil, "%s# %s\n%s", []string{"", "---\n"}[min(i, 1)], daemon, text)
				}
				if _, err := cmd.OutOrStdout().Write(text); err != nil {
					return err
				}
			}
			if format == "json" {
				e := json.NewEncoder(cmd.OutOrStdout())
				e.SetEscapeHTML(false)
				e.SetIndent("", "  ")
				wrong = append(wrong, e.Encode(all))
			}
			return errors.Join(wrong...)
		},
	}
	p.programFlags(c)
	c.Flags().StringVarP(&format, "output", "o", "yaml", "format: yaml or json")
	return c
}

func newConfigSchema() *cobra.Command {
	p := &place{}
	c := &cobra.Command{
		Use: "schema netmaster|netplugin", Short: "Print the JSON schema of a configuration file, for editors", Args: daemonArgs(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := p.host()
			if err != nil {
				return err
			}
			text, err := h.Ask(cmd.Context(), args[0], "--config-schema")
			if err != nil {
				return err
			}
			_, err = cmd.OutOrStdout().Write(text)
			return err
		},
	}
	p.programFlags(c)
	return c
}
