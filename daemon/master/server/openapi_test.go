// SPDX-License-Identifier: Apache-2.0

package server_test

import (
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/contiv/contiv/api"
	"github.com/contiv/contiv/daemon/master/mastertest"
)

// The OpenAPI document has every route that a netmaster serves, and no other; what it refers to is there.
func TestOpenAPIHasEveryRoute(t *testing.T) {
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `yaml:"operationId"`
		}
		Components struct{ Schemas map[string]any }
	}
	if err := yaml.Unmarshal(api.OpenAPI, &document); err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	named := map[string]string{}
	for path, methods := range document.Paths {
		for method, does := range methods {
			route := strings.ToUpper(method) + " " + path
			described[route] = true
			if other := named[does.OperationID]; other != "" || does.OperationID == "" {
				t.Errorf("%s and %s are both called %q", route, other, does.OperationID)
			}
			named[does.OperationID] = route
		}
	}
	variable := regexp.MustCompile(`:(\w+)`)
	for _, r := range mastertest.Start(t, mastertest.Options{}).Routes {
		route := r.Method + " " + variable.ReplaceAllString(r.Path, "{$1}")
		if !described[route] {
			t.Errorf("%s is not described: add it to api/routes.yaml and run make generate", route)
		}
		delete(described, route)
	}
	for route := range described {
		t.Errorf("%s is described and not served", route)
	}
	for _, ref := range regexp.MustCompile(`#/components/schemas/(\w+)`).FindAllSubmatch(api.OpenAPI, -1) {
		if document.Components.Schemas[string(ref[1])] == nil {
			t.Errorf("there is no schema %s", ref[1])
		}
	}
}
