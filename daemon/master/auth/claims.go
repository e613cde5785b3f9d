// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/contiv/contiv/api/model"
)

const (
	maxGroups = 256 // of a user that are kept
	longGroup = 512 // bytes
	skew      = 5 * time.Minute
)

// verify returns the verified claims of an ID token (OpenID Connect Core 1.0, section 3.1.3.7). nonce is the expected one; "": none.
func (o *OpenID) verify(ctx context.Context, v *oidc.IDTokenVerifier, c *model.OidcConfiguration, raw, nonce string) (who Claimed, err error) {
	t, err := v.Verify(ctx, raw)
	var old *oidc.TokenExpiredError
	switch {
	case errors.As(err, &old):
		return who, denied("the ID token has expired at %s, and netmaster's clock says %s", old.Expiry.UTC().Format(time.RFC3339), o.now().UTC().Format(time.RFC3339)).
			Try("have the clocks of the provider and of all netmasters set by NTP, and log in again")
	case err != nil:
		return who, denied("the ID token of %s is not to be trusted: %v", c.Issuer, err).Because(err).Try("is --issuer of netctl oidc set as the provider calls itself, and is it this one that answers?")
	case t.IssuedAt.After(o.now().Add(skew)):
		return who, denied("the ID token is of %s, and netmaster's clock says %s", t.IssuedAt.UTC().Format(time.RFC3339), o.now().UTC().Format(time.RFC3339)).
			Try("have the clocks of the provider and of all netmasters set by NTP, and log in again")
	case nonce != "" && t.Nonce != nonce:
		return who, denied("the ID token answers another login").Try("log in again")
	}
	var claims map[string]json.RawMessage
	if err := t.Claims(&claims); err != nil {
		return who, denied("the claims of the ID token cannot be read: %v", err).Because(err).Try("ask the provider's administrator")
	}
	if party := text(claims["azp"]); !slices.Contains(t.Audience, c.ClientId) || party != "" && party != c.ClientId || party == "" && len(t.Audience) > 1 {
		return who, denied("the ID token is for %s, and netmaster is client %s", quoted(strings.Join(t.Audience, " ")), c.ClientId).
			Try("netctl oidc set --client-id names netmaster as the provider does")
	}
	return claimed(claims, c)
}

// claimed returns the user and the groups of claims.
func claimed(claims map[string]json.RawMessage, c *model.OidcConfiguration) (who Claimed, err error) {
	if who.Name = text(claims[c.UsernameClaim]); who.Name == "" {
		return who, denied("the ID token has no claim %s with the user's name; it has %s", quoted(c.UsernameClaim), names(claims)).
			Try("have an admin ask for the scope that brings it, with netctl oidc set --scopes, or name another claim with --username-claim")
	}
	if verified, there := claims["email_verified"]; c.UsernameClaim == "email" && there && !truth(verified) {
		return Claimed{}, denied("the provider has not verified that %s is the user's", quoted(who.Name)).Try("verify the address at the provider, or have an admin name another claim with netctl oidc set --username-claim")
	}
	raw, there := claims[c.GroupsClaim]
	if one := text(raw); one != "" {
		who.Groups = []string{one}
	} else if !there || json.Unmarshal(raw, &who.Groups) != nil || who.Groups == nil {
		return Claimed{}, denied("the ID token has no claim %s with a list of the user's groups; it has %s", quoted(c.GroupsClaim), names(claims)).
			Try("have the provider put groups into ID tokens, an admin ask for the scope that brings them, with netctl oidc set --scopes, or name another claim with --groups-claim")
	}
	who.Groups = slices.DeleteFunc(who.Groups, func(g string) bool { return g == "" || len(g) > longGroup })
	who.Groups = who.Groups[:min(len(who.Groups), maxGroups)]
	return who, nil
}

// text returns a claim that is a string, "" for another type.
func text(raw json.RawMessage) (out string) {
	_ = json.Unmarshal(raw, &out)
	return out
}

// truth reports whether a claim is true, which some providers write as a string.
func truth(raw json.RawMessage) bool {
	var yes bool
	return json.Unmarshal(raw, &yes) == nil && yes || text(raw) == "true"
}

// names lists the names of the claims, for errors.
func names(claims map[string]json.RawMessage) string {
	var out []string
	for name := range claims {
		out = append(out, name)
	}
	slices.Sort(out)
	return quoted(strings.Join(out, " "))
}
