// Package model says what an API object is, for every door at once: types, checks and defaults generated from
// api/schema, descriptors that generic code reads, errors as data, and the requests of the routes beside the objects.
//
// The package computes: it opens nothing, and imports nothing of this module.
package model

//go:generate go run github.com/contiv/contiv/api/gen -root ../..
