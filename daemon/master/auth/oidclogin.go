// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"net/netip"
	"net/url"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/daemon/master/catalog"
	"github.com/contiv/contiv/daemon/record"
	"github.com/contiv/contiv/trust"
)

// Claimed has an OpenID provider's claims about a user.
type Claimed struct {
	Name   string
	Groups []string
}

// Provider authenticates users through an OpenID provider. Its methods block until the provider has answered. Errors are *model.Error.
type Provider interface {
	// Authorize returns the URL for a browser.
	Authorize(ctx context.Context, c *model.OidcConfiguration, q model.OIDCAuthorize) (url string, err error)
	// Device returns the code for a user whose machine has no browser.
	Device(ctx context.Context, c *model.OidcConfiguration, secret string, q model.OIDCDeviceRequest) (model.OIDCDevice, error)
	// Login exchanges a code for an ID token, and returns its claims. The error is CodeNotReady while the user of a device has not
	// acted yet.
	Login(ctx context.Context, c *model.OidcConfiguration, secret string, q model.OIDCLogin) (Claimed, error)
}

// provider returns the configured provider. Errors are *model.Error.
func provider(v *catalog.View) (*model.OidcConfiguration, error) {
	c, _ := v.Stored(model.KindOidcConfiguration(), "oidc").(*model.OidcConfiguration)
	if c == nil {
		return nil, model.Errorf(model.CodeNotReady, "", "this cluster has no OpenID provider").Try("log in with a password, or have an admin name a provider with netctl oidc set")
	}
	return c, nil
}

// askProvider calls the provider, for an address that has not called it too often.
func (u *Users) askProvider(ctx context.Context, from string, ask func(context.Context, *model.OidcConfiguration, string) error) error {
	if err := u.throttle.asked(from); err != nil {
		return err
	}
	var c *model.OidcConfiguration
	var raw []byte
	var err error
	u.catalog.View(func(v *catalog.View) {
		c, err = provider(v)
		raw = v.Value(record.OIDCKey)
	})
	if err != nil {
		return err
	}
	if u.provider == nil {
		return model.Errorf(model.CodeNotReady, "", "this netmaster asks no OpenID provider").Try("log in with a password")
	}
	secret, err := u.reveal(raw, record.OIDCKey, "netctl auth oidc-secret")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	select {
	case u.questions <- struct{}{}:
	case <-ctx.Done():
		return model.Errorf(model.CodeBusy, "", "netmaster is asking the OpenID provider about others").Try("log in a moment later")
	}
	defer func() { <-u.questions }()
	return ask(ctx, c, secret)
}

// Authorize returns the URL for a browser, for a user at an address. Errors are *model.Error.
func (u *Users) Authorize(ctx context.Context, q model.OIDCAuthorize, from string) (out model.OIDCAuthorized, err error) {
	if err := checkAuthorize(q); err != nil {
		return out, err
	}
	err = u.askProvider(ctx, from, func(ctx context.Context, c *model.OidcConfiguration, _ string) (err error) {
		out.URL, err = u.provider.Authorize(ctx, c, q)
		return err
	})
	return out, err
}

// longParameter bounds a parameter for a provider, in bytes.
const longParameter = 2048

// checkAuthorize refuses to redirect a browser to another machine than its own.
func checkAuthorize(q model.OIDCAuthorize) error {
	at, err := url.Parse(q.Redirect)
	if err != nil || len(q.Redirect) > longParameter || at.Scheme != "http" || at.User != nil || !loopback(at.Hostname()) {
		return model.Errorf(model.CodeInvalid, "redirect", "%.100q is no address of the machine of the one who logs in", q.Redirect).Try("it is like http://127.0.0.1:PORT/callback (RFC 8252, section 7.3)")
	}
	for field, value := range map[string]string{"state": q.State, "challenge": q.Challenge, "nonce": q.Nonce} {
		if value == "" || len(value) > longParameter {
			return model.Errorf(model.CodeInvalid, field, "a %s of %d bytes", field, len(value)).Try("send a random one of 32 bytes or more")
		}
	}
	return nil
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return err == nil && address.IsLoopback()
}

// Device returns the code for a user whose machine has no browser, at an address. Errors are *model.Error.
func (u *Users) Device(ctx context.Context, q model.OIDCDeviceRequest, from string) (out model.OIDCDevice, err error) {
	if q.Challenge == "" || len(q.Challenge) > longParameter {
		return out, model.Errorf(model.CodeInvalid, "challenge", "a challenge of %d bytes", len(q.Challenge)).Try("send that of a random verifier")
	}
	err = u.askProvider(ctx, from, func(ctx context.Context, c *model.OidcConfiguration, secret string) (err error) {
		out, err = u.provider.Device(ctx, c, secret, q)
		return err
	})
	return out, err
}

// LoginOIDC starts a session for the user of a provider's code. It blocks until that is durable. Errors are *model.Error: CodeNotReady
// while the user of a device has not acted yet.
func (u *Users) LoginOIDC(ctx context.Context, q model.OIDCLogin, from string) (model.Token, uint64, error) {
	if (q.Code == "") == (q.DeviceCode == "") || q.Verifier == "" || max(len(q.Code), len(q.DeviceCode), len(q.Verifier), len(q.Redirect)) > longCode {
		return model.Token{}, 0, model.Errorf(model.CodeInvalid, "code", "a code of the OpenID provider and a device code, or neither, or one without its verifier").Try("send one of the two, with its verifier")
	}
	var who Claimed
	var by model.OidcConfiguration
	err := u.askProvider(ctx, from, func(ctx context.Context, c *model.OidcConfiguration, secret string) (err error) {
		by = *c
		who, err = u.provider.Login(ctx, c, secret, q)
		return err
	})
	if err != nil {
		return model.Token{}, 0, err
	}
	name := ProviderPrefix + who.Name
	if err := (trust.Identity{Role: trust.User, Name: name}).Check(); err != nil {
		return model.Token{}, 0, model.Errorf(model.CodeDenied, "", "claim %s of the ID token names a user that cannot be one here: %v", by.UsernameClaim, err).
			Try("have an admin choose another claim, with netctl oidc set --username-claim")
	}
	t := record.Token{User: name, Proof: string(ByProvider), Groups: who.Groups, From: from, Issuer: providerID(&by)}
	return u.issue(ctx, t, SessionTime, func(v *catalog.View) error {
		c, err := provider(v)
		if err == nil && providerID(c) != t.Issuer {
			return model.Errorf(model.CodeUnproved, "", "the OpenID provider has changed meanwhile").Try("log in again")
		}
		return err
	})
}

// longCode bounds codes of a provider, in bytes.
const longCode = 16384

// providerID identifies a provider: sessions are valid as long as the cluster has their provider. The issuer has no space.
func providerID(c *model.OidcConfiguration) string { return c.Issuer + " " + c.ClientId }

// trusted reports whether the cluster still has the provider of a session.
func trusted(v *catalog.View, issuer string) bool {
	c, err := provider(v)
	return err == nil && providerID(c) == issuer
}
