// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/contiv/contiv/api/yaml"
)

// route is one entry of api/routes.yaml.
type route struct {
	Get     string            `json:"get"`
	Post    string            `json:"post"`
	Delete  string            `json:"delete"`
	Summary string            `json:"summary"`
	Query   map[string]string `json:"query"`
	Body    string            `json:"body"`
	Answer  string            `json:"answer"`
	In      string            `json:"in"`    // the member of an object that contains the answer
	Open    bool              `json:"open"`  // clients need no proof
	Media   string            `json:"media"` // of an answer without a type of ours; several are separated by spaces
}

// loadRoutes reads api/routes.yaml.
func loadRoutes(path string) ([]route, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var out []route
	if err := yaml.UnmarshalStrict(text, &out); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for i, r := range out {
		if method, _ := r.asked(); method == "" || r.Summary == "" || (r.Answer == "") == (r.Media == "") {
			return nil, fmt.Errorf("%s: route %d wants one of get, post and delete, a summary, and one of answer and media", path, i+1)
		}
	}
	return out, nil
}

// asked returns the route's method; "" if it has none, or several.
func (r *route) asked() (method, path string) {
	for name, at := range map[string]string{"get": r.Get, "post": r.Post, "delete": r.Delete} {
		if at != "" && method != "" {
			return "", ""
		}
		if at != "" {
			method, path = name, at
		}
	}
	return method, path
}

// describe adds the route to the document's paths, and the schemas of its types.
func (r *route) describe(paths, schemas object, types *goTypes) error {
	method, path := r.asked()
	good := object{"schema": object{}}
	if r.Answer != "" {
		schema, err := types.schema(r.Answer, schemas)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if r.In != "" {
			schema = object{"type": "object", "properties": object{r.In: schema}}
		}
		good["schema"] = schema
	}
	content := object{}
	for media := range strings.FieldsSeq(cmp.Or(r.Media, "application/json")) {
		content[media] = good
	}
	does := object{
		"operationId": operationID(method, path), "summary": r.Summary,
		"responses": object{
			"200":     object{"description": "The answer.", "content": content},
			"default": object{"description": "Refused.", "content": object{"application/problem+json": object{"schema": ref("Problem")}}},
		},
	}
	var parameters []object
	for part := range strings.SplitSeq(path, "/") {
		if name, is := strings.CutPrefix(part, "{"); is {
			parameters = append(parameters, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Query)) {
		parameters = append(parameters, object{"name": name, "in": "query", "description": r.Query[name], "schema": object{"type": "string"}})
	}
	if r.Open {
		does["security"] = []object{{}}
	}
	if parameters != nil {
		does["parameters"] = parameters
	}
	if r.Body != "" {
		schema, err := types.schema(r.Body, schemas)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		does["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": schema}}}
	}
	at, _ := paths[path].(object)
	if at == nil {
		at = object{}
		paths[path] = at
	}
	at[method] = does
	return nil
}

// operationID is the path's words in one: "getHistoryKindKey".
func operationID(method, path string) string {
	id := method
	for word := range strings.FieldsFuncSeq(strings.TrimPrefix(path, "/api/v1"), func(r rune) bool { return strings.ContainsRune("/{}.", r) }) {
		id += exported(word)
	}
	return id
}

// open lists the routes that need no proof, in order.
func open(routes []route) (out []string) {
	for i := range routes {
		if routes[i].Open {
			method, path := routes[i].asked()
			out = append(out, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(out)
	return out
}
