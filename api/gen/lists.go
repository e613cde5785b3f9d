// SPDX-License-Identifier: Apache-2.0

package main

import (
	"slices"

	"github.com/contiv/contiv/api/model"
)

// list describes the route that lists the objects of a kind. Lists of read-only kinds include their state.
func (k *kind) list(answer func(what string, schema object) object) object {
	item := k.Go()
	if k.InspectOnly {
		item += "Oper"
	}
	var parameters []object
	for _, p := range []struct{ name, kind, says string }{
		{"limit", "integer", "The largest number of objects; 0 or absent: no limit."},
		{"continue", "string", "The header " + model.ContinueHeader + " of the previous page: the list continues there, as it is now."},
		{"fieldSelector", "string", "Only objects with these fields: FIELD=VALUE and FIELD!=VALUE, separated by commas."},
		{"at", "string", "A revision or a time: the objects are those of that moment."},
		{"summary", "boolean", "Whether each object has a member `summary` with what netmaster knows of its state, such as the free addresses of a network."},
		{"labelSelector", "string", `Only objects with these labels, as in "app=web,tier in (front,back)".`},
	} {
		if (p.name != "labelSelector" || k.labelled()) && (p.name != "at" || k.Owner == "" && !k.Guarded) {
			parameters = append(parameters, object{"name": p.name, "in": "query", "description": p.says, "schema": object{"type": p.kind}})
		}
	}
	responses := answer("The list.", object{"type": "array", "items": ref(item)})
	responses["200"].(object)["headers"] = object{model.ContinueHeader: object{
		"description": "Where the next page begins; absent on the last.", "schema": object{"type": "string"}}}
	return object{"operationId": "list" + k.Go(), "summary": "List " + k.Plural + ".", "parameters": parameters, "responses": responses}
}

// labelled reports whether the kind's objects have labels.
func (k *kind) labelled() bool {
	return slices.ContainsFunc(slices.Concat(k.Fields, k.Oper), func(f field) bool { return f.Name == "labels" })
}
