// SPDX-License-Identifier: Apache-2.0

// Package api carries the description of the REST interface that its subpackages serve and call.
package api

import _ "embed"

// OpenAPI is the OpenAPI 3.1 document of all routes, served at /api/v1/openapi.yaml.
//
//go:embed openapi.yaml
var OpenAPI []byte
