// SPDX-License-Identifier: Apache-2.0

package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	cmd.AddCommand(newCertLs(&p), newCertShow(&p), newCertRenew(&p), newCertRevoke(&p), newCertUser(&p), newCertAuthority(), newCertRotate(&p))
	return cmd
}

func newCertLs(p *place) *cobra.Command {
	return &cobra.Command{Use: "ls", Short: "List the certificates that the cluster's authority has issued", Args: cobra.NoArgs, RunE: func(cmd *cobra.Command, _ []string) error {
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
			return fmt.Errorf("%w: this host is not part of a cluster; create one with contiv init, or join one with contiv join TOKEN@ADDRESS", err)
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
				_, _ = fmt.Fprintf(cmd.OutOrStdout(), "renewed the certificate of the %s; it is valid until %s\n", role, until)
			}
			return nil
		}}
}

// renew renews a certificate with the authority's key if this host has it, else through a netmaster.
func renew(ctx context.Context, h *setup.Host, role trust.Role) (until string, err error) {
	held, err := trust.Open(h.Trust(), role)
	if err != nil {
		return "", err
	}
	c, err := h.Client(role, requestTimeout, h.Netmasters()...)
	if err != nil {
		return "", err
	}
	a, err := h.Trust().Authority()
	here := err == nil && h.Trust().Has(trust.Master)
	if here {
		if c, err = h.Client(trust.Master, requestTimeout, h.Netmasters()...); err != nil {
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
			return nil, fmt.Errorf("register the certificate: %w", err)
		}
		return text, nil
	})
	return moment(held.Certificate().NotAfter), err
}

// newCertUser issues a certificate to a person or a script, for netctl and the console on another machine.
func newCertUser(p *place) *cobra.Command {
	cmd := &cobra.Command{Use: "user NAME DIR", Short: "Issue a certificate to a user with the authority's key, and write it into a directory for CONTIV_TRUST", Args: cobra.ExactArgs(2),
		Long: "Issue a certificate to a user with the authority's key, which hosts with a netmaster have. The directory gets ca.crt and user.pem, a certificate and its key, which authenticates as that user until it " +
			"expires or contiv cert revoke revokes it. Set the user's rights with netctl authorization; user " + setup.Admin + " may do everything.\n\n" +
			"With --monitor the certificate, monitor.pem, is that of a monitoring system: it reads metrics and health of netmasters and agents, and nothing else. Run the command again before the certificate expires: it replaces the file."}
	monitor := cmd.Flags().Bool("monitor", false, "issue the certificate of a monitoring system instead of a user's")
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		who, dir := trust.Identity{Role: trust.User, Name: args[0]}, trust.Dir(args[1])
		if *monitor {
			who.Role = trust.Monitor
		}
		h, err := p.host()
		if err != nil {
			return err
		}
		a, err := h.Trust().Authority()
		if err != nil {
			return fmt.Errorf("%w: only hosts with a netmaster have the authority's key: run the command on one of them", err)
		}
		trusted, err := h.Trust().Trusted()
		if err != nil {
			return err
		}
		if dir.Has(who.Role) && !*monitor {
			return fmt.Errorf("%s exists already: name another directory, or remove it", dir.PairFile(trust.User))
		}
		if err := os.MkdirAll(string(dir), 0o700); err != nil {
			return err
		}
		if err := errors.Join(dir.SaveAuthority(trusted, nil), dir.Certify(a, who, time.Now())); err != nil {
			return err
		}
		made, err := trust.Open(dir, who.Role)
		if err != nil {
			return err
		}
		c, err := h.Client(trust.Master, requestTimeout, h.Netmasters()...)
		if err == nil {
			err = c.RecordCertificates(cmd.Context(), model.RecordRequest{Certificates: string(trust.CertificatePEM(made.Certificate()))})
		}
		if err != nil {
			return errors.Join(fmt.Errorf("register the certificate, so that it can be revoked: %w", err), os.Remove(dir.PairFile(who.Role)))
		}
		if *monitor {
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "issued a certificate for monitor %s, valid until %s: %s\n", who.Name, moment(made.Certificate().NotAfter), dir.PairFile(who.Role))
			return err
		}
		_, err = fmt.Fprintf(cmd.OutOrStdout(), "issued a certificate for user %s, valid until %s; use it with CONTIV_TRUST=%s netctl ...\n", who.Name, moment(made.Certificate().NotAfter), dir)
		return err
	}
	return cmd
}

// newCertAuthority creates an authority for a cluster whose netmasters contiv init does not create.
func newCertAuthority() *cobra.Command {
	return &cobra.Command{Use: "authority DIR", Short: "Create the authority of a new cluster whose netmasters run in pods", Args: cobra.ExactArgs(1),
		Long: "Create the authority of a new cluster whose netmasters run in pods: ca.crt and ca.key in a directory, for the Secret of deploy/kubernetes. Anyone with ca.key can impersonate every host and user of the cluster.",
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := trust.Dir(args[0])
			if _, err := os.Stat(dir.AuthorityFile()); !errors.Is(err, fs.ErrNotExist) {
				return errors.Join(err, fmt.Errorf("%s exists already, and hosts may trust it: for another cluster, name another directory", dir.AuthorityFile()))
			}
			a, err := trust.NewAuthority(time.Now())
			if err != nil {
				return err
			}
			certificate, key, err := a.PEM()
			if err != nil {
				return err
			}
			if err := errors.Join(os.MkdirAll(string(dir), 0o700), dir.SaveAuthority(certificate, key)); err != nil {
				return err
			}
			_, err = fmt.Fprintf(cmd.OutOrStdout(), "made %s and %s\n", dir.AuthorityFile(), dir.KeyFile())
			return err
		}}
}

func newCertRevoke(p *place) *cobra.Command {
	return &cobra.Command{Use: "revoke SERIAL|IDENTITY...", Short: "Revoke certificates by serial number, or all of an identity", Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			c, _, role, err := p.reach()
			if err != nil {
				return err
			}
			if role == trust.Agent {
				return errors.New("an agent's certificate cannot revoke others: run the command on a host with a netmaster")
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
