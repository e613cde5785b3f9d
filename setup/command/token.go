// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"strconv"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
)

func newToken() *cobra.Command {
	var p place
	cmd := &cobra.Command{Use: "token", Short: "Manage the tokens with which hosts join", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	p.flags(cmd.PersistentFlags())
	cmd.AddCommand(newTokenCreate(&p), newTokenLs(&p), newTokenRm(&p))
	return cmd
}

func newTokenCreate(p *place) *cobra.Command {
	var q model.JoinTokenRequest
	uses, quiet := 1, false
	ttl := 24 * time.Hour
	cmd := &cobra.Command{
		Use: "create", Short: "Create a token, and print the command with which a host joins", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, _, err := p.reach()
			if err != nil {
				return err
			}
			q.Uses, q.TTL = &uses, ttl.String()
			made, err := c.MakeJoinToken(cmd.Context(), q)
			if err != nil {
				return err
			}
			text := joinCommand(made, q.Masters)
			if quiet {
				text = made.Token
				if len(made.Netmasters) > 0 {
					text += "@" + made.Netmasters[0]
				}
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
			return err
		},
	}
	f := cmd.Flags()
	f.DurationVar(&ttl, "ttl", ttl, "lifetime of the token")
	f.IntVar(&uses, "uses", uses, "maximum number of hosts that can join with the token (0: unlimited)")
	f.BoolVar(&q.Masters, "master", false, "let joining hosts also run a netmaster, for which they get the authority's key")
	f.StringVar(&q.Replaces, "replace", "", "label of the only host that may join; it replaces that host even if the host's certificates are valid")
	f.BoolVarP(&quiet, "quiet", "q", false, "print only TOKEN@ADDRESS")
	return cmd
}

func newTokenLs(p *place) *cobra.Command {
	return &cobra.Command{Use: "ls", Short: "List the tokens, without their secrets", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		c, _, _, err := p.reach()
		if err != nil {
			return err
		}
		all, err := c.JoinTokens(cmd.Context())
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "ID\tFor\tUsed\tExpires\tReplaces\tMade by")
		for _, t := range all {
			what, of := "agents", "any"
			if t.Masters {
				what = "netmasters"
			}
			if t.Uses > 0 {
				of = strconv.Itoa(t.Uses)
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%d of %s\t%s\t%s\t%s\n", t.ID, what, t.Used, of, moment(t.Expires), t.Replaces, t.By)
		}
		return w.Flush()
	}}
}

func newTokenRm(p *place) *cobra.Command {
	return &cobra.Command{Use: "rm ID...", Short: "Revoke join tokens", Args: cobra.MinimumNArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
		c, _, _, err := p.reach()
		if err != nil {
			return err
		}
		for _, id := range args {
			if err := c.RemoveJoinToken(cmd.Context(), id); err != nil {
				return err
			}
		}
		return nil
	}}
}

// moment formats a time for a list.
func moment(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format("2006-01-02 15:04")
}
