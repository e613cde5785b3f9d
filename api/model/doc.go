// SPDX-License-Identifier: Apache-2.0

// Package model defines the API objects for all interfaces: types, checks and defaults generated from api/schema, descriptors that generic
// code reads, errors as data, and the requests of the other routes.
//
// The package only computes: it opens nothing, and imports nothing of this module.
package model

//go:generate go run github.com/contiv/contiv/api/gen -root ../..
