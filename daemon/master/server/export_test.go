package server

import (
	"maps"
	"slices"
	"time"

	"github.com/contiv/contiv/api/rest"
)

// Ruled reports whether a rule says who may ask for a route.
func Ruled(r rest.Route) bool {
	_, ok := (&Server{rules: rules()}).ruleOf(&r)
	return ok
}

// Rules are the routes that have a rule of their own.
func Rules() []string { return slices.Sorted(maps.Keys(rules())) }

// Bounds are what a stranger may cost at a route.
type Bounds struct {
	Body, Text, Fails int
	Pause             time.Duration
}

// Stranger is what a stranger may cost at a route that is open; ok is false of others.
func Stranger(route string) (b Bounds, ok bool) {
	s, ok := strangers()[route]
	return Bounds{s.body, s.text, s.fails, s.pause}, ok
}

// Strangers are the routes that are open.
func Strangers() []string { return slices.Sorted(maps.Keys(strangers())) }

// ByCertificate reports whether only certificates open a route.
func ByCertificate(r rest.Route) bool {
	one := rules()[r.Method+" "+r.Path]
	return len(one.roles) > 0 && one.verb == "" && !one.user
}

// OfCluster reports whether a route needs a right of the cluster, or a certificate of a role.
func OfCluster(route string) bool {
	r, ok := rules()[route]
	return ok && !r.open && !r.user
}
