// SPDX-License-Identifier: Apache-2.0

// Package releases tests that this build reads what each release has written: its store, and its messages to agents. The recordings are in
// testdata, one directory for each release; "go test ./test/releases -record VERSION" makes those of a new release, and changes none.
package releases
