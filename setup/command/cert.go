package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/setup"
	"github.com/contiv/contiv/trust"
)

func newCert() *cobra.Command {
	var p place
	cmd := &cobra.Command{Use: "cert", Short: "Certificates of the cluster's hosts and users", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	p.flags(cmd.PersistentFlags())
	cmd.AddCommand(newCertLs(&p), newCertShow(&p), newCertRenew(&p), newCertRevoke(&p))
	return cmd
}

func newCertLs(p *place) *cobra.Command {
	return &cobra.Command{Use: "ls", Short: "List what the cluster's authority has certified", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		c, _, _, err := p.reach()
		if err != nil {
			return err
		}
		all, err := c.Certificates(cmd.Context())
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintln(w, "Identity\tSerial\tIssued\tUntil\tRevoked")
		for _, c := range all {
			revoked := moment(c.Revoked)
			if revoked != "" && c.RevokedBy != "" {
				revoked += " by " + c.RevokedBy
			}
			_, _ = fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", c.Identity, c.Serial, moment(c.Issued), moment(c.Until), revoked)
		}
		return w.Flush()
	}}
}

func newCertShow(p *place) *cobra.Command {
	return &cobra.Command{Use: "show", Short: "Show the certificates of this host", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
		h, err := p.host()
		if err != nil {
			return err
		}
		text, err := h.Trust().Trusted()
		if err != nil {
			return fmt.Errorf("%w: this host is part of no cluster; contiv init begins one, contiv join TOKEN@ADDRESS joins one", err)
		}
		authorities, err := trust.ParseCertificates(text)
		if err != nil {
			return err
		}
		out := cmd.OutOrStdout()
		for _, a := range authorities {
			_, _ = fmt.Fprintf(out, "authority %s\n  fingerprint  %s\n  until        %s\n", a.Subject.CommonName, trust.Fingerprint(a), moment(a.NotAfter))
		}
		_, held := h.Held()
		for _, c := range held {
			who, err := trust.Of(c)
			if err != nil {
				return err
			}
			hosts := c.DNSNames
			for _, a := range c.IPAddresses {
				hosts = append(hosts, a.String())
			}
			_, _ = fmt.Fprintf(out, "%s\n  serial   %s\n  valid    %s to %s\n  renewed  from %s\n", who, trust.Serial(c), moment(c.NotBefore), moment(c.NotAfter), moment(trust.Due(c)))
			if len(hosts) > 0 {
				_, _ = fmt.Fprintf(out, "  hosts    %s\n", strings.Join(hosts, ", "))
			}
		}
		return nil
	}}
}

func newCertRenew(p *place) *cobra.Command {
	return &cobra.Command{Use: "renew [ROLE...]", Short: "Renew certificates of this host now; daemons do so by themselves", ValidArgs: []string{"master", "agent", "user"}, Args: cobra.OnlyValidArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := p.host()
			if err != nil {
				return err
			}
			if len(args) == 0 {
				args = []string{string(trust.Master), string(trust.Agent), string(trust.User)}
			}
			for _, role := range args {
				if !h.Trust().Has(trust.Role(role)) {
					continue
				}
				until, err := renew(cmd.Context(), h, trust.Role(role))
				if err != nil {
					return fmt.Errorf("%s: %w", role, err)
				}
				_, _ = fmt.Fprintf(cmd.OutOrStdout(), "renewed the certificate of the %s; it counts until %s\n", role, until)
			}
			return nil
		}}
}

// renew renews a certificate, by the authority's key where that is here, else by a netmaster.
func renew(ctx context.Context, h *setup.Host, role trust.Role) (until string, err error) {
	held, err := trust.Open(h.Trust(), role)
	if err != nil {
		return "", err
	}
	c, err := h.Client(role, patience, h.Netmasters()...)
	if err != nil {
		return "", err
	}
	a, err := h.Trust().Authority()
	here := err == nil && h.Trust().Has(trust.Master)
	if here {
		if c, err = h.Client(trust.Master, patience, h.Netmasters()...); err != nil {
			return "", err
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	err = held.RenewNow(ctx, func(ctx context.Context, r *trust.Request) ([]byte, error) {
		if !here {
			out, err := c.RenewCertificate(ctx, model.RenewRequest{Request: string(r.PEM())})
			return []byte(out.Certificate), held.Refused(err)
		}
		issued, err := a.Issue(r, held.Identity(), time.Now(), trust.Lifetime)
		if err != nil {
			return nil, err
		}
		text := trust.CertificatePEM(issued)
		if err := c.RecordCertificates(ctx, model.RecordRequest{Certificates: string(text)}); err != nil {
			return nil, fmt.Errorf("have the certificate listed: %w", err)
		}
		return text, nil
	})
	return moment(held.Certificate().NotAfter), err
}

func newCertRevoke(p *place) *cobra.Command {
	return &cobra.Command{Use: "revoke SERIAL|IDENTITY...", Short: "Have certificates count no more, by their serials or all of an identity", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, role, err := p.reach()
			if err != nil {
				return err
			}
			if role == trust.Agent {
				return errors.New("an agent's certificate revokes no others: call it on a host with a netmaster")
			}
			for _, one := range args {
				q := model.RevokeRequest{Serial: one}
				if strings.Contains(one, "://") {
					q = model.RevokeRequest{Identity: one}
				}
				serials, err := c.RevokeCertificates(cmd.Context(), q)
				if err != nil {
					return err
				}
				for _, s := range serials {
					_, _ = fmt.Fprintln(cmd.OutOrStdout(), "revoked", s)
				}
			}
			return nil
		}}
}
