// SPDX-License-Identifier: Apache-2.0

// Package openapi checks api/openapi.yaml with kin-openapi. It is a module of its own, so that the programs do not depend on it.
package openapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// The document is valid; it names its servers and how clients authenticate, and each operation has all of its responses.
func TestDocument(t *testing.T) {
	d, err := openapi3.NewLoader().LoadFromFile("../../api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Validate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(d.Servers) == 0 || len(d.Components.SecuritySchemes) < 2 || len(d.Security) == 0 {
		t.Errorf("want servers and security schemes, got %d and %d", len(d.Servers), len(d.Components.SecuritySchemes))
	}
	operations := 0
	for path, item := range d.Paths.Map() {
		for method, o := range item.Operations() {
			operations++
			public := o.Security != nil && slices.ContainsFunc(*o.Security, func(r openapi3.SecurityRequirement) bool { return len(r) == 0 })
			want := []string{"default"}
			if !public {
				want = append(want, "401", "403")
			}
			for _, code := range want {
				if o.Responses.Value(code) == nil {
					t.Errorf("%s %s: want a response %s", method, path, code)
				}
			}
			if o.OperationID == "" || strings.ContainsAny(o.OperationID, " /") {
				t.Errorf("%s %s: operationId: got %q", method, path, o.OperationID)
			}
		}
	}
	if operations < 100 {
		t.Errorf("operations: got %d, want at least 100", operations)
	}
}
