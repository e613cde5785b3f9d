// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"net/http"
	"strings"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/netctl/term"
)

func newLogin(f *Factory) *cobra.Command {
	var provider, device bool
	port, who := 0, &loginOptions{}
	c := &cobra.Command{
		Use: "login", Short: "Log in with a password or at the OpenID provider", Args: exactly(),
		Long: "Log in with a password or at the OpenID provider.\n\nWith --oidc, a browser opens if this machine has one. Otherwise, or with --device, enter the printed code in a browser on another machine.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !provider && !device {
				return runLogin(cmd.Context(), f, who)
			}
			return runLoginOIDC(cmd.Context(), f, device || f.Browse == nil, port)
		},
	}
	who.register(c, "password")
	c.Flags().StringVar(&who.user, "user", "", "user name (default: prompt for it)")
	c.Flags().BoolVar(&provider, "oidc", false, "log in at the OpenID provider (see netctl oidc info)")
	c.Flags().BoolVar(&device, "device", false, "log in at the OpenID provider with a code entered in a browser on another machine")
	c.Flags().IntVar(&port, "port", 0, "port on 127.0.0.1 for the redirect from the browser, if the provider requires a fixed one (0: any)")
	return c
}

// secured refuses to send a secret over plain HTTP.
func (f *Factory) secured() error {
	if f.bundle != "" {
		return term.BadUsage("a support bundle has no logins: remove --bundle")
	}
	if err := f.resolve(); err != nil {
		return err
	}
	if strings.HasPrefix(f.netmaster, "https://") {
		return nil
	}
	const text = "login requires a https auth_proxy URL"
	if err := printf(f.Out, "%s\n", text); err != nil {
		return err
	}
	return term.Exitf(term.Server, "%s: set it with --netmaster", text)
}

// runLogin exchanges a user's name and password for a token and stores it for later commands.
func runLogin(ctx context.Context, f *Factory, o *loginOptions) error {
	if err := f.secured(); err != nil {
		return err
	}
	ctx, end := f.interruptible(ctx)
	defer end()
	user, password, err := o.credentials(f)
	if err != nil {
		return err
	}
	c, err := f.connect(f.netmaster, "")
	if err != nil {
		return err
	}
	status, answer, err := c.Login(ctx, user, password)
	switch {
	case err != nil:
		return local(err)
	case status == http.StatusUnauthorized:
		return term.Exitf(term.Server, "Login failed: Bad username or password.")
	case status != http.StatusOK:
		return term.Exitf(term.Server, "Login failed: unexpected response code (%d): %s", status, strings.TrimSpace(string(answer)))
	}
	if err := f.target.Keep(answer); err != nil {
		return local(err)
	}
	return printf(f.Out, "Login succeeded.\n")
}

// loginOptions are the user's credentials.
type loginOptions struct {
	secretOptions
	user string
}

// credentials asks for credentials that the flags do not contain.
func (o *loginOptions) credentials(f *Factory) (user, password string, err error) {
	if user = o.user; user == "" && o.stdin {
		return "", "", term.BadUsage("--password-stdin needs --user USER")
	}
	if user == "" {
		if err := printf(f.Out, "Username: "); err != nil {
			return "", "", err
		}
		if user, err = term.Line(f.In); err != nil {
			return "", "", local(err)
		}
	}
	if user == "" {
		return "", "", term.Exitf(term.Server, "no username was given")
	}
	password, err = o.known(f, "Password: ")
	return user, password, err
}
