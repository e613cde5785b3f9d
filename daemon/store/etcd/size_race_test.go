// SPDX-License-Identifier: Apache-2.0

//go:build race

package etcd_test

const watchers, endpoints = 8, 2_000
