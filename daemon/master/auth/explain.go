// SPDX-License-Identifier: Apache-2.0

package auth

import (
	"cmp"
	"errors"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/contiv/contiv/api/model"
)

// denied returns the error for unacceptable claims.
func denied(format string, args ...any) *model.Error {
	return model.Errorf(model.CodeUnproved, "", format, args...)
}

// unreachable returns the error for a provider that does not answer.
func unreachable(c *model.OidcConfiguration, err error) *model.Error {
	return model.Errorf(model.CodeUnavailable, "", "the OpenID provider %s does not answer as it should: %v", c.Issuer, err).Because(err).
		Try("netctl oidc info shows the configuration; the netmaster that leads has to reach the provider, and to know it by --ca-certificate or its machine's authorities")
}

// undiscovered returns the error for useless metadata of a provider.
func undiscovered(c *model.OidcConfiguration, err error) *model.Error {
	var other *oidc.IssuerMismatchError
	if errors.As(err, &other) {
		return model.Errorf(model.CodeUnavailable, "", "the OpenID provider %s calls itself %s", c.Issuer, quoted(other.Discovered)).Because(err).Try("netctl oidc set --issuer takes the name that it calls itself, letter by letter")
	}
	return unreachable(c, err)
}

// refused returns the error for a provider that gave no token (RFC 6749, section 5.2; RFC 8628, section 3.5).
func refused(c *model.OidcConfiguration, err error) *model.Error {
	var answer *oauth2.RetrieveError
	if !errors.As(err, &answer) || answer.ErrorCode == "" {
		return unreachable(c, err)
	}
	why := quoted(cmp.Or(answer.ErrorDescription, answer.ErrorCode))
	switch answer.ErrorCode {
	case "authorization_pending":
		return model.Errorf(model.CodeNotReady, "", "the code has not been entered at the OpenID provider yet").Try("retry at the interval in netmaster's answer")
	case "slow_down":
		return model.Errorf(model.CodeBusy, "", "too many requests to the OpenID provider").Try("retry with an interval longer by five seconds")
	case "expired_token":
		return denied("the code was not entered at the OpenID provider in time").Try("log in again")
	case "access_denied":
		return denied("the login was refused at the OpenID provider").Try("log in again, or ask its administrator")
	case "invalid_grant":
		return denied("the OpenID provider does not accept the code: %s", why).Try("log in again: a code is valid once, for a short time")
	case "invalid_client", "unauthorized_client", "unsupported_grant_type":
		return model.Errorf(model.CodeUnavailable, "", "the OpenID provider refuses client %s: %s", c.ClientId, why).Because(err).
			Try("set the credentials of netmaster with netctl oidc set --client-id and netctl auth oidc-secret; the provider's administrator permits the client the grants authorization_code and device_code")
	case "invalid_scope":
		return model.Errorf(model.CodeUnavailable, "", "the OpenID provider refuses the scopes openid %s: %s", c.Scopes, why).Because(err).Try("netctl oidc set --scopes takes those that it has")
	}
	return unreachable(c, err)
}
