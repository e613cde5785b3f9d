// SPDX-License-Identifier: Apache-2.0

// Package machines tests on booted machines of Debian's releases, with the kernel's datapath: make test-machines prepares and runs them.
package machines
