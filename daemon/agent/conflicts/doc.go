// Package conflicts finds addresses that two say to have: a machine behind the uplinks that claims a container's, and a container that speaks
// with another's.
package conflicts
