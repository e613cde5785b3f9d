// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/contiv/contiv/api/model"
)

const (
	knownFor       = 10 * time.Minute // for the provider's metadata
	deviceGrant    = "urn:ietf:params:oauth:grant-type:device_code"
	deviceSeconds  = 600
	deviceInterval = 5 // seconds, if the provider sets none (RFC 8628, section 3.2)
)

// OpenID uses the configured provider: netmaster itself exchanges codes for ID tokens, over TLS, and accepts ID tokens from no one else, so a
// stolen token, or one for another client of the provider, starts no session. Its methods are safe for concurrent use.
type OpenID struct {
	now func() time.Time

	mu    sync.Mutex
	known *known
}

// known is a provider's metadata.
type known struct {
	issuer, ca string
	until      time.Time
	fetcher    *fetcher
	provider   *oidc.Provider
	verifier   *oidc.IDTokenVerifier
	style      oauth2.AuthStyle // how a client with a secret authenticates
}

var _ Provider = (*OpenID)(nil)

// NewOpenID returns an OpenID. now is the clock; nil: time.Now.
func NewOpenID(now func() time.Time) *OpenID {
	if now == nil {
		now = time.Now
	}
	return &OpenID{now: now}
}

// Authorize returns the URL for a browser (OpenID Connect Core 1.0, section 3.1.2.1).
func (o *OpenID) Authorize(ctx context.Context, c *model.OidcConfiguration, q model.OIDCAuthorize) (string, error) {
	k, err := o.discover(ctx, c)
	if err != nil {
		return "", err
	}
	config := k.config(c, "")
	config.RedirectURL = q.Redirect
	return config.AuthCodeURL(q.State, oidc.Nonce(q.Nonce), oauth2.SetAuthURLParam("code_challenge", q.Challenge), oauth2.SetAuthURLParam("code_challenge_method", "S256")), nil
}

// Device returns the code for a user whose machine has no browser (RFC 8628, section 3.1).
func (o *OpenID) Device(ctx context.Context, c *model.OidcConfiguration, secret string, q model.OIDCDeviceRequest) (out model.OIDCDevice, err error) {
	k, err := o.discover(ctx, c)
	if err != nil {
		return out, err
	}
	config := k.config(c, secret)
	if config.Endpoint.DeviceAuthURL == "" {
		return out, model.Errorf(model.CodeNotReady, "", "the OpenID provider %s has no login for machines without a browser", c.Issuer).
			Try("run netctl login --oidc where there is a browser")
	}
	got, err := config.DeviceAuth(k.fetcher.proving(ctx, &config), oauth2.SetAuthURLParam("code_challenge", q.Challenge), oauth2.SetAuthURLParam("code_challenge_method", "S256"))
	if err != nil {
		return out, refused(c, err)
	}
	out = model.OIDCDevice{Code: got.DeviceCode, UserCode: got.UserCode, URL: got.VerificationURI, Complete: got.VerificationURIComplete, Seconds: deviceSeconds, Interval: max(got.Interval, 1)}
	if got.Interval == 0 {
		out.Interval = deviceInterval
	}
	if !got.Expiry.IsZero() {
		out.Seconds = int64(time.Until(got.Expiry) / time.Second)
	}
	return out, nil
}

// Login exchanges a code for an ID token, which it verifies, and returns its claims.
func (o *OpenID) Login(ctx context.Context, c *model.OidcConfiguration, secret string, q model.OIDCLogin) (who Claimed, err error) {
	k, err := o.discover(ctx, c)
	if err != nil {
		return who, err
	}
	config, nonce, code := k.config(c, secret), "", q.Code
	options := []oauth2.AuthCodeOption{oauth2.VerifierOption(q.Verifier)}
	if q.DeviceCode != "" { // its answer has no nonce: only the client that logs in knows the device code
		code = ""
		options = append(options, oauth2.SetAuthURLParam("grant_type", deviceGrant), oauth2.SetAuthURLParam("device_code", q.DeviceCode))
	} else {
		config.RedirectURL, nonce = q.Redirect, Nonce(q.Verifier)
	}
	answer, err := config.Exchange(k.fetcher.with(ctx), code, options...)
	if err != nil {
		return who, refused(c, err)
	}
	raw, _ := answer.Extra("id_token").(string)
	if raw == "" {
		return who, model.Errorf(model.CodeDenied, "", "the OpenID provider %s has given no ID token", c.Issuer).Try("have its administrator permit the scope openid to client %s", c.ClientId)
	}
	return o.verify(k.fetcher.with(ctx), k.verifier, c, raw, nonce)
}

// Nonce returns the nonce of a verifier. A party that neither chose the verifier nor received it has an ID token with another nonce.
func Nonce(verifier string) string {
	sum := sha256.Sum256([]byte("nonce of " + verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// config returns the configuration of requests to the provider.
func (k *known) config(c *model.OidcConfiguration, secret string) oauth2.Config {
	scopes := []string{oidc.ScopeOpenID}
	for _, s := range strings.Fields(c.Scopes) {
		if !slices.Contains(scopes, s) {
			scopes = append(scopes, s)
		}
	}
	out := oauth2.Config{ClientID: c.ClientId, ClientSecret: secret, Endpoint: k.provider.Endpoint(), Scopes: scopes}
	out.Endpoint.AuthStyle = k.style
	if secret == "" {
		out.Endpoint.AuthStyle = oauth2.AuthStyleInParams // only the name
	}
	return out
}

// discover returns the provider's metadata, which is cached.
func (o *OpenID) discover(ctx context.Context, c *model.OidcConfiguration) (*known, error) {
	o.mu.Lock()
	k := o.known
	o.mu.Unlock()
	if k != nil && k.issuer == c.Issuer && k.ca == c.CaCertificate && o.now().Before(k.until) {
		return k, nil
	}
	w, err := newFetcher(c.CaCertificate)
	if err != nil {
		return nil, unreachable(c, err)
	}
	p, err := oidc.NewProvider(w.with(ctx), c.Issuer)
	if err != nil {
		return nil, undiscovered(c, err)
	}
	k = &known{issuer: c.Issuer, ca: c.CaCertificate, until: o.now().Add(knownFor), fetcher: w, provider: p, style: oauth2.AuthStyleInHeader}
	var said struct {
		Keys    string   `json:"jwks_uri"`
		Methods []string `json:"token_endpoint_auth_methods_supported"`
	}
	if err := p.Claims(&said); err != nil {
		return nil, undiscovered(c, err)
	}
	if len(said.Methods) > 0 && !slices.Contains(said.Methods, "client_secret_basic") {
		k.style = oauth2.AuthStyleInParams
	}
	e := p.Endpoint()
	for _, at := range []string{e.AuthURL, e.TokenURL, said.Keys} {
		if !strings.HasPrefix(at, "https://") {
			return nil, undiscovered(c, errors.New("it names an address that is not https: "+quoted(at)))
		}
	}
	if e.DeviceAuthURL != "" && !strings.HasPrefix(e.DeviceAuthURL, "https://") {
		return nil, undiscovered(c, errors.New("it names an address that is not https: "+quoted(e.DeviceAuthURL)))
	}
	k.verifier = p.VerifierContext(w.with(context.Background()), &oidc.Config{ClientID: c.ClientId, Now: o.now, SkipClientIDCheck: true})
	o.mu.Lock()
	o.known = k
	o.mu.Unlock()
	return k, nil
}
