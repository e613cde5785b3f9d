//go:build !race

package etcd_test

// What TestRecovery is about. The race detector makes the first lists alone take minutes, so with it there are fewer.
const watchers, endpoints = 64, 50_000
