// SPDX-License-Identifier: Apache-2.0

// Package ovsdb is a client of ovsdb-server: it keeps the tables that a container network needs in sync by a monitor, and changes them by
// guarded transactions.
//
// Its layers, from the bottom: values and rows (the JSON of RFC 7047), Conn (one connection), Client (a connection that is restored, with
// its Tables), Switch (one bridge and its ports).
package ovsdb
