// SPDX-License-Identifier: Apache-2.0

package model

// OIDCAuthorize is the body of POST /api/v1/auth/oidc/authorize. Challenge and Nonce derive from a verifier that only the client has.
type OIDCAuthorize struct {
	Redirect  string `json:"redirect"`  // the final URL of the browser, on its own machine: http://127.0.0.1:PORT/PATH
	State     string `json:"state"`     // returned by the browser
	Challenge string `json:"challenge"` // of the verifier, S256 (RFC 7636)
	Nonce     string `json:"nonce"`     // of the verifier, which the ID token has to contain
}

// OIDCAuthorized is the answer: the URL for a browser.
type OIDCAuthorized struct {
	URL string `json:"url"`
}

// OIDCDeviceRequest is the body of POST /api/v1/auth/oidc/device.
type OIDCDeviceRequest struct {
	Challenge string `json:"challenge"` // as in OIDCAuthorize
}

// OIDCDevice is the answer: the code for the user, and the URL to type it at.
type OIDCDevice struct {
	Code     string `json:"code"`               // for OIDCLogin
	UserCode string `json:"userCode"`           // the code for the user
	URL      string `json:"url"`                // where
	Complete string `json:"complete,omitempty"` // the same with the code in it
	Seconds  int64  `json:"seconds"`            // lifetime of the code
	Interval int64  `json:"interval"`           // seconds between two requests of OIDCLogin
}

// OIDCLogin is the body of POST /api/v1/auth/oidc/login: a code of a browser, with its redirect, or of a device. CodeNotReady is the answer
// while the user has not confirmed a device.
type OIDCLogin struct {
	Verifier   string `json:"verifier"`
	Code       string `json:"code,omitempty"`
	Redirect   string `json:"redirect,omitempty"`
	DeviceCode string `json:"deviceCode,omitempty"`
}
