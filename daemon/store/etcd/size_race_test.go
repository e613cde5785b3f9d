//go:build race

package etcd_test

const watchers, endpoints = 8, 2_000
