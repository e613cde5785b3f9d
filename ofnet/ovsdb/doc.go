// Package ovsdb talks to ovsdb-server: it keeps the four tables that a container network needs in step by a monitor,
// and changes them by guarded transactions.
//
// The floors inside, from the bottom: values and rows (what RFC 7047 puts into JSON), Conn (one connection),
// Client (a connection that comes back, with its Tables), Switch (one bridge and its ports, in the words of a user).
package ovsdb
