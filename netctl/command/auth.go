// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/client"
	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/moment"
	"github.com/contiv/contiv/netctl/term"
)

func newAuth(f *Factory) *cobra.Command {
	c := &cobra.Command{Use: "auth", Short: "Manage passwords and tokens, and show your permissions"}
	c.AddCommand(newWhoami(f), newCanI(f), newPassword(f), newLDAPPassword(f), newOIDCSecret(f), newTokens(f), newToken(f), newRevoke(f))
	return c
}

func newLogout(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "Log out", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := f.client()
			if err != nil {
				return err
			}
			if c.Token == "" {
				return term.Exitf(term.Server, "not logged in; log in with netctl login")
			}
			// an expired login is no error
			if err := c.Logout(cmd.Context()); err != nil && !client.IsCode(err, model.CodeUnproved) {
				return err
			}
			if err := os.Remove(f.target.TokenPath()); err != nil {
				return local(err)
			}
			return printf(f.Out, "Logged out.\n")
		},
	}
}

func newWhoami(f *Factory) *cobra.Command {
	o := &output{}
	c := &cobra.Command{
		Use: "whoami", Short: "Show your user and permissions", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, format, err := o.client(f)
			if err != nil {
				return err
			}
			who, err := c.Whoami(cmd.Context())
			if err != nil {
				return err
			}
			said := "authentication is disabled: every user has all permissions\n"
			if who.Role != "" {
				said = fmt.Sprintf("%s %s, authenticated by %s\nroles: %s\n", who.Role, who.Name, who.Proof, orNone(strings.Join(who.Grants, ", ")))
			}
			return f.answer(answer{said, []string{who.Name}, who}, format)
		},
	}
	o.registerOutput(c, "table")
	return c
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func newCanI(f *Factory) *cobra.Command {
	o, tenant := &output{}, ""
	c := &cobra.Command{
		Use: "can-i VERB [KIND [NAME]]", Short: "Check whether you are allowed to do something", Args: between(1, 3, "VERB, KIND, NAME"),
		Long:    "Check whether you are allowed to do something, and show who is.\n\nVERB is read, change, capture, repair, hand-over, relay, bundle or manage, or a verb of netctl such as ls or create. The exit code is 3 if the answer is no.",
		Example: "  netctl auth can-i create network --tenant blue\n  netctl auth can-i capture",
		RunE: func(cmd *cobra.Command, args []string) error {
			args = append(args, "", "")
			return runCanI(cmd.Context(), f, o, args[0], args[1], args[2], tenant)
		},
	}
	c.Flags().StringVarP(&tenant, "tenant", "t", "", "check in this tenant")
	o.registerOutput(c, "table")
	return c
}

func runCanI(ctx context.Context, f *Factory, o *output, verb, kind, name, tenant string) error {
	key := name
	if k, ok := model.KindOf(kind); ok && name != "" && k.TenantScoped() && tenant != "" {
		key = model.Key(tenant, name)
	}
	c, format, err := o.client(f)
	if err != nil {
		return err
	}
	can, err := c.CanI(ctx, verb, kind, key, tenant)
	if err != nil {
		return err
	}
	said := "no"
	if can.Allowed {
		said = "yes"
	}
	if err := f.answer(answer{said + ": " + can.Right + "\n", []string{said}, can}, format); err != nil || can.Allowed {
		return err
	}
	return term.Exitf(term.Server, "%s", can.Why)
}

func newPassword(f *Factory) *cobra.Command {
	o := &secretOptions{}
	c := &cobra.Command{
		Use: "password [USER]", Short: "Set your password, or as an admin the password of a user", Args: between(0, 1, "User name"),
		Long: "Set your password, or as an admin the password of a user.\n\nnetctl prompts for the new password twice. With --password-stdin it reads the password from a line of standard input; without USER, a line with the old password comes first.",
		RunE: func(cmd *cobra.Command, args []string) error {
			q := model.PasswordRequest{}
			var err error
			if len(args) > 0 {
				q.Username = args[0]
			} else if q.Old, err = o.known(f, "Old password: "); err != nil {
				return err
			}
			if q.Password, err = o.chosen(f); err != nil {
				return err
			}
			c, err := f.client()
			if err != nil {
				return err
			}
			return c.SetPassword(cmd.Context(), q)
		},
	}
	o.register(c, "password")
	return c
}

func newLDAPPassword(f *Factory) *cobra.Command {
	return newServerSecret(f, "ldap-password", "Set the password that netmaster uses to search the LDAP directory", "password", (*client.Client).SetLDAPPassword)
}

func newOIDCSecret(f *Factory) *cobra.Command {
	return newServerSecret(f, "oidc-secret", "Set the client secret that netmaster sends to the OpenID provider", "secret", (*client.Client).SetOIDCSecret)
}

