// SPDX-License-Identifier: Apache-2.0

package authapi

import (
	"net/http"

	"github.com/contiv/contiv/api/model"
	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/daemon/master/auth"
)

func (a *Auth) oidcSecret(q *http.Request, request model.PasswordRequest) (model.Revoked, uint64, error) {
	if err := auth.Of(q.Context()).Check(rights.Right{Verb: rights.Manage, Kind: model.KindOidcConfiguration()}); err != nil {
		return model.Revoked{}, 0, err
	}
	rev, err := a.Users.SetOIDCSecret(q.Context(), request.Password)
	if err == nil {
		a.Record(q, "password", "oidcConfiguration oidc")
	}
	return model.Revoked{Done: err == nil}, rev, err
}

func (a *Auth) authorize(q *http.Request, request model.OIDCAuthorize) (model.OIDCAuthorized, uint64, error) {
	out, err := a.Users.Authorize(q.Context(), request, a.From(q))
	return out, 0, a.failed(q, err)
}

func (a *Auth) device(q *http.Request, request model.OIDCDeviceRequest) (model.OIDCDevice, uint64, error) {
	out, err := a.Users.Device(q.Context(), request, a.From(q))
	return out, 0, a.failed(q, err)
}

// loginOIDC begins a session.
func (a *Auth) loginOIDC(q *http.Request, request model.OIDCLogin) (model.Token, uint64, error) {
	t, rev, err := a.Users.LoginOIDC(q.Context(), request, a.From(q))
	if err != nil {
		return t, 0, a.failed(q, err)
	}
	a.begun(q, t)
	return t, rev, nil
}

// failed records in the audit that an unauthenticated client failed to log in. A login that still waits for the user has not failed.
func (a *Auth) failed(q *http.Request, err error) error {
	if err == nil {
		return nil
	}
	if code := model.AsError(err).Code; code != model.CodeNotReady && code != model.CodeBusy {
		a.Failed(q, "", err)
	}
	return err
}
