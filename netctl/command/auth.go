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
	"github.com/contiv/contiv/netctl/term"
)

func newAuth(f *Factory) *cobra.Command {
	c := &cobra.Command{Use: "auth", Short: "Who you are, what you may do, passwords and tokens"}
	c.AddCommand(newWhoAmI(f), newCanI(f), newPassword(f), newLDAPPassword(f), newOIDCSecret(f), newTokens(f), newToken(f), newRevoke(f))
	return c
}

func newLogout(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "logout", Short: "End the session that login has begun", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := f.client()
			if err != nil {
				return err
			}
			if c.Token == "" {
				return term.Exitf(term.Server, "no one is logged in: netctl login begins a session")
			}
			if err := c.Logout(cmd.Context()); err != nil && !client.IsCode(err, model.CodeUnproved) { // which has ended before
				return err
			}
			if err := os.Remove(term.LoginPath(f.Home)); err != nil {
				return local(err)
			}
			return printf(f.Out, "Logged out.\n")
		},
	}
}

func newWhoAmI(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "whoami", Short: "Show who netmaster takes you for, and what you may do", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, err := f.client()
			if err != nil {
				return err
			}
			who, err := c.WhoAmI(cmd.Context())
			if err != nil {
				return err
			}
			if who.Role == "" {
				return printf(f.Out, "netmaster asks for no proof: everyone may do everything\n")
			}
			return printf(f.Out, "%s %s, proved by %s\nroles: %s\n", who.Role, who.Name, who.Proof, orNone(strings.Join(who.Grants, ", ")))
		},
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func newCanI(f *Factory) *cobra.Command {
	tenant := ""
	c := &cobra.Command{
		Use: "can-i VERB [KIND [NAME]]", Short: "Tell whether you may do something, and who may", Args: between(1, 3, "VERB, KIND, NAME"),
		Long:    "Tell whether you may do something, and who may.\n\nVERB is read, change, capture, repair, hand-over, relay, bundle or manage, or a verb of netctl, such as ls or create. The answer no ends with 3.",
		Example: "  netctl auth can-i create network --tenant blue\n  netctl auth can-i capture",
		RunE: func(cmd *cobra.Command, args []string) error {
			args = append(args, "", "")
			return runCanI(cmd.Context(), f, args[0], args[1], args[2], tenant)
		},
	}
	c.Flags().StringVarP(&tenant, "tenant", "t", "", "in this tenant")
	return c
}

func runCanI(ctx context.Context, f *Factory, verb, kind, name, tenant string) error {
	key := name
	if k, ok := model.KindOf(kind); ok && name != "" && k.TenantScoped() && tenant != "" {
		key = model.Key(tenant, name)
	}
	c, err := f.client()
	if err != nil {
		return err
	}
	answer, err := c.CanI(ctx, verb, kind, key, tenant)
	if err != nil {
		return err
	}
	if answer.Allowed {
		return printf(f.Out, "yes: %s\n", answer.Right)
	}
	if err := printf(f.Out, "no: %s\n", answer.Right); err != nil {
		return err
	}
	return term.Exitf(term.Server, "%s", answer.Why)
}

func newPassword(f *Factory) *cobra.Command {
	o := &secretOptions{}
	c := &cobra.Command{
		Use: "password [USER]", Short: "Set your password, or as an admin a user's", Args: between(0, 1, "User name"),
		Long: "Set your password, or as an admin a user's.\n\nIt is asked for twice. With --password-stdin it is a line of the standard input, before which, without USER, stands a line with the old one.",
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
	return newServerSecret(f, "ldap-password", "Set the password with which netmaster searches the LDAP directory", "password", (*client.Client).SetLDAPPassword)
}

func newOIDCSecret(f *Factory) *cobra.Command {
	return newServerSecret(f, "oidc-secret", "Set the secret with which netmaster proves itself to the OpenID provider", "secret", (*client.Client).SetOIDCSecret)
}

// newServerSecret makes a command that sets a secret of netmaster's.
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
			l := &listing{Table: term.Table{Columns: columns("Id", "User", "Proof", "Label", "From", "Made", "Expires")}, value: list}
			for i := range list {
				one := &list[i]
				expires := "never"
				if one.Expires != nil {
					expires = one.Expires.Format(time.RFC3339)
				}
				l.row(one.ID, []string{one.ID, one.User, one.Proof, one.Label, one.From, one.Made.Format(time.RFC3339), expires})
			}
			return l.write(f, format)
		},
	}
	o.register(cmd)
	return cmd
}

func newToken(f *Factory) *cobra.Command {
	q, length := model.TokenRequest{}, time.Duration(0)
	c := &cobra.Command{
		Use: "token USER", Short: "Make a token for a service account, and print it", Args: exactly("User name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.client()
			if err != nil {
				return err
			}
			q.User, q.Seconds = args[0], int64(length/time.Second)
			t, err := c.IssueToken(cmd.Context(), q)
			if err != nil {
				return err
			}
			return printf(f.Out, "%s\n", t.Token)
		},
	}
	c.Flags().StringVar(&q.Label, "label", "", "what it is for")
	c.Flags().DurationVar(&length, "for", 0, "for how long it is valid; 0 is until it is revoked")
	return c
}

func newRevoke(f *Factory) *cobra.Command {
	return &cobra.Command{
		Use: "revoke ID", Short: "End a session, or make a token worthless", Args: exactly("Id of a token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, err := f.client()
			if err != nil {
				return err
			}
			return c.RevokeToken(cmd.Context(), args[0])
		},
	}
}

func newAudit(f *Factory) *cobra.Command {
	o, q, since := &output{}, client.AuditQuery{}, time.Duration(0)
	c := &cobra.Command{
		Use: "audit", Short: "Show who came, who was refused, and what changed no object", Args: exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, format, err := o.client(f)
			if err != nil {
				return err
			}
			if since > 0 {
				q.Since = time.Now().Add(-since).UTC().Format(time.RFC3339)
			}
			list, err := c.Audit(cmd.Context(), q)
			if err != nil {
				return err
			}
			l := &listing{Table: term.Table{Columns: columns("Time", "Verb", "User", "Proof", "From", "Target", "Status", "Times", "Why")}, value: list}
			for i := range list {
				e := &list[i]
				l.row(fmt.Sprint(e.Number), []string{e.Time.Format(time.RFC3339), e.Verb, e.User, e.Proof, e.From, e.Target, unless0(e.Status), unless0(e.Times), e.Why})
			}
			return l.write(f, format)
		},
	}
	o.register(c)
	c.Flags().StringVar(&q.User, "user", "", "of this user alone")
	c.Flags().StringVar(&q.Verb, "verb", "", "such as login, refused or capture")
	c.Flags().DurationVar(&since, "since", 0, "no older than this; 0 is all")
	c.Flags().IntVar(&q.Limit, "limit", 0, "so many, the newest; 0 is all")
	return c
}

// unless0 is a number, "" for 0.
func unless0(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// between demands at least so many arguments, and at most so many.
func between(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return term.BadUsage("%d to %d arguments wanted (%s), got %d", least, most, what, len(args))
		}
		return nil
	}
}
