// SPDX-License-Identifier: Apache-2.0

// Package docker tests with real Docker engines on the hosts of a lab. They need dockerd; make test-docker installs it and runs them.
package docker
