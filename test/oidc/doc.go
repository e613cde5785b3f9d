// SPDX-License-Identifier: Apache-2.0

// Package oidc tries logins of a real netctl at a real netmaster by a real OpenID provider, which test/provider makes of the library
// github.com/zitadel/oidc.
package oidc