// newServerSecret returns a command that sets a secret of netmaster's.
func newServerSecret(f *Factory, use, short, what string, set func(*client.Client, context.Context, string) error) *cobra.Command {
	o := &secretOptions{}
	c := &cobra.Command{
		Use: use, Short: short, Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			text, err := o.chosen(f)
			if err != nil {
				return err
			}
			c, err := f.client()
			if err != nil {
				return err
			}
			return set(c, cmd.Context(), text)
		},
	}
	o.register(c, what)
	return c
}

func newTokens(f *Factory) *cobra.Command {
	o := &output{}
	cmd := &cobra.Command{
		Use: "tokens [USER]", Short: "List sessions and tokens, of one user or of all", Args: between(0, 1, "User name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, format, err := o.client(f)
			if err != nil {
				return err
			}
			list, err := c.Tokens(cmd.Context(), strings.Join(args, ""))
			if err != nil {
				return err
			}
			l := &term.Listing{Table: term.Table{Columns: columns("Id", "User", "Proof", "Label", "From", "Made", "Expires")}, Value: list}
			for i := range list {
				one := &list[i]
				expires := "never"
				if one.Expires != nil {
					expires = one.Expires.Format(time.RFC3339)
				}
				l.Row(one.ID, []string{one.ID, one.User, one.Proof, one.Label, one.From, one.Made.Format(time.RFC3339), expires})
			}
			return f.print(l, format)
		},
	}
	o.register(cmd)
	return cmd
}

func newToken(f *Factory) *cobra.Command {
	o, q, length := &writing{}, model.TokenRequest{}, time.Duration(0)
	c := &cobra.Command{
		Use: "token USER", Short: "Create a token for a service account, and print it", Args: exactly("User name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, format, err := o.client(f)
			if err != nil {
				return err
			}
			q.User, q.Seconds = args[0], int64(length/time.Second)
			if o.dryRun.on() {
				user, err := c.Users().Get(cmd.Context(), args[0])
				if err != nil {
					return err
				}
				return f.answer(answer{fmt.Sprintf("a token of %s would be created (dry run)\n", args[0]), []string{args[0]}, user}, format)
			}
			t, err := c.IssueToken(cmd.Context(), q)
			if err != nil {
				return err
			}
			return f.answer(answer{t.Token + "\n", []string{t.ID}, t}, format)
		},
	}
	c.Flags().StringVar(&q.Label, "label", "", "description of the token")
	c.Flags().DurationVar(&length, "for", 0, "validity of the token (0: until it is revoked)")
	o.registerTrial(c)
	return c
}

func newRevoke(f *Factory) *cobra.Command {
	dry := dryRun("")
	c := &cobra.Command{
		Use: "revoke ID", Short: "Revoke a session or token", Args: exactly("Id of a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.client()
			if err != nil {
				return err
			}
			if dry.on() {
				return tryRevoke(cmd.Context(), f, c, args[0])
			}
			return c.RevokeToken(cmd.Context(), args[0])
		},
	}
	dry.register(c)
	return c
}

// tryRevoke answers a dry run: the token must exist.
func tryRevoke(ctx context.Context, f *Factory, c *client.Client, id string) error {
	list, err := c.Tokens(ctx, "")
	if err != nil {
		return err
	}
	for i := range list {
		if list[i].ID == id {
			return printf(f.Out, "%s of %s would be revoked (dry run)\n", list[i].Proof, list[i].User)
		}
	}
	return model.Errorf(model.CodeNotFound, "id", "token %s not found", id).Try("list them with netctl auth tokens")
}

func newAudit(f *Factory) *cobra.Command {
	o, q, since := &output{}, client.AuditQuery{}, ""
	c := &cobra.Command{
		Use: "audit", Short: "Show the audit log: logins, refusals, captures and repairs", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, format, err := o.client(f)
			if err != nil {
				return err
			}
			start, err := f.since("since", since)
			if err != nil {
				return err
			}
			if !start.IsZero() {
				q.Since = start.UTC().Format(time.RFC3339)
			}
			list, err := c.Audit(cmd.Context(), q)
			if err != nil {
				return err
			}
			l := &term.Listing{Table: term.Table{Columns: columns("Time", "Verb", "User", "Proof", "From", "Target", "Status", "Times", "Why")}, Value: list}
			for i := range list {
				e := &list[i]
				l.Row(fmt.Sprint(e.Number), []string{e.Time.Format(time.RFC3339), e.Verb, e.User, e.Proof, e.From, e.Target, unless0(e.Status), unless0(e.Times), e.Why})
			}
			return f.print(l, format)
		},
	}
	o.register(c)
	c.Flags().StringVar(&q.User, "user", "", "only this user")
	c.Flags().StringVar(&q.Verb, "verb", "", "only this verb, such as login, refused or capture")
	c.Flags().StringVar(&since, "since", "", "only entries since then: "+moment.Forms+" (default: all)")
	c.Flags().IntVar(&q.Limit, "limit", 0, "maximum number of entries, newest first (0: all)")
	return c
}

// unless0 formats a number, "" for 0.
func unless0(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// between requires a number of arguments from least to most.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return term.BadUsage("expected %d to %d arguments (%s), got %d", least, most, what, len(args))
		}
		return nil
	}
}
