// SPDX-License-Identifier: Apache-2.0

//go:build !race

package etcd_test

// The load of TestRecovery. With the race detector even the first lists would take minutes, so it uses a smaller load.
const watchers, endpoints = 64, 50_000
