package server

import (
	"maps"
	"slices"

	"github.com/contiv/contiv/api/rest"
)

// Ruled tells whether a rule says who may ask for a route.
func Ruled(r rest.Route) bool {
	_, ok := (&Server{rules: rules()}).ruleOf(&r)
	return ok
}

// Rules are the routes that have a rule of their own.
func Rules() []string { return slices.Sorted(maps.Keys(rules())) }
