// SPDX-License-Identifier: Apache-2.0

// Package rosetta stands in for the module of that name, which the docker command asks whether it runs under Apple's translator;
// here it does not.
package rosetta

// Enabled reports whether the program is translated: never on Linux.
func Enabled() bool { return false }

// NativeArch is the architecture of the machine when the program is translated: none on Linux.
func NativeArch() string { return "" }
