package rest

import (
	"time"

	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/trust"
)

// Access says who may call a route. The zero Access: only clients that may do everything.
type Access struct {
	// Roles are those whose certificate suffices. The route's handler checks what an agent says about hosts.
	Roles []trust.Role
	User  bool        // any user may, if the route's handler finds a right to each object that the request concerns
	Verb  rights.Verb // users with this cluster-wide right may; "": see User
	Open  *Open       // everyone who reaches the server may, at this cost; nil: not everyone
}

// Open is what a client that has proved nothing may cost at a route.
type Open struct {
	Body  int           // bytes of the longest body; 0: none is read
	Text  int           // bytes of the longest text in it
	Fails int           // requests of a site that may fail one after another; 0: any number, for they cost nothing
	Pause time.Duration // after which one more may fail
}

// Users is the Access of any user.
func Users(roles ...trust.Role) Access { return Access{User: true, Roles: roles} }

// Needs is the Access of users with a cluster-wide right, and of certificates of roles.
func Needs(verb rights.Verb, roles ...trust.Role) Access { return Access{Verb: verb, Roles: roles} }

// Only is the Access of certificates of roles.
func Only(roles ...trust.Role) Access { return Access{Roles: roles} }

// Everyone is the Access of everyone who reaches the server.
func Everyone(o Open) Access { return Access{Open: &o} }

// Allow sets who may call the route, and returns it.
func (r *Route) Allow(a Access) *Route {
	r.Access = a
	return r
}
