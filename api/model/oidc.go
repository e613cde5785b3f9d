package model

// OIDCAuthorize is the body of POST /api/v1/auth/oidc/authorize. Challenge and Nonce follow from a verifier that only the one who logs in has.
type OIDCAuthorize struct {
	Redirect  string `json:"redirect"`  // where the browser ends up, on its own machine: http://127.0.0.1:PORT/PATH
	State     string `json:"state"`     // comes back with the browser
	Challenge string `json:"challenge"` // of the verifier, S256 (RFC 7636)
	Nonce     string `json:"nonce"`     // of the verifier, which the ID token has to contain
}

// OIDCAuthorized is the answer: what a browser is to open.
type OIDCAuthorized struct {
	URL string `json:"url"`
}

// OIDCDeviceRequest is the body of POST /api/v1/auth/oidc/device.
type OIDCDeviceRequest struct {
	Challenge string `json:"challenge"` // as of OIDCAuthorize
}

// OIDCDevice is the answer: what a person types, and where.
type OIDCDevice struct {
	Code     string `json:"code"`               // for OIDCLogin
	UserCode string `json:"userCode"`           // what the person types
	URL      string `json:"url"`                // where
	Complete string `json:"complete,omitempty"` // the same with the code in it
	Seconds  int64  `json:"seconds"`            // for how long the code counts
	Interval int64  `json:"interval"`           // seconds between two questions whether the person has done so
}

// OIDCLogin is the body of POST /api/v1/auth/oidc/login: a code that a browser has brought, with where that was, or a device's. CodeNotReady is the answer
// while the person has not done what a device asks for.
type OIDCLogin struct {
	Verifier   string `json:"verifier"`
	Code       string `json:"code,omitempty"`
	Redirect   string `json:"redirect,omitempty"`
	DeviceCode string `json:"deviceCode,omitempty"`
}
