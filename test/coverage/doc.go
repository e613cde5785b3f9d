// SPDX-License-Identifier: Apache-2.0

// Package coverage reports which behaviours of test/scenario/ids.txt have a test that names them.
package coverage
