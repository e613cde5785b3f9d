// SPDX-License-Identifier: Apache-2.0

package rest

import (
	"time"

	"github.com/contiv/contiv/api/rights"
	"github.com/contiv/contiv/trust"
)

// Access describes who may call a route. The zero Access: only clients that may do everything.
type Access struct {
	// Roles are those whose certificate suffices. The route's handler checks what an agent reports about hosts.
	Roles []trust.Role
	User  bool        // any user may, if the route's handler finds a right for each object of the request
	Verb  rights.Verb // users with this cluster-wide right may; "": see User
	Open  *Open       // any client may, within this budget; nil: no
}

// Open is the budget of an unauthenticated client at a route.
type Open struct {
	Body  int           // bytes of the longest body; 0: none is read
	Text  int           // bytes of the longest text in it
	Fails int           // consecutive failing requests of a site; 0: any number, for they cost nothing
	Pause time.Duration // after which one more may fail
}

// Users is the Access of any user.
func Users(roles ...trust.Role) Access { return Access{User: true, Roles: roles} }

// Needs is the Access of users with a cluster-wide right, and of certificates of roles.
func Needs(verb rights.Verb, roles ...trust.Role) Access { return Access{Verb: verb, Roles: roles} }

// Only is the Access of certificates of roles.
func Only(roles ...trust.Role) Access { return Access{Roles: roles} }

// Everyone is the Access of every client that reaches the server.
func Everyone(o Open) Access { return Access{Open: &o} }

// Allow sets the route's Access, and returns the route.
func (r *Route) Allow(a Access) *Route {
	r.Access = a
	return r
}
