// SPDX-License-Identifier: Apache-2.0

// Package network holds the tests of Kubernetes' end-to-end suite that are about the network, and no others: go test -c makes a
// program of them, with ginkgo's flags and the suite's own.
package network
